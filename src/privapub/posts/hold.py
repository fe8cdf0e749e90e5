"""Posts that wait: for media that are still processed, or behind an earlier post of the same persona that does.

    held ── all media ready, and nothing earlier waits ──> published
     └── one of them failed: it stays until its author takes that out or deletes it, and nothing waits behind it

A post that waits has the audience `held`, which nobody but its author may see; for whom it will be, and whom it names,
stands beside it until it goes. So posts federate in the order in which they were written.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, exists, select, update

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.media.attach import attachment
from privapub.media.facts import settled
from privapub.media.let_go import of_media
from privapub.media.read import FAILED, WAITING, Medium, from_row
from privapub.media.tables import medium
from privapub.personas.read import alone
from privapub.posts import read
from privapub.posts.read import HELD
from privapub.posts.recipients import name as name_in
from privapub.posts.tables import held_post, post

AT_ONCE = 20  # posts that go in one transaction


@dataclass(frozen=True)
class Held:
    """For whom a post will be; `why` says what is wrong with its media, where that is why it stays."""

    audience: str
    why: str


def _has(state: str) -> ColumnElement[bool]:
    return exists().where(medium.c.post_id == held_post.c.post_id, medium.c.state == state).correlate(held_post)


async def waits(tx: Transaction, author_id: int, media: Sequence[Medium]) -> bool:
    """Whether a post with these media that this persona writes now is to wait; nobody lets go what it waits behind."""
    if any(each.state == WAITING for each in media):
        return True
    before = select(held_post.c.post_id).where(held_post.c.author_id == author_id, ~_has(FAILED)).limit(1)
    if await tx.first(before) is None:
        return False
    await alone(tx, author_id)
    return await tx.first(before) is not None


async def keep(tx: Transaction, post_id: int, author_id: int, audience: str, named: Collection[int]) -> None:
    """This post, which was just written as held, waits to be for this audience and to name these actors."""
    values = {"post_id": post_id, "author_id": author_id, "audience": audience, "named": sorted(named)}
    await tx.execute(held_post.insert().values(**values))


async def name(tx: Transaction, post_id: int, named: Collection[int]) -> None:
    """A post that waits, and is its author's alone in this transaction, will name these too."""
    so_far = await tx.scalar(select(held_post.c.named).where(held_post.c.post_id == post_id))
    together = sorted({*(so_far or ()), *named})
    await tx.execute(update(held_post).where(held_post.c.post_id == post_id).values(named=together))


async def drop_failed(tx: Transaction, post_id: int, author_id: int) -> frozenset[int]:
    """What failed is no part of the post any more; the numbers of those uploads. Fact MediaSettled."""
    rows = await tx.all(select(medium).where(medium.c.post_id == post_id).order_by(medium.c.place))
    gone = [row.id for row in rows if row.state == FAILED]
    await of_media(tx, and_(medium.c.post_id == post_id, medium.c.id.in_(gone)))
    for place, row in enumerate(row for row in rows if row.id not in gone):
        await tx.execute(update(medium).where(medium.c.id == row.id).values(place=place))
    if gone:
        await settled(tx, author_id)
    return frozenset(gone)


async def release(tx: Transaction, author_id: int, addresses: Addresses) -> tuple[list[int], bool]:
    """Publish the posts of a persona that wait for nothing any more, in the order in which they were written.

    Returns their numbers, and whether there may be more: some at a time. What follows from it is the caller's to do,
    in this transaction.
    """
    await alone(tx, author_id)
    rows = await tx.all(
        select(held_post.c.post_id, _has(WAITING).label("waiting"))
        .where(held_post.c.author_id == author_id, ~_has(FAILED))
        .order_by(held_post.c.post_id)
        .limit(AT_ONCE)
    )
    gone: list[int] = []
    for row in rows:
        if row.waiting:
            return gone, False
        if await _publish(tx, row.post_id, author_id, addresses):
            gone.append(row.post_id)
    return gone, len(rows) == AT_ONCE


async def _publish(tx: Transaction, post_id: int, author_id: int, addresses: Addresses) -> bool:
    # Whoever edits or deletes it at this moment is waited for; what they wrote is read after that.
    found = await read.own(tx, post_id, author_id, gone=True)
    held = await tx.first(delete(held_post).where(held_post.c.post_id == post_id).returning(held_post))
    if held is None or found.deleted_at is not None:
        return False
    media = await tx.all(select(medium).where(medium.c.post_id == post_id).order_by(medium.c.place))
    attached = [attachment(from_row(each), addresses) for each in media]
    await tx.execute(update(post).where(post.c.id == post_id).values(audience=held.audience, attachments=attached))
    await name_in(tx, post_id, held.named)
    return True


async def of_posts(tx: Transaction, posts: Collection[read.Post]) -> dict[int, Held]:
    """Of those of these posts that wait: for whom they will be, and why they stay."""
    numbers = [each.id for each in posts if each.audience == HELD]
    if not numbers:
        return {}
    rows = await tx.all(select(held_post).where(held_post.c.post_id.in_(numbers)))
    failed = await tx.all(
        select(medium.c.post_id, medium.c.why)
        .where(medium.c.post_id.in_(numbers), medium.c.state == FAILED)
        .order_by(medium.c.post_id, medium.c.place.desc())
    )
    whys = {row.post_id: row.why for row in failed}
    return {row.post_id: Held(row.audience, whys.get(row.post_id, "")) for row in rows}
