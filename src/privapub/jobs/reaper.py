"""Bringing back what dead workers held, putting lanes right, giving up what waited too long, forgetting what ended.

None of it is a job: it does not depend on the queue that it repairs, and any number of processes may do it at once.
"""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from privapub.database.connect import Database
from privapub.database.outage import is_outage
from privapub.database.transaction import Transaction
from privapub.jobs.job import BLOCKED, PAUSED, WAITING, WORKER_DIED, GiveUp, Job, from_row, topic
from privapub.jobs.kind import JobKind
from privapub.jobs.moment import moment
from privapub.jobs.outcome import forget_readers, free_waiting, record
from privapub.jobs.settle import OF_LANES, settling

_log = logging.getLogger(__name__)
KEPT = 7 * 86400.0
HELD = (WAITING, BLOCKED, PAUSED)
UNKNOWN_KEPT = 86400.0  # a job that no release here knows waits for the one that put it to come back
AT_ONCE = 500
MANY = 10_000  # rows deleted at a time, after which PostgreSQL shall not wait for its own housekeeping

_ROW = (
    "id, scope, kind, lane, args, state, attempt, trigger, created_at, run_at, lease_until, ordering_key, dedupe_key,"
    " once_for_ever, stamp, attempts"
)
_EXPIRED = (
    f"SELECT {_ROW} FROM job"
    " WHERE scope = {p1} AND state = 'leased' AND lease_until < {p2}"
    " ORDER BY lease_until, id LIMIT {most}"
)
_FIRST = f"SELECT {_ROW} FROM job WHERE id > {{p1}} ORDER BY id LIMIT {AT_ONCE}"
_UNKNOWN_LANES = "SELECT kind, lane FROM lane WHERE scope = {p1} AND kind NOT IN {p2}"
_IN_LANES = (
    f"SELECT {_ROW} FROM job"
    " WHERE scope = {p1} AND (kind, lane) IN {lanes} AND state = 'waiting' AND NOT alone AND run_at < {p3}"
    f" ORDER BY run_at, id LIMIT {AT_ONCE}"
)
_UNKNOWN_ALONE = (
    f"SELECT {_ROW} FROM job WHERE scope = {{p1}} AND state = 'waiting' AND alone AND kind NOT IN {{p2}}"
    f" AND run_at < {{p3}} ORDER BY run_at, id LIMIT {AT_ONCE}"
)
_GIVE_UP = """
UPDATE job SET state = 'failed', why = {why}, finished_at = {now}, alone = false
  WHERE id IN {ids} AND state IN ('waiting', 'blocked', 'paused') RETURNING id"""
_END = """
UPDATE job SET state = 'failed', why = {why}, finished_at = {now}, stamp = NULL, lease_until = NULL, alone = false
  WHERE id IN {ids}"""
_BACK = """
UPDATE job SET state = 'waiting', why = {why}, stamp = NULL, lease_until = NULL, alone = true WHERE id IN {ids}"""
_IDS = {
    "sqlite": "(SELECT value FROM json_each(?))",
    "postgresql": "(SELECT value::bigint FROM json_array_elements_text({p}::text::json))",
}
_PRUNE = (
    "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE scope = {p1} AND finished_at < {p2}"
    " AND finished_at IS NOT NULL ORDER BY finished_at LIMIT 1000)"
)
_STRANDED = """
SELECT kind, lane, oldest FROM (
  SELECT l.kind, l.lane, l.next_at, l.open_until, l.not_before, (
    SELECT j.run_at FROM job j WHERE j.scope = l.scope AND j.kind = l.kind AND j.lane = l.lane
      AND j.state = 'waiting' AND NOT j.alone ORDER BY j.run_at, j.id LIMIT 1) AS oldest
  FROM lane l WHERE l.scope = {p1}) x
WHERE oldest IS NOT NULL
  AND (next_at IS NULL OR (next_at > oldest AND next_at > open_until AND next_at > not_before))"""
# Two questions: one that held for either sort of waiting would find no index.
_FORGOTTEN = """
SELECT j.kind, j.lane, j.ordering_key, j.dedupe_key, j.twin FROM job j
  WHERE j.scope = {p1} AND j.state = 'blocked' AND NOT j.twin AND NOT EXISTS (
    SELECT 1 FROM job p WHERE p.scope = j.scope AND p.ordering_key = j.ordering_key AND p.ordering_key IS NOT NULL
      AND p.finished_at IS NULL AND p.id < j.id)
UNION ALL
SELECT j.kind, j.lane, j.ordering_key, j.dedupe_key, j.twin FROM job j
  WHERE j.scope = {p1} AND j.state = 'blocked' AND j.twin AND NOT EXISTS (
    SELECT 1 FROM job p WHERE p.scope = j.scope AND p.dedupe_key = j.dedupe_key AND p.dedupe_key IS NOT NULL
      AND p.finished_at IS NULL AND NOT p.twin AND NOT p.once_for_ever)
LIMIT 1000"""


async def reap(database: Database, kinds: Mapping[str, JobKind], *, scope: str = "") -> int:
    """Give back every job whose lease has expired, to be leased alone, or end it where its attempts are spent.

    Returns how many there were.
    """
    count = 0
    while True:
        try:
            async with database.write() as tx:
                found = await _reap_some(tx, kinds, scope)
            done = found < AT_ONCE
        except Exception as error:
            if is_outage(error):
                raise
            found = await _reap_one(database, kinds, scope, error)
            done = not found
        count += found
        if done:
            return count


async def _reap_one(database: Database, kinds: Mapping[str, JobKind], scope: str, error: Exception) -> int:
    """One of many cannot be recorded: it shall not keep the others, and ends unrecorded itself."""
    try:
        async with database.write() as tx:
            return await _reap_some(tx, kinds, scope, 1)
    except Exception as again:
        if is_outage(again):
            raise
        _log.error("the end of a job could not be recorded", exc_info=error)
        async with database.write() as tx:
            return await _reap_some(tx, {}, scope, 1)


async def _reap_some(tx: Transaction, kinds: Mapping[str, JobKind], scope: str, most: int = AT_ONCE) -> int:
    now = await moment(tx)
    sqlite = tx.dialect == "sqlite"
    sql = _EXPIRED.format(p1="?", p2="?", most=most) if sqlite else _EXPIRED.format(p1="$1", p2="$2", most=most)
    rows = await tx.raw(sql if sqlite else sql + " FOR UPDATE SKIP LOCKED", (scope, now))
    if not rows:
        return 0
    ended = [row for row in rows if row.attempt >= (row.attempts or 1)]
    back = [row for row in rows if row.attempt < (row.attempts or 1)]
    if back:
        await tx.raw(*_update(tx, _BACK, back, WORKER_DIED))
    if ended:
        await tx.raw(*_update(tx, _END, ended, WORKER_DIED, now))
        jobs = [from_row(row._asdict(), row.stamp, scope) for row in ended]
        for job in jobs:
            free_waiting(tx, job, scope)
        await forget_readers(tx, jobs)
        await record(tx, kinds, [(job, GiveUp(WORKER_DIED)) for job in jobs], now)
    tx.announce(topic(scope))
    return len(rows)


def _update(
    tx: Transaction, statement: str, rows: Sequence[Any], why: str, now: float | None = None
) -> tuple[str, tuple[Any, ...]]:
    """The statement and its values, in the order in which they stand in it."""
    ids = json.dumps([row.id for row in rows])
    values: tuple[Any, ...] = (why, ids) if now is None else (why, now, ids)
    if tx.dialect == "sqlite":
        return statement.format(why="?", now="?", ids=_IDS["sqlite"]), values
    return (
        statement.format(why="$1::text", now="$2::float8", ids=_IDS["postgresql"].format(p=f"${len(values)}")),
        values,
    )


async def give_up_waiting(database: Database, kinds: Mapping[str, JobKind], *, scope: str = "") -> int:
    """End what has waited longer than its kind holds it, and what is due for a day and of no kind known here.

    Returns how many there were.
    """
    async with database.read() as tx:
        now = await moment(tx)
        ended = [
            (row, f"waited for {held / 86400:g} days")
            for row in await _oldest(tx, now - min((k.hold for k in kinds.values() if k.hold), default=now))
            if row.scope == scope and row.kind in kinds
            and (held := kinds[row.kind].hold) and row.created_at < now - held and row.state in HELD
        ] + [
            (row, f"no release here knows jobs of the kind {row.kind!r}")
            for row in await _of_unknown_kinds(tx, kinds, scope, now - UNKNOWN_KEPT)
        ]  # fmt: skip
    for start in range(0, len(ended), AT_ONCE):
        async with database.write() as tx:
            await _give_up(tx, kinds, ended[start : start + AT_ONCE], scope)
    return len(ended)


async def _oldest(tx: Transaction, before: float) -> list[Any]:
    """What was put before that moment: numbers rise with time, so it stands first."""
    found: list[Any] = []
    while True:
        last = found[-1].id if found else 0
        rows = await tx.raw(_FIRST.format(p1="?" if tx.dialect == "sqlite" else "$1"), (last,), long=True)
        found += rows
        if len(rows) < AT_ONCE or all(row.created_at >= before for row in rows):
            return found


async def _of_unknown_kinds(tx: Transaction, kinds: Mapping[str, JobKind], scope: str, due: float) -> list[Any]:
    """What is due since then and of no kind known here."""
    sqlite = tx.dialect == "sqlite"
    known, p1, p3 = json.dumps(sorted(kinds)), "?1" if sqlite else "$1", "?3" if sqlite else "$3::float8"
    names = "(SELECT value FROM json_each(?2))"
    if not sqlite:
        names = "(SELECT value FROM json_array_elements_text($2::text::json))"
    found = list(await tx.raw(_UNKNOWN_ALONE.format(p1=p1, p2=names, p3=p3), (scope, known, due), long=True))
    lanes = await tx.raw(_UNKNOWN_LANES.format(p1=p1, p2=names), (scope, known), long=True)
    if lanes:
        listed = OF_LANES[tx.dialect].replace("(?)", "(?2)")
        names = json.dumps([[row.kind, row.lane] for row in lanes])
        found += await tx.raw(_IN_LANES.format(p1=p1, lanes=listed, p3=p3), (scope, names, due), long=True)
    return found


async def _give_up(tx: Transaction, kinds: Mapping[str, JobKind], ended: Sequence[tuple[Any, str]], scope: str) -> None:
    now = await moment(tx)
    by_reason: dict[str, list[Any]] = {}
    for row, why in ended:
        by_reason.setdefault(why, []).append(row)
    over: list[tuple[Job, GiveUp]] = []
    for why, rows in by_reason.items():
        statement, values = _update(tx, _GIVE_UP, rows, why, now)
        still = {row[0] for row in await tx.raw(statement, values)}
        over += [(from_row(row._asdict(), "", scope), GiveUp(why)) for row in rows if row.id in still]
    for job, _ in over:
        free_waiting(tx, job, scope)
    await forget_readers(tx, [job for job, _ in over])
    await record(tx, kinds, over, now)
    tx.announce(topic(scope))


async def repair(database: Database, *, scope: str = "") -> int:
    """Put right the lanes that hold something due and do not say so, and free what waits for nothing.

    Returns how many there were. It looks in a reading transaction, and writes only where something is wrong.
    """
    async with database.read() as tx:
        p1 = "?1" if tx.dialect == "sqlite" else "$1"
        stranded = await tx.raw(_STRANDED.format(p1=p1), (scope,), long=True)
        forgotten = await tx.raw(_FORGOTTEN.format(p1=p1), (scope,), long=True)
    if not stranded and not forgotten:
        return 0
    async with database.write() as tx:
        owed = settling(tx, scope)
        for row in stranded:
            owed.touch(row.kind, row.lane, row.oldest)
        for row in forgotten:
            owed.touch(row.kind, row.lane, None)
            if row.twin:
                owed.dedupe_keys.add(row.dedupe_key)
            else:
                owed.keep_order(row.lane, row.ordering_key)
        tx.announce(topic(scope))
    return len(stranded) + len(forgotten)


async def prune(database: Database, *, scope: str = "", kept: float = KEPT) -> int:
    """Delete what ended more than `kept` seconds ago, a thousand rows a transaction; how many there were.

    After many of them PostgreSQL's tables are vacuumed at once: a page of an index that a vacuum finds empty is used
    again only after the next one, so that a queue as busy as before would grow until then.
    """
    count = await _delete_ended(database, scope, kept)
    if count >= MANY and not database.is_sqlite:
        async with database.turns.alone() as driver:
            await driver.execute("VACUUM job, lane")
    return count


async def _delete_ended(database: Database, scope: str, kept: float) -> int:
    count = 0
    while True:
        async with database.write() as tx:
            now = await moment(tx)
            p1, p2 = ("?", "?") if tx.dialect == "sqlite" else ("$1", "$2")
            rows = await tx.raw(_PRUNE.format(p1=p1, p2=p2) + " RETURNING id", (scope, now - kept), long=True)
        count += len(rows)
        if len(rows) < 1000:
            return count
