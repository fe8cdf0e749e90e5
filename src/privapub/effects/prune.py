"""What is kept for a time goes when the time is over: a job that puts its own next run."""

from typing import Any

from privapub.actors import mutes
from privapub.database.transaction import Transaction
from privapub.effects.forget import forget
from privapub.federation.delivery import deliver
from privapub.federation.fetching import scheme
from privapub.federation.inbox import store
from privapub.jobs import ended, hosts
from privapub.jobs.enqueue import put
from privapub.jobs.job import Job, NewJob
from privapub.moderation import reports
from privapub.notifications import read as notifications
from privapub.posts import threads, tombstones
from privapub.telemetry import prune as telemetry

PRUNE = "prune"
EVERY = 3600.0


async def plan(tx: Transaction, run_at: float | None = None) -> None:
    """See that a run is waiting: called at start, and by each run for the next one."""
    await put(tx, [NewJob(PRUNE, PRUNE, run_at=run_at, dedupe_key=PRUNE, unique_while_waiting=True)])


async def prune(tx: Transaction, _job: Job, _fetched: Any, now: float) -> None:
    """Each room knows how long its rows live."""
    more = await forget(tx, now)
    for room in (telemetry, deliver, scheme, store, tombstones, threads, notifications, mutes, reports, hosts, ended):
        await room.prune(tx, now)
    await plan(tx, now if more else now + EVERY)
