"""Taking jobs, keeping them, and giving them back.

On SQLite a lease is a few small statements in one `BEGIN IMMEDIATE`, run in one visit to the writer's thread; on
PostgreSQL it is one call of `privapub_lease`.
"""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import heapq
import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

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
SELECT l.lane, coalesce(l.cap, ?4) - {_RUNNING} AS room, l.fails > 0 AS failing, l.quarantine > 0 AS probe FROM lane l
  WHERE l.scope = ?1 AND l.kind = ?2 AND l.next_at <= ?3 AND l.fails %s AND room > 0 ORDER BY l.next_at LIMIT ?5"""
# Those that fail are looked for apart: however many of them are due, they hide no healthy one.
_HEALTHY_DUE, _FAILING_DUE = _DUE % "= 0", _DUE % "> 0"
_OLDEST = """
SELECT run_at, id FROM job WHERE scope = ?1 AND kind = ?2 AND lane = {lane} AND state = 'waiting' AND NOT alone
  AND run_at <= ?3 ORDER BY run_at, id LIMIT {limit}"""
_MORE = _OLDEST.format(lane="?4", limit="?5 OFFSET ?6")
# What is many rows comes as one, of JSON: between two rows the driver lets go of the interpreter, and has to wait for
# it again wherever the loop is busy.
_HEADS = """
SELECT json_group_array(json_array(d.lane, d.room, d.failing, d.probe, json((
  SELECT json_group_array(json_array(o.run_at, o.id)) FROM ({oldest}) o)))) FROM ({due}) d"""
_HEALTHY_HEADS, _FAILING_HEADS = (
    _HEADS.format(oldest=_OLDEST.format(lane="d.lane", limit="?6"), due=due) for due in (_HEALTHY_DUE, _FAILING_DUE)
)
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
_CHOSEN = f"""
SELECT json_group_array(json_array({_RETURNED})) FROM job
  WHERE id IN (SELECT value FROM json_each(?)) AND state = 'waiting'"""
_TAKE = """
UPDATE job SET state = 'leased', stamp = ?1, lease_until = ?2 + ?3, lease_seconds = ?3, attempt = attempt + 1,
    attempts = ?4, first_leased_at = coalesce(first_leased_at, ?2)
  WHERE id IN (SELECT value FROM json_each(?5)) AND state = 'waiting'"""
NEXT_AT = """
UPDATE lane SET next_at = (
    SELECT max(j.run_at, lane.open_until, lane.not_before) FROM job j
      WHERE j.scope = lane.scope AND j.kind = lane.kind AND j.lane = lane.lane AND j.state = 'waiting'
        AND NOT j.alone ORDER BY j.run_at, j.id LIMIT 1)
  WHERE scope = ? AND kind = ? AND lane IN (SELECT value FROM json_each(?))"""
# Most kinds have nothing due, and there are many: they are passed over in one statement, and one finds the earliest.
_KINDS_DUE = """
SELECT json_group_array(k.value) FROM json_each(?2) k WHERE
  EXISTS (SELECT 1 FROM lane l WHERE l.scope = ?1 AND l.kind = k.value AND l.next_at <= ?3 AND l.fails = 0) OR
  EXISTS (SELECT 1 FROM lane l WHERE l.scope = ?1 AND l.kind = k.value AND l.next_at <= ?3 AND l.fails > 0)"""
_NEXT = (
    "(SELECT l.next_at FROM lane l WHERE l.scope = ?1 AND l.kind = k.value AND l.next_at > ?3 AND l.fails %s"
    " ORDER BY l.next_at LIMIT 1)"
)
_EARLIEST = f"""
SELECT min(at) FROM (SELECT {_NEXT % "= 0"} AS at FROM json_each(?2) k UNION ALL
  SELECT {_NEXT % "> 0"} FROM json_each(?2) k)"""

_NAMES = _RETURNED.split(", ")
FEW = 4  # jobs of a lane that are read at first
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
    if database.is_sqlite:
        take = _alone_sqlite if alone else _lease_sqlite
        async with database.turns.alone() as driver:
            return await driver._execute(take, driver._conn, slots, stamp, scope, clock.now())  # type: ignore[no-any-return]  # noqa: SLF001 - one visit to the thread of the connection, where the public calls need one a statement
    async with database.turns.alone() as driver:
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
    among = (scope, json.dumps([slot.kind.name for slot in slots]), now)
    (text,) = connection.execute(_KINDS_DUE, among).fetchone()
    kinds = set(msgspec.json.decode(text))
    # An idle look takes no lock, and what it sees is looked at again under the lock.
    due = [slot for slot in slots if slot.kind.name in kinds and _is_due(connection, slot, scope, now)]
    if due:
        with _transaction(connection):
            for slot in due:
                jobs += _take_sqlite(connection, slot, stamp, scope, now)
    (earliest,) = connection.execute(_EARLIEST, among).fetchone()
    names = {slot.kind.name for slot in slots}
    alone = any(row[1] in names for row in connection.execute(_ALONE, (scope, now)).fetchall())
    return Leased(jobs, now, earliest, alone)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A lease need not outlive the machine's own fall, where it is as good as expired: it waits for no disk."""
    before = connection.execute("PRAGMA synchronous").fetchone()[0]
    connection.execute(f"PRAGMA synchronous = {min(before, _NORMAL)}")
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute(f"PRAGMA synchronous = {before}")


def _is_due(connection: sqlite3.Connection, slot: Slot, scope: str, now: float) -> bool:
    values = (scope, slot.kind.name, now, slot.kind.per_lane, 1)
    statements = (_HEALTHY_DUE, _FAILING_DUE) if slot.kind.breaker and slot.failing > 0 else (_HEALTHY_DUE,)
    return any(connection.execute(statement, values).fetchone() for statement in statements)


def _take_sqlite(connection: sqlite3.Connection, slot: Slot, stamp: str, scope: str, now: float) -> list[Job]:
    lanes = _due_lanes(connection, slot, scope, now)
    oldest = heapq.merge(*(_of_lane(connection, slot, scope, now, lane) for lane in lanes))
    chosen = {lane_job.id: lane_job for lane_job in itertools.islice(_few_failing(oldest, slot.failing), slot.free)}
    jobs = _take(connection, slot.kind, chosen, stamp, scope, now)
    names = json.dumps([lane.name for lane in lanes])
    connection.execute(NEXT_AT, (scope, slot.kind.name, names))
    return jobs


class _Lane(NamedTuple):
    """A lane with something due: how many of it may be leased, whether it fails, whether it is to be probed."""

    name: str
    room: int
    failing: bool
    probe: bool
    oldest: list[tuple[float, int]]  # some of its jobs


class _LaneJob(NamedTuple):
    """A job that is due, in the order in which it is leased."""

    run_at: float
    id: int
    failing: bool
    probe: bool


def _due_lanes(connection: sqlite3.Connection, slot: Slot, scope: str, now: float) -> list[_Lane]:
    """Lanes with something due and room for it, and some of the oldest of each: most lanes give few."""
    values = (scope, slot.kind.name, now, slot.kind.per_lane)
    (text,) = connection.execute(_HEALTHY_HEADS, (*values, slot.free, FEW)).fetchone()
    lanes = msgspec.json.decode(text)
    if slot.kind.breaker and slot.failing > 0:
        (text,) = connection.execute(_FAILING_HEADS, (*values, min(slot.free, slot.failing), FEW)).fetchone()
        lanes += msgspec.json.decode(text)
    return [_Lane(name, room, bool(failing), bool(probe), oldest) for name, room, failing, probe, oldest in lanes]


def _of_lane(connection: sqlite3.Connection, slot: Slot, scope: str, now: float, lane: _Lane) -> Iterator[_LaneJob]:
    """The oldest of a lane, as many as it has room for; read further as they are asked for."""
    most, few, read = min(lane.room, slot.free), FEW, 0
    rows: Sequence[Any] = lane.oldest[:most]
    while rows:
        for run_at, job_id in rows:
            yield _LaneJob(run_at, job_id, lane.failing, lane.probe)
        read += len(rows)
        more = min(few * 4, most - read)
        if len(rows) < few or more <= 0:
            return
        few *= 4
        rows = connection.execute(_MORE, (scope, slot.kind.name, now, lane.name, more, read)).fetchall()


def _few_failing(oldest: Iterable[_LaneJob], failing: int) -> Iterator[_LaneJob]:
    for job in oldest:
        if not job.failing:
            yield job
        elif failing:
            failing -= 1
            yield job


def _take(
    connection: sqlite3.Connection, kind: JobKind, chosen: Mapping[int, _LaneJob], stamp: str, scope: str, now: float
) -> list[Job]:
    """Lease those of these jobs that wait."""
    ids = json.dumps(list(chosen))
    (text,) = connection.execute(_CHOSEN, (ids,)).fetchone()
    connection.execute(_TAKE, (stamp, now, kind.lease, kind.attempts, ids))
    jobs = []
    for row in msgspec.json.decode(text):
        fields = dict(zip(_NAMES, row, strict=True))
        fields["attempt"] += 1
        fields["lease_until"] = now + kind.lease
        of = chosen[fields["id"]]
        jobs.append(from_row(fields, stamp, scope, leased_at=now, failing=of.failing, probe=of.probe))
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
                chosen = {job_id: _LaneJob(now, job_id, bool(failing), bool(probe))}
                return Leased(_take(connection, kind, chosen, stamp, scope, now), now)
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
