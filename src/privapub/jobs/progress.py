"""How far a long job has come: told by its handler, watched by the operator."""

import logging
import math
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import Row, update

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import is_open_here
from privapub.jobs import read
from privapub.jobs.job import DONE, ENDED, LEASED, Job
from privapub.jobs.tables import job as table

EVERY = 1.0  # seconds between two writes of one job
LOOK_EVERY = 0.5
_NOTE_LENGTH = 200
_log = logging.getLogger(__name__)
_c = table.c
# The leases that wrote within the last second: when (on the monotonic clock), and how far they had come.
_written: dict[tuple[int, str], tuple[float, float]] = {}


async def report(database: Database, job: Job, fraction: float, note: str = "") -> None:
    """Say that a job has come so far (from 0 to 1), in a short sentence; for handlers, from outside of transactions.

    It is written once a second at most, the end (1) always, and only while the lease still holds. It never fails: a job
    that cannot say how far it is goes on. Within a transaction of the handler's own it writes nothing, since nobody
    would see it before the end.
    """
    try:
        fraction = within(fraction)
        if is_open_here() or not _due(job, fraction):
            return
        async with database.write() as tx:
            await tx.execute(
                update(table)
                .where(_c.id == job.id, _c.stamp == job.stamp, _c.state == LEASED)
                .values(progress=fraction, progress_note=plain(note))
            )
    except Exception as error:  # noqa: BLE001 - whatever it is, the work matters more than what is told of it
        _log.warning("could not write how far job %s is: %s", job.id, type(error).__name__)


def _due(job: Job, fraction: float) -> bool:
    """Whether this is to be written; if so, it counts as written."""
    now = clock.monotonic()
    for lease in [lease for lease, (at, _) in _written.items() if at <= now - EVERY]:
        del _written[lease]
    _, before = _written.get((job.id, job.stamp), (0.0, -1.0))
    if before >= 0 and not before < fraction == 1:
        return False
    _written[job.id, job.stamp] = now, fraction
    return True


def within(fraction: float) -> float:
    """A number from 0 to 1, whatever was given. Pure."""
    return 0.0 if math.isnan(fraction) else min(max(float(fraction), 0.0), 1.0)


def plain(note: str) -> str:
    """One short line that every database takes and every terminal shows. Pure."""
    return "".join(letter if letter.isprintable() else " " for letter in note[:_NOTE_LENGTH]).strip()


def how_far(row: Row[Any]) -> float | None:
    """How far a row of `job` says that it is; one that told of it and ended well is at its end. Pure."""
    if row.progress is None:
        return None
    return 1.0 if row.state == DONE else float(row.progress)


async def watch(database: Database, id: int, *, every: float = LOOK_EVERY) -> AsyncIterator[Row[Any]]:  # noqa: A002 - it is the column's name
    """The row of a job now and after each change of its state, attempt or progress, until it has ended.

    It looks every so many seconds. Raises NotFound where there is no such job, or no more.
    """
    seen = None
    while True:
        async with database.read() as tx:
            row = await read.show(tx, id)
        now = (row.state, row.attempt, row.progress, row.progress_note, row.why)
        if now != seen:
            seen = now
            yield row
        if row.state in ENDED:
            return
        await clock.sleep(every)
