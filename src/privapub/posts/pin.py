"""Posts that stand first in their author's profile, ours and others': the collection `featured` (Mastodon)."""

from sqlalchemy import delete, func, select

from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.jobs.enqueue import put_fact
from privapub.posts import read
from privapub.posts.facts import PostPinned
from privapub.posts.read import PUBLIC, UNLISTED, Post
from privapub.posts.tables import pin as table
from privapub.posts.tables import post

MOST = 5  # of one persona, as on Mastodon
MOST_ELSEWHERE = 20  # of one remote actor
# What everybody may see anyway: the collection tells nobody more.
PINNED = (PUBLIC, UNLISTED)


async def pin(tx: Transaction, post_id: int, author_id: int, now: float) -> bool:
    """A persona puts a post of its own first; fact PostPinned, and True where it did not stand there yet.

    Raises NotFound where there is no such post of this author, InvalidInput for one that is not public or unlisted and
    for more than five.
    """
    known = await read.own(tx, post_id, author_id)
    if known.audience not in PINNED:
        raise InvalidInput("Only a public or unlisted post can be pinned.", "Whoever opens a profile sees what is.")
    if post_id in {each.id for each in await pinned(tx, author_id)}:
        return False
    if await _count(tx, author_id) >= MOST:
        raise InvalidInput(f"{MOST} posts are pinned already.", "Take one of them off first.")
    if not await _add(tx, post_id, author_id, now):
        return False
    await put_fact(tx, PostPinned(post_id, pinned=True), about=f"pin {post_id}")
    return True


async def unpin(tx: Transaction, post_id: int, author_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona takes a post off again; fact PostPinned, and True where it stood there.

    Raises NotFound where there is no such post of this author.
    """
    await read.own(tx, post_id, author_id)
    if not await _take_off(tx, post_id, author_id):
        return False
    await put_fact(tx, PostPinned(post_id, pinned=False), about=f"pin {post_id}")
    return True


async def pinned_elsewhere(tx: Transaction, post_id: int, author_id: int, now: float) -> bool:
    """A remote actor put a post of theirs first; whether that is kept: not for a stranger's post, nor without end."""
    known = await read.held(tx, post_id)
    if known is None or known.local or known.author_id != author_id or known.deleted_at is not None:
        return False
    if known.audience not in PINNED or await _count(tx, author_id) >= MOST_ELSEWHERE:
        return False
    await _add(tx, post_id, author_id, now)
    return True


async def unpinned_elsewhere(tx: Transaction, post_id: int, author_id: int) -> bool:
    """A remote actor took a post off; False where it did not stand there."""
    return await _take_off(tx, post_id, author_id)


async def pinned(tx: Transaction, author_id: int) -> list[Post]:
    """What stands first in an actor's profile, the last put there first."""
    rows = await tx.all(
        select(post)
        .join(table, table.c.post_id == post.c.id)
        .where(table.c.actor_id == author_id, post.c.deleted_at.is_(None))
        .order_by(table.c.at.desc(), post.c.id.desc())
    )
    return await read.with_polls(tx, [read.from_row(row) for row in rows])


async def _count(tx: Transaction, author_id: int) -> int:
    number: int = await tx.scalar(
        select(func.count())
        .select_from(table)
        .join(post, post.c.id == table.c.post_id)
        .where(table.c.actor_id == author_id, post.c.deleted_at.is_(None))
    )
    return number


async def _add(tx: Transaction, post_id: int, author_id: int, now: float) -> bool:
    added = await tx.execute(
        tx.insert(table)
        .values(actor_id=author_id, post_id=post_id, at=now)
        .on_conflict_do_nothing(index_elements=[table.c.actor_id, table.c.post_id])
    )
    return bool(added.rowcount)


async def _take_off(tx: Transaction, post_id: int, author_id: int) -> bool:
    gone = await tx.execute(delete(table).where(table.c.actor_id == author_id, table.c.post_id == post_id))
    return bool(gone.rowcount)
