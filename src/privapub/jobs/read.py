"""The queue as an operator sees it: looking, trying again, cancelling."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, func, select, update

from privapub.database.transaction import Transaction
from privapub.errors import Conflict, NotFound
from privapub.jobs.job import BLOCKED, CANCELLED, DONE, ENDED, LEASED, PAUSED, WAITING, GiveUp, from_row, topic
from privapub.jobs.kind import JobKind
from privapub.jobs.outcome import forget_readers, free_waiting, record
from privapub.jobs.settle import settling
from privapub.jobs.tables import job as table

_c = table.c


async def list_jobs(
    tx: Transaction,
    kind: str | None = None,
    lane: str | None = None,
    state: str | None = None,
    limit: int = 50,
    *,
    scope: str = "",
) -> Sequence[Row[Any]]:
    """Rows of `job`, the newest first."""
    query = select(table).where(_c.scope == scope).order_by(_c.id.desc()).limit(limit)
    for column, value in ((_c.kind, kind), (_c.lane, lane), (_c.state, state)):
        if value is not None:
            query = query.where(column == value)
    return await tx.all(query)


async def show(tx: Transaction, id: int) -> Row[Any]:  # noqa: A002 - it is the column's name
    """One row of `job`; raises NotFound."""
    row = await tx.first(select(table).where(_c.id == id))
    if row is None:
        raise NotFound(f"There is no job {id}.", "`privapub jobs list` shows those there are.")
    return row


async def counts(tx: Transaction, *, scope: str = "") -> dict[str, dict[str, int]]:
    """How many jobs there are, by kind and state."""
    rows = await tx.all(
        select(_c.kind, _c.state, func.count().label("number"))
        .where(_c.scope == scope)
        .group_by(_c.kind, _c.state)
        .order_by(_c.kind, _c.state)
    )
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row.kind, {})[row.state] = row.number
    return found


async def retry(tx: Transaction, id: int, now: float) -> None:  # noqa: A002 - it is the column's name
    """Queue an ended job once more, with all its attempts.

    Raises Conflict for one that has not ended or ended well, for one after which a later job of its ordering key was
    put (a Create is not brought back after its Delete), and for one whose twin waits already.
    """
    row = await show(tx, id)
    if row.state not in ENDED or row.state == DONE:
        raise Conflict(f"Job {id} is {row.state}: only one that failed or was cancelled can be tried again.")
    if row.ordering_key is not None:
        later = select(_c.id).where(_c.scope == row.scope, _c.ordering_key == row.ordering_key, _c.id > row.id)
        if await tx.first(later.limit(1)) is not None:
            raise Conflict(f"Job {id} was followed by a later one of its order, and must stay as it is.")
    if row.dedupe_key is not None and not row.once_for_ever:
        twin = select(_c.id).where(_c.scope == row.scope, _c.dedupe_key == row.dedupe_key, _c.finished_at.is_(None))
        if await tx.first(twin.limit(1)) is not None:
            raise Conflict(f"Job {id} has been queued anew already.")
    await tx.execute(
        update(table)
        .where(_c.id == id, _c.state == row.state)
        .values(
            state=BLOCKED if row.ordering_key is not None else WAITING,
            attempt=0, run_at=now, finished_at=None, why=None, alone=False, twin=False,
        )
    )  # fmt: skip
    owed = settling(tx, row.scope)
    owed.touch(row.kind, row.lane, now)
    if row.ordering_key is not None:
        owed.ordering_keys.add(row.ordering_key)
    tx.announce(topic(row.scope))


async def cancel(
    tx: Transaction,
    id: int,  # noqa: A002 - it is the column's name
    now: float,
    kinds: Mapping[str, JobKind] | None = None,
) -> None:
    """End a job that has not ended; if it runs, its handler is stopped at the next renewal and its outcome dropped.

    `kinds` lets the job's kind record it. Raises Conflict for one that has ended.
    """
    row = await show(tx, id)
    changed = await tx.execute(
        update(table)
        .where(_c.id == id, _c.state.in_([WAITING, BLOCKED, LEASED, PAUSED]))
        .values(state=CANCELLED, finished_at=now, stamp=None, lease_until=None, alone=False, why="cancelled")
    )
    if not changed.rowcount:
        raise Conflict(f"Job {id} is {row.state} already.")
    found = from_row(row._asdict(), row.stamp or "", row.scope)
    free_waiting(tx, found, row.scope)
    await forget_readers(tx, [found])
    await record(tx, kinds or {}, [(found, GiveUp("cancelled"))], now)
