"""Taking jobs, keeping them, and giving them back.

On SQLite a lease is a few small statements in one `BEGIN IMMEDIATE`, run in one visit to the writer's thread; on
PostgreSQL it is one call of `privapub_lease`.
"""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import heapq
import itertools
import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs.job import Job, from_row, topic
from privapub.jobs.kind import JobKind
from privapub.jobs.moment import moment
from privapub.jobs.settle import settling

_RETURNED = (
    "id, kind, lane, args, attempt, trigger, created_at, run_at, lease_until, ordering_key, dedupe_key, once_for_ever"
)
_RUNNING = (
    "(SELECT count(*) FROM job r WHERE r.scope = ?1 AND r.kind = ?2 AND r.lane = l.lane"
    " AND r.state = 'leased' AND r.lease_until > ?3)"
)
_DUE = f"""
SELECT l.lane, coalesce(l.cap, ?4) - {_RUNNING} AS room, l.fails > 0, l.quarantine > 0 FROM lane l
  WHERE l.scope = ?1 AND l.kind = ?2 AND l.next_at <= ?3 AND l.fails %s AND room > 0 ORDER BY l.next_at LIMIT ?5"""
# Those that fail are looked for apart: however many of them are due, they hide no healthy one.
_HEALTHY_DUE, _FAILING_DUE = _DUE % "= 0", _DUE % "> 0"
_OLDEST = """
SELECT run_at, id, ?5, ?6 FROM job WHERE scope = ?1 AND kind = ?2 AND lane = ?4 AND state = 'waiting' AND NOT alone
  AND run_at <= ?3 AND (run_at, id) > (?7, ?8) ORDER BY run_at, id LIMIT ?9"""
_ALONE = """
SELECT j.id, j.kind, l.fails > 0, l.quarantine > 0
  FROM job j JOIN lane l ON l.scope = j.scope AND l.kind = j.kind AND l.lane = j.lane
  WHERE j.scope = ?1 AND j.state = 'waiting' AND j.alone AND j.run_at <= ?2
    AND l.open_until <= ?2 AND l.not_before <= ?2 ORDER BY j.run_at, j.id"""
_ROOM = (
    "SELECT coalesce(l.cap, ?4) - "
    + _RUNNING
    + " FROM job j JOIN lane l"
    + (" ON l.scope = j.scope AND l.kind = j.kind AND l.lane = j.lane WHERE j.id = ?5")
)
_TAKE = f"""
UPDATE job SET state = 'leased', stamp = ?1, lease_until = ?2 + ?3, lease_seconds = ?3, attempt = attempt + 1,
    attempts = ?4, first_leased_at = coalesce(first_leased_at, ?2)
  WHERE id IN (SELECT value FROM json_each(?5)) AND state = 'waiting' RETURNING {_RETURNED}"""
NEXT_AT = """
UPDATE lane SET next_at = (
    SELECT max(j.run_at, lane.open_until, lane.not_before) FROM job j
      WHERE j.scope = lane.scope AND j.kind = lane.kind AND j.lane = lane.lane AND j.state = 'waiting'
        AND NOT j.alone ORDER BY j.run_at, j.id LIMIT 1)
  WHERE scope = ? AND kind = ? AND lane = ?"""
_EARLIEST = (
    "SELECT next_at FROM lane WHERE scope = ? AND kind = ? AND next_at > ? AND fails %s ORDER BY next_at LIMIT 1"
)
_HEALTHY_EARLIEST, _FAILING_EARLIEST = _EARLIEST % "= 0", _EARLIEST % "> 0"

_NORMAL = 1  # of SQLite's degrees of `synchronous`

_HELD = {
    "sqlite": "SELECT e.value->>'id' AS id, e.value->>'stamp' AS stamp FROM json_each({p}) e",
    "postgresql": "SELECT x.id, x.stamp FROM json_to_recordset({p}::text::json) AS x(id bigint, stamp text)",
}


@dataclass(frozen=True)
class Slot:
    """Room for `free` more jobs of a kind in this process, `failing` of them in lanes that fail."""

    kind: JobKind
    free: int
    failing: int = 0


@dataclass(frozen=True)
class Leased:
    """What a lease brought: jobs; when something may next be due; whether a job waits that must run alone."""

    jobs: list[Job] = field(default_factory=list)
    now: float = 0.0
    next_at: float | None = None
    alone_waits: bool = False


async def lease(
    database: Database, slots: Sequence[Slot], stamp: str, *, scope: str = "", alone: bool = False
) -> Leased:
    """Take as many due jobs as there is room for, oldest first, within the limits of their lanes.

    With `alone`, take one of those whose last lease expired, and only that. The stamp must be new.
    """
    slots = sorted(slots, key=lambda slot: slot.kind.name)
    async with database.engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        if database.is_sqlite:
            take = _alone_sqlite if alone else _lease_sqlite
            return await driver._execute(take, driver._conn, slots, stamp, scope, clock.now())  # type: ignore[no-any-return]  # noqa: SLF001 - one visit to the thread of the connection, where the public calls need one a statement
        rows = await driver.fetch(
            "SELECT * FROM privapub_lease($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            scope, stamp, clock.offset(), alone,
            [slot.kind.name for slot in slots], [slot.free for slot in slots],
            [slot.failing for slot in slots],
            [slot.kind.per_lane for slot in slots], [slot.kind.lease for slot in slots],
            [slot.kind.attempts for slot in slots],
        )  # fmt: skip
    seconds = {slot.kind.name: slot.kind.lease for slot in slots}
    jobs = [
        from_row(
            row, stamp, scope,
            leased_at=row["lease_until"] - seconds[row["kind"]], failing=row["failing"], probe=row["probe"],
        )
        for row in rows
        if row["id"] is not None
    ]  # fmt: skip
    if not rows or rows[-1]["id"] is not None:
        return Leased(jobs)
    tail = rows[-1]
    return Leased(jobs, tail["lease_until"], tail["run_at"], bool(tail["attempt"]))


def _lease_sqlite(connection: sqlite3.Connection, slots: Sequence[Slot], stamp: str, scope: str, now: float) -> Leased:
    jobs: list[Job] = []
    # An idle look takes no lock, and what it sees is looked at again under the lock.
    due = [slot for slot in slots if _due_lanes(connection, slot, scope, now)]
    if due:
        with _transaction(connection):
            for slot in due:
                jobs += _take_sqlite(connection, slot, stamp, scope, now)
    times = [
        row[0]
        for slot in slots
        for statement in ((_HEALTHY_EARLIEST, _FAILING_EARLIEST) if slot.kind.breaker else (_HEALTHY_EARLIEST,))
        for row in connection.execute(statement, (scope, slot.kind.name, now)).fetchall()
    ]
    names = {slot.kind.name for slot in slots}
    alone = any(row[1] in names for row in connection.execute(_ALONE, (scope, now)).fetchall())
    return Leased(jobs, now, min(times, default=None), alone)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A lease need not outlive the machine's own fall, where it is as good as expired: it waits for no disk."""
    before = connection.execute("PRAGMA synchronous").fetchone()[0]
    connection.execute(f"PRAGMA synchronous = {min(before, _NORMAL)}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute(f"PRAGMA synchronous = {before}")


def _due_lanes(connection: sqlite3.Connection, slot: Slot, scope: str, now: float) -> list[Any]:
    """Lanes with something due and room for it: the lane, its room, whether it fails, whether it is in quarantine."""
    values = (scope, slot.kind.name, now, slot.kind.per_lane)
    due = connection.execute(_HEALTHY_DUE, (*values, slot.free)).fetchall()
    if slot.kind.breaker and slot.failing > 0:
        due += connection.execute(_FAILING_DUE, (*values, min(slot.free, slot.failing))).fetchall()
    return due


def _take_sqlite(connection: sqlite3.Connection, slot: Slot, stamp: str, scope: str, now: float) -> list[Job]:
    lanes = _due_lanes(connection, slot, scope, now)
    chosen = {
        job_id: (bool(failing), bool(probe))
        for _, job_id, failing, probe in itertools.islice(_oldest(connection, slot, scope, now, lanes), slot.free)
    }
    jobs = _take(connection, slot.kind, chosen, stamp, scope, now)
    connection.executemany(NEXT_AT, [(scope, slot.kind.name, row[0]) for row in lanes])
    return jobs


def _oldest(
    connection: sqlite3.Connection, slot: Slot, scope: str, now: float, lanes: Sequence[Any]
) -> Iterator[tuple[float, int, bool, bool]]:
    """What is to be leased of these lanes, oldest first: the job's time and number, its lane fails, it is a probe."""
    few = slot.free // max(len(lanes), 1) + 1
    failing_left = slot.failing
    of_lanes = (
        _of_lane(connection, (scope, slot.kind.name, now, *row[:1], *row[2:]), min(row[1], slot.free), few)
        for row in lanes
    )
    for row in heapq.merge(*of_lanes):
        if not row[2]:
            yield row
        elif failing_left:
            failing_left -= 1
            yield row


def _of_lane(
    connection: sqlite3.Connection, values: tuple[Any, ...], most: int, few: int
) -> Iterator[tuple[float, int, bool, bool]]:
    """The oldest of one lane; few are read at first, since most lanes give few."""
    last: tuple[float, int] = (-math.inf, 0)
    while most > 0:
        rows = connection.execute(_OLDEST, (*values, *last, min(few, most))).fetchall()
        yield from rows
        if len(rows) < few:
            return
        last, most, few = rows[-1][:2], most - few, few * 4


def _take(
    connection: sqlite3.Connection,
    kind: JobKind,
    chosen: Mapping[int, tuple[bool, bool]],
    stamp: str,
    scope: str,
    now: float,
) -> list[Job]:
    """Lease those of these jobs that wait; of each it is known whether its lane fails, and whether it is a probe."""
    values = (stamp, now, kind.lease, kind.attempts, json.dumps(list(chosen)))
    cursor = connection.execute(_TAKE, values)
    names = [column[0] for column in cursor.description]
    jobs = []
    for row in cursor.fetchall():
        failing, probe = chosen[row[0]]
        fields = dict(zip(names, row, strict=True))
        jobs.append(from_row(fields, stamp, scope, leased_at=now, failing=failing, probe=probe))
    return jobs


def _alone_sqlite(connection: sqlite3.Connection, slots: Sequence[Slot], stamp: str, scope: str, now: float) -> Leased:
    kinds = {slot.kind.name: slot.kind for slot in slots}
    with _transaction(connection):
        for job_id, name, failing, probe in connection.execute(_ALONE, (scope, now)).fetchall():
            kind = kinds.get(name)
            if kind is None:
                continue
            room = connection.execute(_ROOM, (scope, name, now, kind.per_lane, job_id)).fetchone()
            if room and room[0] > 0:
                flags = bool(failing), bool(probe)
                return Leased(_take(connection, kind, {job_id: flags}, stamp, scope, now), now)
    return Leased(now=now)


def held(jobs: Sequence[Job]) -> str:
    """The leases as the statements below read them."""
    return json.dumps([{"id": job.id, "stamp": job.stamp} for job in sorted(jobs, key=lambda job: job.id)])


async def renew(tx: Transaction, jobs: Sequence[Job]) -> set[int]:
    """Lengthen these leases by their full length from now; the ids of those that were still held."""
    if not jobs:
        return set()
    now = await moment(tx)
    sqlite = tx.dialect == "sqlite"
    if not sqlite:  # rows are locked in one order, so that two statements cannot lock each other out
        await tx.raw("SELECT id FROM job WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE", (
            [job.id for job in jobs],
        ))  # fmt: skip
    source = _HELD[tx.dialect].format(p="?1" if sqlite else "$1")
    rows = await tx.raw(
        f"UPDATE job SET lease_until = {'?2' if sqlite else '$2::float8'} + lease_seconds FROM ({source}) AS h"
        " WHERE job.id = h.id AND job.stamp = h.stamp AND job.state = 'leased' RETURNING job.id",
        (held(jobs), now),
    )
    return {row[0] for row in rows}


async def release(tx: Transaction, jobs: Sequence[Job], *, scope: str = "") -> set[int]:
    """Give these jobs back, with the attempt that the lease cost; the ids of those that were still held."""
    if not jobs:
        return set()
    sqlite = tx.dialect == "sqlite"
    source = _HELD[tx.dialect].format(p="?" if sqlite else "$1")
    rows = await tx.raw(
        "UPDATE job SET state = 'waiting', attempt = attempt - 1, stamp = NULL, lease_until = NULL"
        f" FROM ({source}) AS h WHERE job.id = h.id AND job.stamp = h.stamp AND job.state = 'leased'"
        " RETURNING job.id, job.kind, job.lane, job.run_at",
        (held(jobs),),
    )
    owed = settling(tx, scope)
    for _, kind, lane, run_at in rows:
        owed.touch(kind, lane, run_at)
    if rows:
        tx.announce(topic(scope))
    return {row[0] for row in rows}
