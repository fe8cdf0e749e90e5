"""Several processes do everything to one queue at once: no error reaches them, and no job is held twice."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import select

from fakes.crew import Log, gone
from fakes.processes import FORKED
from privapub import clock
from privapub.database.connect import Database
from privapub.jobs import reaper
from privapub.jobs.job import ENDED
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker
from rooms.jobs import racer

STEPS = 4 * int(os.environ.get("PRIVAPUB_TEST_KILLS", "15"))


@dataclass(frozen=True)
class Hold:
    """One lease of one job, from when its process knew of it until it gave it up or somebody cancelled the job."""

    id: int
    lane: str
    pid: int
    begin: float
    end: float


def holds(log: Log) -> list[Hold]:
    """In the order in which they began."""
    ends = {(line.id, line.stamp): line.at for line in log.lines("end")}
    taking = {line.stamp: line.at for line in log.lines("taking")}
    cancelled = {line.stamp: line.at for line in log.lines("cancelled")}
    cancels = defaultdict(list)
    for line in log.lines("cancelling"):
        cancels[line.id].append((line.at, cancelled.get(line.stamp, 0.0)))
    found = []
    for line in log.lines("begin"):
        # A process may come to say that it has a job only after another has cancelled it.
        end = min([ends[line.id, line.stamp], *(at for at, over in cancels[line.id] if over >= taking[line.stamp])])
        if end > line.at:
            found.append(Hold(line.id, line.lane, line.pid, line.at, end))
    return sorted(found, key=lambda hold: hold.begin)


def at_once(found: list[Hold]) -> int:
    """How many of these there were at one time, at most."""
    steps = sorted([(hold.begin, 1) for hold in found] + [(hold.end, -1) for hold in found])
    return max(accumulate(step for _, step in steps))


@pytest.mark.hangs_after(240)
async def test_whatever_processes_do_at_once_no_job_is_held_twice_and_orders_and_limits_hold(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    log = Log(tmp_path / "log")
    count = 3 if database.is_sqlite else 6
    racers = [
        FORKED.Process(target=racer.main, args=(database_url, log.path, seed, STEPS), daemon=True)
        for seed in range(count)
    ]
    try:
        for process in racers:
            process.start()
        with anyio.fail_after(200):
            assert [await gone(process) for process in racers] == [0] * count, "no error reached a caller"
    finally:
        for process in racers:
            process.kill()
    held = holds(log)
    rows = {row.id: row for row in await _rows(database)}
    began = {line.stamp: line.at for line in log.lines("putting")}
    ended = {line.stamp: line.at for line in log.lines("put")}
    for name, found in _apart(held, lambda hold: hold.id).items():
        assert at_once(found) == 1, f"job {name}"
    for name, found in _apart(held, lambda hold: hold.lane).items():
        assert at_once(found) <= racer.RACE.per_lane, name
    for key, found in _apart(held, lambda hold: rows[hold.id].ordering_key).items():
        assert at_once(found) == 1, key
        for one, other in combinations(found, 2):
            assert began[rows[one.id].trigger] <= ended[rows[other.id].trigger], f"{key}: {other.id} was put before"
    assert len({hold.pid for hold in held}) == count, "all took part"
    assert log.lines("left"), "some died"
    await _end(database)
    once = Counter(row.dedupe_key for row in await _rows(database) if row.once_for_ever)
    assert set(once.values()) == {1}


def _apart(held: list[Hold], by: Callable[[Hold], Any]) -> dict[Any, list[Hold]]:
    found = defaultdict(list)
    for hold in held:
        if by(hold) is not None:
            found[by(hold)].append(hold)
    return found


async def _rows(database: Database) -> list[Any]:
    async with database.read() as tx:
        return list(await tx.all(select(table).order_by(table.c.id)))


async def _end(database: Database) -> None:
    """Nothing is forgotten: all that is left comes to its end."""
    for _ in range(6):
        clock.advance(120)
        await reaper.reap(database, racer.KINDS)
        with anyio.fail_after(60):
            await Worker(database, racer.KINDS).drain()
    assert await reaper.repair(database) == 0
    assert {row.state for row in await _rows(database)} <= set(ENDED)
