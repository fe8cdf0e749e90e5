"""Stolen leases, errors, shutdown, waking: what the worker does when things go wrong, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from sqlalchemy import select, update

from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs import read
from privapub.jobs import worker as worker_file
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.moment import moment
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker


async def rows(database: Database) -> list[Any]:
    async with database.read() as tx:
        return list(await tx.all(select(table).order_by(table.c.id)))


async def put_some(database: Database, *kinds: str, lane: str = "work") -> None:
    async with database.write() as tx:
        await put(tx, [NewJob(kind, lane) for kind in kinds])


@asynccontextmanager
async def working(worker: Worker) -> AsyncIterator[None]:
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(worker.run)
            try:
                yield
            finally:
                worker.stop()


async def until(found: Callable[[], Awaitable[bool]]) -> None:
    while not await found():  # noqa: ASYNC110 - it is the database that is looked at
        await asyncio.sleep(0.02)


def states(database: Database, *expected: str) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return [row.state for row in await rows(database)] == list(expected)

    return look


async def test_a_stolen_lease_stops_its_handler_and_its_outcome_changes_nothing(database: Database) -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def endless(_job: Job) -> Outcome:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Done()

    await put_some(database, "work")
    async with working(Worker(database, {"work": JobKind("work", fetch=endless, lease=0.6)})):
        await started.wait()
        async with database.write() as tx:
            await tx.execute(update(table).values(stamp="somebody else's"))
        await stopped.wait()
    (row,) = await rows(database)
    assert (row.state, row.stamp, row.attempt) == ("leased", "somebody else's", 1)


async def test_what_a_writing_handler_wrote_is_undone_when_its_lease_is_gone(database: Database) -> None:
    async def write(tx: Transaction, _job: Job, _fetched: Any, _now: float) -> Outcome:
        await put(tx, [NewJob("effect", "effect")])
        # What another process would do, had it found the lease expired.
        await tx.execute(update(table).where(table.c.kind == "work").values(stamp="somebody else's"))
        return Done()

    await put_some(database, "work")
    with anyio.fail_after(30):
        assert await Worker(database, {"work": JobKind("work", write=write)}).drain() == 1
    assert [row.kind for row in await rows(database)] == ["work"]


async def test_a_cancelled_job_is_stopped_and_recorded(database: Database) -> None:
    started, stopped = asyncio.Event(), asyncio.Event()
    recorded: list[Outcome] = []

    async def endless(_job: Job) -> Outcome:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Done()

    async def record(_tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
        recorded.extend(outcome for _, outcome in ended)

    kinds = {"work": JobKind("work", fetch=endless, lease=0.6, record=record)}
    await put_some(database, "work")
    async with working(Worker(database, kinds)):
        await started.wait()
        async with database.write() as tx:
            await read.cancel(tx, (await rows_of(tx))[0].id, await moment(tx), kinds)
        await stopped.wait()
    assert recorded == [GiveUp("cancelled")]
    assert [row.state for row in await rows(database)] == ["cancelled"]


async def rows_of(tx: Transaction) -> Sequence[Any]:
    return await tx.all(select(table).order_by(table.c.id))


async def test_a_renewal_that_fails_is_no_lost_lease_before_the_lease_ends(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = worker_file.renew, 0

    async def sometimes(tx: Transaction, jobs: Sequence[Job]) -> set[int]:
        nonlocal failures
        if failures < 2:
            failures += 1
            raise OSError("the database is away")
        return await real(tx, jobs)

    async def long(_job: Job) -> Outcome:
        await asyncio.sleep(2.5)
        return Done()

    monkeypatch.setattr(worker_file, "renew", sometimes)
    await put_some(database, "work")
    async with working(Worker(database, {"work": JobKind("work", fetch=long, lease=1.5)})):
        await until(states(database, "done"))
    assert failures == 2
    assert [row.attempt for row in await rows(database)] == [1]


async def test_a_lease_that_cannot_be_renewed_stops_its_handler_at_its_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = asyncio.Event()

    async def never(_tx: Transaction, _jobs: Sequence[Job]) -> set[int]:
        raise OSError("the database is away")

    async def endless(_job: Job) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Done()

    monkeypatch.setattr(worker_file, "renew", never)
    await put_some(database, "work")
    async with working(Worker(database, {"work": JobKind("work", fetch=endless, lease=0.6)})):
        await stopped.wait()
    (row,) = await rows(database)
    assert row.attempt == 1


async def test_a_handler_that_hangs_meets_its_deadline(database: Database) -> None:
    async def endless(_job: Job) -> Outcome:
        await asyncio.Event().wait()
        return Done()

    await put_some(database, "work")
    with anyio.fail_after(30):
        await Worker(database, {"work": JobKind("work", fetch=endless, deadline=0.1)}).drain()
    assert [(row.state, row.why) for row in await rows(database)] == [("waiting", "took longer than 0.1 seconds")]


async def test_stopping_records_what_ends_in_time_and_gives_the_rest_back_with_its_attempt(
    database: Database,
) -> None:
    started = asyncio.Semaphore(0)

    async def short(_job: Job) -> Outcome:
        started.release()
        await asyncio.sleep(0.3)
        return Done()

    async def endless(_job: Job) -> Outcome:
        started.release()
        await asyncio.Event().wait()
        return Done()

    kinds = {"short": JobKind("short", fetch=short), "endless": JobKind("endless", fetch=endless)}
    await put_some(database, "short", "endless", "endless")
    worker = Worker(database, kinds, grace=2)
    async with working(worker):
        for _ in range(3):
            await started.acquire()
        worker.stop()
        # A lease that is under way at this moment is still taken; none is after it.
        await until(states(database, "leased", "leased", "done"))
        await put_some(database, "short")
        await until(states(database, "waiting", "waiting", "done", "waiting"))
    assert [(row.state, row.attempt) for row in await rows(database)] == [
        ("waiting", 0), ("waiting", 0), ("done", 1), ("waiting", 0),
    ]  # fmt: skip


async def test_stopping_twice_ends_the_grace(database: Database) -> None:
    started = asyncio.Event()

    async def endless(_job: Job) -> Outcome:
        started.set()
        await asyncio.Event().wait()
        return Done()

    await put_some(database, "work")
    worker = Worker(database, {"work": JobKind("work", fetch=endless)}, grace=3600)
    async with working(worker):
        await started.wait()
        worker.stop()
    assert [(row.state, row.attempt, row.stamp) for row in await rows(database)] == [("waiting", 0, None)]


async def test_a_worker_that_is_idle_is_woken_by_a_commit_in_its_process(database: Database) -> None:
    ran = asyncio.Event()

    async def work(_job: Job) -> Outcome:
        ran.set()
        return Done()

    worker = Worker(database, {"work": JobKind("work", fetch=work)}, poll=3600)
    async with working(worker):
        await asyncio.sleep(0.3)  # it has looked once and is idle
        await put_some(database, "work")
        await ran.wait()


async def test_a_worker_that_is_idle_is_woken_by_another_process(database: Database, database_url: str) -> None:
    ran = asyncio.Event()

    async def work(_job: Job) -> Outcome:
        ran.set()
        return Done()

    other = Database(database_url)  # its events are not heard by the first: it is as a process of its own
    worker = Worker(database, {"work": JobKind("work", fetch=work)}, poll=3600)
    async with working(worker):
        await worker.hears.wait()
        await put_some(other, "work")
        await ran.wait()
    await other.close()


async def test_a_worker_wakes_when_a_job_becomes_due(database: Database) -> None:
    ran = asyncio.Event()

    async def work(_job: Job) -> Outcome:
        ran.set()
        return Done()

    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", run_at=await moment(tx) + 0.5)])
    async with working(Worker(database, {"work": JobKind("work", fetch=work)}, poll=3600)):
        await ran.wait()


async def test_what_became_of_jobs_is_recorded_in_the_same_transaction(database: Database) -> None:
    recorded: list[tuple[str, Outcome]] = []

    async def work(job: Job) -> Outcome:
        return {"a": Done(), "b": GiveUp("no"), "c": Retry(60, "busy")}[job.args["name"]]

    async def record(tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
        recorded.extend((job.args["name"], outcome) for job, outcome in ended)
        await put(tx, [NewJob("effect", "effect", {"of": job.args["name"]}) for job, _ in ended])

    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", {"name": name}) for name in "abc"])
    with anyio.fail_after(30):
        await Worker(database, {"work": JobKind("work", fetch=work, record=record)}).drain()
    assert sorted(recorded, key=lambda pair: pair[0]) == [
        ("a", Done()), ("b", GiveUp("no")), ("c", Retry(60.0, "busy")),
    ]  # fmt: skip
    assert [row.kind for row in await rows(database)].count("effect") == 3


async def test_one_outcome_that_cannot_be_recorded_does_not_hold_up_the_others(database: Database) -> None:
    async def work(_job: Job) -> Outcome:
        return Done()

    async def record(_tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
        if any(job.args["name"] == "bad" for job, _ in ended):
            raise LookupError("no row for it")

    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", {"name": name}) for name in ("bad", "good", "good")])
    async with working(Worker(database, {"work": JobKind("work", fetch=work, record=record)}, grace=0.1)):
        await until(states(database, "leased", "done", "done"))


async def test_the_at_once_of_a_kind_and_the_lanes_of_others_do_not_hold_each_other_up(database: Database) -> None:
    running: dict[str, int] = {"slow": 0, "quick": 0}
    most: dict[str, int] = {"slow": 0, "quick": 0}
    free = asyncio.Event()

    async def count(job: Job) -> Outcome:
        running[job.kind] += 1
        most[job.kind] = max(most[job.kind], running[job.kind])
        if job.kind == "slow":
            await free.wait()
        running[job.kind] -= 1
        return Done()

    kinds: Mapping[str, JobKind] = {
        "slow": JobKind("slow", fetch=count, at_once=3, per_lane=2),
        "quick": JobKind("quick", fetch=count, at_once=1),
    }
    async with database.write() as tx:
        await put(tx, [NewJob("slow", f"host:{n % 4}.example") for n in range(20)])
        await put(tx, [NewJob("quick", "quick") for _ in range(5)])
    worker = Worker(database, kinds)

    async def quick_ones_are_done() -> bool:
        return sum(row.kind == "quick" and row.state == "done" for row in await rows(database)) == 5

    async with working(worker):
        await until(quick_ones_are_done)
        free.set()
        await until(states(database, *["done"] * 25))
    assert most == {"slow": 3, "quick": 1}
