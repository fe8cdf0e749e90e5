"""How much is kept of jobs that have ended, beside the seven days of which the reaper takes care."""

from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.jobs.job import DONE
from privapub.jobs.tables import job

MOST = 2_000_000


async def prune(tx: Transaction, now: float, *, scope: str = "") -> int:  # noqa: ARG001 - as in every room
    """Drop the oldest of very many that ended well and whose key nobody compares with; returns how many."""
    which = job.c.scope == scope, job.c.finished_at.is_not(None), job.c.state == DONE, job.c.dedupe_key.is_(None)
    return await keep_newest(tx, job, job.c.finished_at, MOST, *which)
