"""Holding back what a backup left unfinished, until the operator lets it go on.

A restored copy must not talk to the world unasked: its original may still run. What was waiting or running is
`paused`: unfinished, so that nothing takes its place or overtakes it, and outside what leasing looks at. What is
blocked stays so, behind what is paused.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Row, and_, func, or_, select, update

from privapub.database.transaction import Transaction
from privapub.jobs.job import BLOCKED, PAUSED, WAITING, topic
from privapub.jobs.settle import settling
from privapub.jobs.tables import job as table

_c = table.c
# A lease that was held when the copy was made is nobody's now: it gives its attempt back.
_PAUSE = """
UPDATE job SET state = 'paused', attempt = CASE WHEN state = 'leased' AND attempt > 0 THEN attempt - 1 ELSE attempt END,
    stamp = NULL, lease_until = NULL
  WHERE state IN ('waiting', 'leased') AND kind NOT IN ({kinds})"""
_LANES = "UPDATE lane SET next_at = NULL WHERE next_at IS NOT NULL AND kind NOT IN ({kinds})"


def statements(except_kinds: Collection[str]) -> tuple[str, ...]:
    """What pauses every job that waits or runs, in every scope, but those of these kinds; for any schema so far.

    As plain SQL without parameters, for who restores a database and has no `Transaction` on it yet.
    """
    kinds = ", ".join("'" + kind.replace("'", "''") + "'" for kind in sorted(except_kinds)) or "''"
    return _PAUSE.format(kinds=kinds), _LANES.format(kinds=kinds)


async def pause(tx: Transaction, except_kinds: Collection[str] = ()) -> None:
    """Pause every job that waits or runs, in every scope, but those of these kinds, which stay in the house."""
    for statement in statements(except_kinds):
        await tx.raw(statement)


async def resume(tx: Transaction, kind: str | None = None, *, scope: str = "") -> int:
    """Let the paused jobs (of one kind) wait again, each for the time it had; how many there were."""
    paused = [_c.scope == scope, _c.state == PAUSED]
    if kind is not None:
        paused.append(_c.kind == kind)
    lanes = await tx.all(
        select(_c.kind, _c.lane, func.min(_c.run_at).label("run_at")).where(*paused).group_by(_c.kind, _c.lane)
    )
    if not lanes:
        return 0
    owed = settling(tx, scope)
    for row in lanes:
        owed.touch(row.kind, row.lane, row.run_at)
    changed = await tx.execute(update(table).where(*paused).values(state=WAITING))
    tx.announce(topic(scope))
    return changed.rowcount


async def count(tx: Transaction, *, scope: str = "") -> int:
    """How many jobs are paused."""
    return int(await tx.scalar(select(func.count()).where(_c.scope == scope, _c.state == PAUSED)))


async def hand_on(tx: Transaction, ended: Row[Any]) -> None:
    """What was blocked behind a paused job that is cancelled is paused in its stead: it must not go out unasked."""
    behind = []
    if ended.ordering_key is not None:
        next_one = select(func.min(_c.id)).where(
            _c.scope == ended.scope, _c.ordering_key == ended.ordering_key, _c.finished_at.is_(None), _c.id > ended.id
        )
        behind.append(_c.id == next_one.scalar_subquery())
    if ended.dedupe_key is not None:
        behind.append(and_(_c.scope == ended.scope, _c.dedupe_key == ended.dedupe_key, _c.twin))
    if behind:
        await tx.execute(update(table).where(_c.state == BLOCKED, or_(*behind)).values(state=PAUSED, twin=False))
