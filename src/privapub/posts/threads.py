"""Threads: what is known of one, and asking for the rest of it.

Reading the rest is a job of the kind `context` (`federation.threads`). One row for each thread says when it was last
asked for, so that however many look at it or answer in it, its servers are asked once an hour at most.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Double, Executable, and_, bindparam, delete, func, literal, select

from privapub import scope
from privapub.actors.standing import is_blocked
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction, insert_into
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job as job_table
from privapub.posts.read import PUBLIC, UNLISTED, Post, from_row
from privapub.posts.tables import post, thread

CONTEXT = "context"  # the kind of the job, and its lane
AT_MOST_EVERY = 3600.0  # seconds
# A thread that still grew when it was last read is read again after each of these, and then no more.
AGAIN_AFTER = (900.0, 3600.0, 6 * 3600.0, 24 * 3600.0)
KEPT = 7 * 86400.0
MOST_KEPT = 100_000
_DEEPEST = 500
_OPEN = (PUBLIC, UNLISTED)
_c = post.c


@dataclass(frozen=True)
class Known:
    """What is held of one post of a thread: enough to go on from it."""

    id: int
    uri: str
    local: bool
    in_reply_to: str | None
    context: str | None
    replies: str | None


@dataclass(frozen=True)
class Reading:
    """Whether the reading of a thread is over, and how many posts the last one found."""

    found: int
    over: bool


async def look(tx: Transaction, found: Post, now: float) -> bool:
    """A reader looks at a post: ask for the rest of its thread, unless that was done within the hour.

    Nothing but a count remains of what is fetched for a reader. A thread that is not for everyone is not asked for.
    """
    if found.audience not in _OPEN or found.deleted_at is not None:
        return False
    return await ask(tx, await root_of(tx, found), now, trigger=scope.READER)


async def answered(tx: Transaction, in_reply_to: str | None, audience: str, now: float) -> bool:
    """A post for this audience came in: ask for its thread if it answers a post that we do not have."""
    if in_reply_to is None or audience not in _OPEN or await known(tx, [in_reply_to]):
        return False
    return await ask(tx, in_reply_to, now)


async def ask(tx: Transaction, root: str, now: float, *, trigger: str = "") -> bool:
    """Queue the reading of a thread, by the uri of its first post as far as that is known; once an hour at most."""
    if await tx.first(_asking(tx.dialect), root=root, asked_at=now, long_ago=now - AT_MOST_EVERY) is None:
        return False
    await put(tx, [job(root, 0, trigger=trigger)])
    return True


@cache
def _asking(dialect: str) -> Executable:
    statement = insert_into(thread, dialect)
    asking: Executable = statement.on_conflict_do_update(
        index_elements=[thread.c.root],
        set_={"asked_at": statement.excluded.asked_at},
        where=thread.c.asked_at <= bindparam("long_ago", type_=Double),
    ).returning(thread.c.root)
    return asking


def job(root: str, again: int, *, run_at: float | None = None, trigger: str = "") -> NewJob:
    """The job that reads a thread; `again` counts how often it was read before because it grew."""
    return NewJob(
        CONTEXT,
        CONTEXT,
        {"root": root, "again": again},
        run_at=run_at,
        dedupe_key=f"{CONTEXT} {root}",
        trigger=trigger,
        unique_while_waiting=True,
    )


async def was_read(tx: Transaction, root: str, first: str, found: int, again: int, now: float, *, trigger: str) -> None:
    """A thread was read, and `found` posts were new; `first` is its first post as it turned out.

    While it grows it is read again a few times, ever later; but never because somebody looked at it once.
    """
    for uri in sorted({root, first}):
        statement = tx.insert(thread).values(root=uri, asked_at=now, read_at=now, found=found)
        await tx.execute(
            statement.on_conflict_do_update(
                index_elements=[thread.c.root],
                set_={name: statement.excluded[name] for name in ("asked_at", "read_at", "found")},
            )
        )
    if found and trigger != scope.READER and again < len(AGAIN_AFTER):
        await put(tx, [job(first, again + 1, run_at=now + AGAIN_AFTER[again], trigger=trigger)])


async def root_of(tx: Transaction, found: Post) -> str:
    """The uri of the first post of a thread, as far as it is known: it may be one that we do not have."""
    up = (
        select(_c.id, _c.uri, _c.in_reply_to, _c.in_reply_to_id, literal(0).label("height"))
        .where(_c.id == found.id)
        .cte("up", recursive=True)
    )
    above = select(_c.id, _c.uri, _c.in_reply_to, _c.in_reply_to_id, up.c.height + 1)
    up = up.union_all(above.where(_c.id == up.c.in_reply_to_id, up.c.height < _DEEPEST))
    top = await tx.first(select(up.c.uri, up.c.in_reply_to).order_by(up.c.height.desc()).limit(1))
    return found.uri if top is None else str(top.in_reply_to or top.uri)


async def known(tx: Transaction, uris: Collection[str]) -> dict[str, Known]:
    """Those of these posts that we have, tombstones too."""
    rows = await tx.all(_OF_URIS, uris=sorted(set(uris))) if uris else ()
    return {row.uri: _to_known(row) for row in rows}


async def answers_to(tx: Transaction, post_id: int, limit: int) -> list[Known]:
    """What answers a post directly, the oldest first."""
    rows = await tx.all(_KNOWN.where(_c.in_reply_to_id == post_id).order_by(_c.id).limit(limit))
    return [_to_known(row) for row in rows]


async def answers_to_uri(tx: Transaction, uri: str, limit: int) -> list[Known]:
    """The same of a post that we do not have."""
    rows = await tx.all(_KNOWN.where(_c.in_reply_to == uri).order_by(_c.id).limit(limit))
    return [_to_known(row) for row in rows]


async def replies(
    tx: Transaction,
    post_id: int,
    *,
    after: int | None,
    limit: int,
    audiences: Sequence[str] = _OPEN,
    among: ColumnElement[bool] | None = None,
) -> list[Post]:
    """What answers a post directly and is not deleted, the oldest first, from behind the one numbered `after`.

    `among` is a condition on posts. Whoever shows them asks `audience`.
    """
    statement = select(post).where(_c.in_reply_to_id == post_id, _alive(audiences))
    return await _page(tx, statement if among is None else statement.where(among), after, limit)


async def count_replies(tx: Transaction, post_id: int) -> int:
    """How many posts for everyone answer this one directly."""
    number: int = await tx.scalar(
        select(func.count()).select_from(post).where(_c.in_reply_to_id == post_id, _alive(_OPEN))
    )
    return number


async def below(
    tx: Transaction,
    post_id: int,
    *,
    after: int | None,
    limit: int,
    audiences: Sequence[str] = _OPEN,
    among: ColumnElement[bool] | None = None,
) -> list[Post]:
    """A post and all that answers it, however indirectly, as in `replies`."""
    statement = select(post).where(_c.id.in_(_below(post_id)), _alive(audiences))
    return await _page(tx, statement if among is None else statement.where(among), after, limit)


async def count_below(tx: Transaction, post_id: int) -> int:
    """How many posts for everyone a thread has, its first one counted."""
    statement = select(func.count()).select_from(post).where(_c.id.in_(_below(post_id)), _alive(_OPEN))
    number: int = await tx.scalar(statement)
    return number


async def above(tx: Transaction, post_id: int, limit: int) -> list[Post]:
    """What a post answers, and what that answers, up to the first that is known; the first one first.

    Whoever shows them asks `audience`.
    """
    up = select(_c.id, _c.in_reply_to_id, literal(0).label("height")).where(_c.id == post_id).cte("up", recursive=True)
    further = select(_c.id, _c.in_reply_to_id, up.c.height + 1)
    up = up.union_all(further.where(_c.id == up.c.in_reply_to_id, up.c.height < limit))
    rows = await tx.all(select(post, up.c.height).join(up, up.c.id == _c.id).where(up.c.height > 0))
    highest_first = {row.id: row for row in sorted(rows, key=lambda row: -row.height)}
    return [from_row(row) for row in highest_first.values()]


async def reading(tx: Transaction, root: str) -> Reading | None:
    """How far the reading of a thread is; None where it was not asked for."""
    row = await tx.first(select(thread).where(thread.c.root == root))
    if row is None:
        return None
    waits = select(job_table.c.id).where(
        job_table.c.dedupe_key == f"{CONTEXT} {root}", job_table.c.finished_at.is_(None)
    )
    return Reading(row.found, over=await tx.first(waits.limit(1)) is None)


async def prune(tx: Transaction, now: float) -> int:
    """Forget threads that nobody asked for within a week, and of very many the oldest; returns how many."""
    old = (await tx.execute(delete(thread).where(thread.c.asked_at < now - KEPT))).rowcount
    return old + await keep_newest(tx, thread, thread.c.asked_at, MOST_KEPT)


def _below(post_id: int) -> Any:
    """The numbers of a post and of all below it; a circle of answers ends where it began."""
    down = select(_c.id).where(_c.id == post_id).cte("down", recursive=True)
    down = down.union(select(_c.id).where(_c.in_reply_to_id == down.c.id))
    return select(down.c.id)


def _alive(audiences: Sequence[str]) -> Any:
    return and_(_c.audience.in_(audiences), _c.deleted_at.is_(None), ~is_blocked(_c.author_id))


async def _page(tx: Transaction, statement: Any, after: int | None, limit: int) -> list[Post]:
    if after is not None:
        statement = statement.where(_c.id > after)
    return [from_row(row) for row in await tx.all(statement.order_by(_c.id).limit(limit))]


def _to_known(row: Any) -> Known:
    return Known(row.id, row.uri, row.local, row.in_reply_to, row.context, row.replies)


_KNOWN = select(_c.id, _c.uri, _c.local, _c.in_reply_to, _c.context, _c.replies)
_OF_URIS = _KNOWN.where(_c.uri.in_(bindparam("uris", expanding=True)))
