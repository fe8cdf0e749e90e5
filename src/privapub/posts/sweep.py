"""What a blocked server's people left here is cleaned away, but for what is also ours.

A post that one of ours liked, boosted, pinned, bookmarked, answered, quoted or voted in stays, hidden as all of theirs:
it is shown again when nothing blocks its server any more.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, or_, select, update

from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.posts import text_index
from privapub.posts.tables import bookmark, boost, pin, poll_vote, post, reaction


async def sweep(tx: Transaction, actor_ids: Collection[int], limit: int) -> int:
    """Delete some of what these remote actors wrote, liked and boosted; of how many rows. 0: nothing is left of it.

    It is as if it had never come, and may come again. That somebody deleted a post stays known.
    """
    theirs = select(post.c.id).where(
        post.c.author_id.in_(sorted(actor_ids)), ~post.c.local, post.c.deleted_at.is_(None), ~is_also_ours()
    )
    rows = await tx.all(theirs.order_by(post.c.id).limit(limit).with_for_update())
    ids = [row.id for row in rows]
    if ids:
        await tx.execute(update(post).where(post.c.in_reply_to_id.in_(ids)).values(in_reply_to_id=None))
        await text_index.drop(tx, ids)
        await tx.execute(delete(post).where(post.c.id.in_(ids)))
    gone = len(ids)
    for table in (reaction, boost):
        if gone < limit:
            some = select(table.c.id).where(table.c.actor_id.in_(sorted(actor_ids))).limit(limit - gone)
            gone += (await tx.execute(delete(table).where(table.c.id.in_(some)))).rowcount
    return gone


def is_also_ours() -> ColumnElement[bool]:
    """Whether one of ours did something with a post that is theirs."""
    of_ours = post.alias()
    beside = [_by_ours(table) for table in (reaction, boost, pin, poll_vote)]
    kept = exists().where(bookmark.c.post_id == post.c.id).correlate_except(bookmark)
    answered = exists().where(of_ours.c.in_reply_to_id == post.c.id, of_ours.c.local).correlate_except(of_ours)
    quotes = post.alias()
    quoted = exists().where(quotes.c.quote == post.c.uri, quotes.c.local).correlate_except(quotes)
    return or_(*beside, kept, answered, quoted)


def _by_ours(table: Any) -> ColumnElement[bool]:
    who = actor.alias()
    found = exists().where(table.c.post_id == post.c.id, who.c.id == table.c.actor_id, who.c.local)
    return found.correlate_except(table, who)
