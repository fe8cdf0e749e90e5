"""Holding back what a backup left unfinished, until the operator lets it go on.

A restored copy must not talk to the world unasked: its original may still run. What was unfinished is `paused`, outside
what leasing looks at, and still in its place: nothing overtakes it, and no twin of it is queued. What was blocked is
paused too, so that the end of what it waited for (cancelled, or given up after its time) sends nothing out.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import func, select

from privapub.database.transaction import Transaction
from privapub.jobs.job import PAUSED, topic
from privapub.jobs.settle import settling
from privapub.jobs.tables import job as table

AT_ONCE = 10_000
_c = table.c
# A lease that was held when the copy was made is nobody's now: it gives its attempt back. And since the copy was made,
# its original may have sent what waits here: a Delete may not take it for unsent.
_PAUSE = """
UPDATE job SET state = 'paused', attempt = CASE WHEN state = 'leased' AND attempt > 0 THEN attempt - 1 ELSE attempt END,
    stamp = NULL, lease_until = NULL, first_leased_at = coalesce(first_leased_at, created_at)
  WHERE finished_at IS NULL AND kind NOT IN ({kinds})"""
_LANES = "UPDATE lane SET next_at = NULL WHERE next_at IS NOT NULL AND kind NOT IN ({kinds})"
_WAITS = """
EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
  AND p.finished_at IS NULL AND p.id < job.id)
OR (job.twin AND EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.dedupe_key = job.dedupe_key
  AND p.finished_at IS NULL AND NOT p.twin))"""
_RESUME = f"""
UPDATE job SET state = CASE WHEN {_WAITS} THEN 'blocked' ELSE 'waiting' END, twin = twin AND ({_WAITS})
  WHERE id IN (SELECT id FROM job WHERE scope = {{p1}} AND state = 'paused' AND ({{p2}} IS NULL OR kind = {{p2}})
    ORDER BY id LIMIT {AT_ONCE}) AND state = 'paused'
  RETURNING kind, lane, run_at"""  # noqa: S608 - of fragments above


def statements(except_kinds: Collection[str]) -> tuple[str, ...]:
    """What pauses every unfinished job, in every scope, but those of these kinds; for any schema so far.

    As plain SQL without parameters, for who restores a database and has no `Transaction` on it yet.
    """
    kinds = ", ".join("'" + kind.replace("'", "''") + "'" for kind in sorted(except_kinds)) or "''"
    return _PAUSE.format(kinds=kinds), _LANES.format(kinds=kinds)


async def resume(tx: Transaction, kind: str | None = None, *, scope: str = "") -> int:
    """Let paused jobs (of one kind) go on as they were, each at its time and in its order.

    So many as one transaction holds without keeping others waiting for long, the oldest first; how many there were. To
    be called again until there are none.
    """
    sqlite = tx.dialect == "sqlite"
    sql = _RESUME.format(p1="?1" if sqlite else "$1", p2="?2" if sqlite else "$2::text")
    rows = await tx.raw(sql, (scope, kind), long=True)
    owed = settling(tx, scope)
    for name, lane, run_at in rows:
        owed.touch(name, lane, run_at)
    if rows:
        tx.announce(topic(scope))
    return len(rows)


async def count(tx: Transaction, *, lane: str | None = None, scope: str = "") -> int:
    """How many jobs are paused (in one lane). No index helps: this looks at the whole table."""
    where = (*_paused(scope), *(() if lane is None else (_c.lane == lane,)))
    return int(await tx.scalar(select(func.count()).where(*where)))


async def by_kind(tx: Transaction, *, scope: str = "") -> dict[str, int]:
    """How many jobs of each kind are paused, by the kind's name; as costly as `count`."""
    found = select(_c.kind, func.count().label("number")).where(*_paused(scope)).group_by(_c.kind).order_by(_c.kind)
    return {row.kind: row.number for row in await tx.all(found)}


def _paused(scope: str) -> tuple[Any, ...]:
    return _c.scope == scope, _c.state == PAUSED
