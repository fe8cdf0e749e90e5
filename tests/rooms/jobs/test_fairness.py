"""Who gets the places of a process: hosts that fail, hosts that are slow, and kinds with a backlog."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
from sqlalchemy import insert

from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.tables import lane as lanes
from privapub.jobs.worker import Worker


@dataclass
class Held:
    """A handler that keeps its jobs until it is told to let them go, and says who is there."""

    here: dict[int, str] = field(default_factory=dict)
    came: Counter[str] = field(default_factory=Counter)
    most: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    quick: tuple[str, ...] = ()

    async def __call__(self, job: Job) -> Outcome:
        self.here[job.id] = job.lane
        self.came[job.lane] += 1
        self.most = max(self.most, len(self.here))
        self.changed.set()
        if job.lane not in self.quick:
            await self.gate.wait()
        del self.here[job.id]
        self.changed.set()
        return Done(heard=True)

    async def until(self, *lanes: str) -> None:
        """Wait until just these are here."""
        with anyio.fail_after(60):
            while sorted(self.here.values()) != sorted(lanes):
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def working(database: Database, *kinds: JobKind):  # noqa: ANN201 - a context manager
    worker = Worker(database, {kind.name: kind for kind in kinds}, grace=0.0)
    task = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        worker.stop()
        await task


async def failing(database: Database, *names: str) -> None:
    async with database.write() as tx:
        await tx.execute(insert(lanes), [{"kind": "send", "lane": name, "fails": 1} for name in names])


async def send(database: Database, *names: str, kind: str = "send") -> None:
    async with database.write() as tx:
        await put(tx, [NewJob(kind, name) for name in names])


async def test_hosts_that_fail_share_two_of_the_places_however_many_they_are(database: Database) -> None:
    held = Held()
    dying = [f"host:dying{n}.example" for n in range(20)]
    await failing(database, *dying)
    await send(database, *dying)
    kind = JobKind("send", fetch=held, at_once=8, per_lane=2, breaker=True, failing_at_once=2)
    async with working(database, kind):
        with anyio.fail_after(60):
            while len(held.here) < 2:
                held.changed.clear()
                await held.changed.wait()
        both = sorted(held.here.values())
        well = [f"host:well{n}.example" for n in range(6)]
        await send(database, *well)
        await held.until(*both, *well)
        assert set(both) < set(dying)
        assert held.most == 8


@pytest.mark.parametrize("aside", [3, 0])
async def test_who_has_no_answer_for_a_while_steps_aside_for_another(database: Database, aside: int) -> None:
    held = Held()
    kind = JobKind(
        "send", fetch=held, at_once=2, per_lane=1, breaker=True, aside_after=0.05, aside_at_once=aside
    )  # fmt: skip
    names = [f"host:slow{n}.example" for n in range(9)]
    await send(database, *names, names[0])
    async with working(database, kind):
        with anyio.fail_after(60):
            while len(held.here) < 2 + aside:
                held.changed.clear()
                await held.changed.wait()
        await anyio.sleep(0.2)  # four times as long as the first ones waited: if more could step aside, they would
        assert len(held.here) == held.most == 2 + aside
        assert max(Counter(held.here.values()).values()) == 1, "it keeps its place at the host"
        held.gate.set()
        await held.until()
    assert held.most <= 2 + aside


async def test_one_that_fails_does_not_step_aside(database: Database) -> None:
    held = Held(quick=("host:well.example",))
    dying = [f"host:dying{n}.example" for n in range(4)]
    await failing(database, *dying)
    await send(database, *dying)
    kind = JobKind(
        "send", fetch=held, at_once=3, per_lane=1, breaker=True, failing_at_once=1, aside_after=0.01, aside_at_once=8
    )
    async with working(database, kind):
        for _ in range(5):
            await send(database, "host:well.example")
        with anyio.fail_after(60):
            while held.came["host:well.example"] < 5:
                held.changed.clear()
                await held.changed.wait()
        await anyio.sleep(0.1)  # ten times as long as it takes to step aside
        assert len(held.here) == 1
    assert held.most <= 2


async def test_a_backlog_of_one_kind_does_not_keep_another_waiting(database: Database) -> None:
    held, seen = Held(), asyncio.Event()

    async def other(_job: Job) -> Outcome:
        seen.set()
        return Done()

    await send(database, *(f"lane{n}" for n in range(200)))
    async with working(database, JobKind("send", fetch=held, at_once=4), JobKind("other", fetch=other)):
        with anyio.fail_after(60):
            while len(held.here) < 4:
                held.changed.clear()
                await held.changed.wait()
            await send(database, "alone", kind="other")
            await seen.wait()
