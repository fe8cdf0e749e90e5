"""Reading the home timeline of a persona."""

from sqlalchemy import and_, or_, select

from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.read import Post, from_row
from privapub.posts.tables import post, post_recipient
from privapub.timelines.tables import timeline_entry


async def home(tx: Transaction, persona_id: int, before: int | None = None, limit: int = 20) -> list[Post]:
    """What those it follows wrote, what it wrote itself and what names it; newest first, nothing that was deleted.

    `before` is the number of the last post that was shown. What came while it followed somebody is not shown after.
    """
    follows = and_(
        follow.c.follower_id == persona_id, follow.c.followed_id == post.c.author_id, follow.c.state == ACCEPTED
    )
    named = and_(post_recipient.c.post_id == post.c.id, post_recipient.c.actor_id == persona_id)
    statement = (
        select(post, follow.c.id.label("follow_id"), post_recipient.c.actor_id.label("named_id"))
        .join(timeline_entry, timeline_entry.c.post_id == post.c.id)
        .outerjoin(follow, follows)
        .outerjoin(post_recipient, named)
        .where(
            timeline_entry.c.persona_id == persona_id,
            post.c.deleted_at.is_(None),
            or_(post.c.author_id == persona_id, follow.c.id.is_not(None), post_recipient.c.actor_id.is_not(None)),
        )
    )
    if before is not None:
        statement = statement.where(timeline_entry.c.entry_id < before)
    rows = await tx.all(statement.order_by(timeline_entry.c.entry_id.desc()).limit(limit))
    return [
        found
        for row in rows
        if audience.may_see(
            found := from_row(row), persona_id, follows=row.follow_id is not None, named=row.named_id is not None
        )
    ]
