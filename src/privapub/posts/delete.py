"""A persona deletes a post of its own."""

from typing import Any

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy import delete as removal

from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put_fact
from privapub.media.facts import settled
from privapub.media.let_go import UNATTACHED, of_media
from privapub.media.read import READY
from privapub.media.tables import medium
from privapub.posts import read, text_index
from privapub.posts.facts import PostDeleted
from privapub.posts.read import HELD
from privapub.posts.tables import (
    bookmark,
    boost,
    held_post,
    pin,
    poll,
    poll_vote,
    post,
    post_program,
    post_tag,
    post_version,
    reaction,
)
from privapub.stream import events

# All that was said. The ids, the author, the audience and whom it named stay: a Delete must find its way.
_NOTHING: dict[str, Any] = {
    "source": None,
    "content": "",
    "summary": "",
    "sensitive": False,
    "language": None,
    "in_reply_to": None,
    "in_reply_to_id": None,
    "tags": [],
    "attachments": [],
    "edited_at": None,
    "translations": [],
    "license": "",
    "quote": None,
    "quote_state": "",
    "quote_stamp": None,
    "context": None,
    "conversation": None,
    "replies": None,
    "likes_elsewhere": None,
    "shares_elsewhere": None,
    "replies_elsewhere": None,
    "notes": [],
}
KEPT_FOR_ANOTHER = 3600.0  # seconds
# What stands beside a post and goes with it.
_BESIDE = (
    post_tag, poll_vote, poll, pin, reaction, boost, held_post, bookmark, post_version, post_program,
)  # fmt: skip


async def delete(tx: Transaction, post_id: int, author_id: int, now: float, *, keep_media: bool = False) -> bool:
    """Leave nothing of the post but a tombstone; fact PostDeleted, once. False where it is one already.

    With `keep_media` its files are uploads in no post again, for an hour: its author may be about to write it anew.
    Raises NotFound where there is no such post of this author.
    """
    known = await read.own(tx, post_id, author_id, gone=True)
    if keep_media:
        free = update(medium).where(medium.c.post_id == post_id, medium.c.state == READY)
        await tx.execute(free.values(post_id=None, created_at=now - UNATTACHED + KEPT_FOR_ANOTHER))
    if not await empty(tx, post.c.id == post_id, now):
        return False
    await put_fact(tx, PostDeleted(post_id), about=f"post {post_id}")
    if known.audience == HELD:
        await settled(tx, author_id)
    return True


async def forget_author(tx: Transaction, actor_id: int, now: float) -> int:
    """A remote actor is no more, and nothing of what it said, liked or boosted is left here; how many posts it had."""
    for table in (reaction, boost):
        await tx.execute(removal(table).where(table.c.actor_id == actor_id))
    return await empty(tx, and_(post.c.author_id == actor_id, post.c.local.is_(False)), now)


async def empty(tx: Transaction, which: ColumnElement[bool], now: float) -> int:
    """Make tombstones of the posts for which this holds; returns of how many that were none yet."""
    alive = select(post.c.id).where(which, post.c.deleted_at.is_(None))
    # Whoever edits a post, or likes it, at this moment is waited for: what they put beside it goes too.
    ids = [row.id for row in await tx.all(alive.order_by(post.c.id).with_for_update())]
    await events.say_each(tx, events.DELETE, ids)
    await text_index.drop(tx, ids)
    for table in _BESIDE:
        await tx.execute(removal(table).where(table.c.post_id.in_(alive)))
    await of_media(tx, medium.c.post_id.in_(alive))
    emptied = await tx.execute(
        update(post).where(which, post.c.deleted_at.is_(None)).values(**_NOTHING, deleted_at=now)
    )
    return emptied.rowcount
