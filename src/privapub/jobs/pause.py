"""Holding back what a backup left unfinished, until the operator lets it go on.

A restored copy must not talk to the world unasked: its original may still run. What was unfinished is `paused`, outside
what leasing looks at, and still in its place: nothing overtakes it, and no twin of it is queued. What was blocked is
paused too, so that the end of what it waited for (cancelled, or given up after its time) sends nothing out.
"""

from collections.abc import Collection

from sqlalchemy import func, select

from privapub.database.transaction import Transaction
from privapub.jobs.job import PAUSED, topic
from privapub.jobs.settle import settling
from privapub.jobs.tables import job as table

_c = table.c
# A lease that was held when the copy was made is nobody's now: it gives its attempt back.
_PAUSE = """
UPDATE job SET state = 'paused', attempt = CASE WHEN state = 'leased' AND attempt > 0 THEN attempt - 1 ELSE attempt END,
    stamp = NULL, lease_until = NULL
  WHERE finished_at IS NULL AND kind NOT IN ({kinds})"""
_LANES = "UPDATE lane SET next_at = NULL WHERE next_at IS NOT NULL AND kind NOT IN ({kinds})"
_WAITS = """
EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
  AND p.finished_at IS NULL AND p.id < job.id)
OR (job.twin AND EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.dedupe_key = job.dedupe_key
  AND p.finished_at IS NULL AND NOT p.twin))"""
_RESUME = f"""
UPDATE job SET state = CASE WHEN {_WAITS} THEN 'blocked' ELSE 'waiting' END, twin = twin AND ({_WAITS})
  WHERE scope = {{p1}} AND state = 'paused' AND ({{p2}} IS NULL OR kind = {{p2}})"""  # noqa: S608 - of fragments above


def statements(except_kinds: Collection[str]) -> tuple[str, ...]:
    """What pauses every unfinished job, in every scope, but those of these kinds; for any schema so far.

    As plain SQL without parameters, for who restores a database and has no `Transaction` on it yet.
    """
    kinds = ", ".join("'" + kind.replace("'", "''") + "'" for kind in sorted(except_kinds)) or "''"
    return _PAUSE.format(kinds=kinds), _LANES.format(kinds=kinds)


async def pause(tx: Transaction, except_kinds: Collection[str] = ()) -> None:
    """Pause every unfinished job, in every scope, but those of these kinds, which stay in the house."""
    for statement in statements(except_kinds):
        await tx.raw(statement)


async def resume(tx: Transaction, kind: str | None = None, *, scope: str = "") -> int:
    """Let the paused jobs (of one kind) go on as they were, each at its time and in its order; how many there were."""
    paused = [_c.scope == scope, _c.state == PAUSED]
    if kind is not None:
        paused.append(_c.kind == kind)
    lanes = await tx.all(
        select(_c.kind, _c.lane, func.min(_c.run_at).label("run_at"), func.count().label("number"))
        .where(*paused)
        .group_by(_c.kind, _c.lane)
    )
    if not lanes:
        return 0
    owed = settling(tx, scope)
    for row in lanes:
        owed.touch(row.kind, row.lane, row.run_at)
    sqlite = tx.dialect == "sqlite"
    await tx.raw(_RESUME.format(p1="?1" if sqlite else "$1", p2="?2" if sqlite else "$2::text"), (scope, kind))
    tx.announce(topic(scope))
    return sum(row.number for row in lanes)


async def count(tx: Transaction, *, scope: str = "") -> int:
    """How many jobs are paused."""
    return int(await tx.scalar(select(func.count()).where(_c.scope == scope, _c.state == PAUSED)))
