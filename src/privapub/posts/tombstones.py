"""Deletes that came before what they delete: it may not come to life when it arrives late."""

from collections.abc import Collection

from sqlalchemy import bindparam, delete, select

from privapub.actors.tables import actor
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.posts.tables import post, tombstone

LIFE = 365 * 86400.0  # seconds
PER_HOST = 10_000
MOST = 1_000_000


async def note(tx: Transaction, uri: str, actor_uri: str, host: str, now: float) -> None:
    """This actor deleted what has this uri. The newest 10,000 notes of a host are kept."""
    insert = tx.insert(tombstone).values(uri=uri, actor_uri=actor_uri, host=host, at=now)
    await tx.execute(
        insert.on_conflict_do_update(
            index_elements=[tombstone.c.uri, tombstone.c.actor_uri], set_={"at": insert.excluded.at}
        )
    )
    newest_first = select(tombstone.c.at).where(tombstone.c.host == host).order_by(tombstone.c.at.desc())
    too_old = await tx.scalar(newest_first.offset(PER_HOST).limit(1))
    if too_old is not None:
        await tx.execute(delete(tombstone).where(tombstone.c.host == host, tombstone.c.at <= too_old))


async def remain(tx: Transaction, post_ids: Collection[int]) -> None:
    """Those of these posts that were deleted are forgotten: that they were is noted, since a copy may come late."""
    gone = (
        select(post.c.uri, actor.c.uri.label("by"), actor.c.origin, post.c.deleted_at)
        .join(actor, actor.c.id == post.c.author_id)
        .where(post.c.id.in_(sorted(post_ids)), post.c.deleted_at.is_not(None))
    )
    for row in await tx.all(gone):
        await note(tx, row.uri, row.by, row.origin, row.deleted_at)


async def holds_back(tx: Transaction, uri: str, author_id: int, now: float) -> bool:
    """Whether the author of this deleted it within a year: nobody else's note counts."""
    at = await tx.scalar(_NOTED, uri=uri, author=author_id)
    return at is not None and at >= now - LIFE


_NOTED = (
    select(tombstone.c.at)
    .join(actor, actor.c.uri == tombstone.c.actor_uri)
    .where(tombstone.c.uri == bindparam("uri"), actor.c.id == bindparam("author"))
)


async def prune(tx: Transaction, now: float) -> int:
    """Drop the notes that are older than a year, and those beyond a million; returns how many."""
    dropped = await tx.execute(delete(tombstone).where(tombstone.c.at < now - LIFE))
    return dropped.rowcount + await keep_newest(tx, tombstone, tombstone.c.at, MOST)
