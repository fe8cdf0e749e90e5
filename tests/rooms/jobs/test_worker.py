"""What the worker promises: each on both databases."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from sqlalchemy import select

from privapub import clock, identifiers
from privapub import scope as http_scope
from privapub.database.connect import Database
from privapub.database.transaction import Transaction, is_open_here
from privapub.jobs import reaper
from privapub.jobs import worker as worker_module
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.tables import job as table
from privapub.jobs.worker import BATCH, Worker


def table_of(*kinds: JobKind) -> Mapping[str, JobKind]:
    return {kind.name: kind for kind in kinds}


async def rows(database: Database) -> list[Any]:
    async with database.read() as tx:
        return list(await tx.all(select(table).order_by(table.c.id)))


async def put_one(database: Database, kind: str = "work", **values: Any) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob(kind, values.pop("lane", "work"), values.pop("args", {}), **values)])


async def test_what_is_due_is_run_and_what_it_puts_too(database: Database) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    async def first(tx: Transaction, job: Job, _fetched: Any, _now: float) -> None:
        seen.append((job.kind, job.args))
        await put(tx, [NewJob("second", "host:a.example", {"n": job.args["n"] + 1})])

    async def second(job: Job) -> Outcome:
        assert not is_open_here()
        seen.append((job.kind, job.args))
        return Done()

    await put_one(database, "first", args={"n": 1})
    worker = Worker(database, table_of(JobKind("first", write=first), JobKind("second", fetch=second)))
    with anyio.fail_after(20):
        assert await worker.drain() == 2
        assert await worker.drain() == 0
    assert seen == [("first", {"n": 1}), ("second", {"n": 2})]
    assert [(row.state, row.attempt) for row in await rows(database)] == [("done", 1), ("done", 1)]


async def test_what_was_fetched_is_handed_to_the_writing_half_unless_it_ends_the_job(database: Database) -> None:
    written: list[Any] = []

    async def fetch(job: Job) -> Any:
        return GiveUp("no such page") if job.args["gone"] else {"page": job.args}

    async def write(_tx: Transaction, _job: Job, fetched: Any, _now: float) -> Outcome:
        written.append(fetched)
        return Done()

    await put_one(database, args={"gone": False})
    await put_one(database, args={"gone": True})
    with anyio.fail_after(20):
        await Worker(database, table_of(JobKind("work", fetch=fetch, write=write))).drain()
    assert written == [{"page": {"gone": False}}]
    assert [(row.state, row.why) for row in await rows(database)] == [("done", None), ("failed", "no such page")]


async def test_an_error_is_a_retry_with_the_time_of_the_backoff(database: Database) -> None:
    async def fails(job: Job) -> Outcome:
        raise LookupError(f"attempt {job.attempt}")

    await put_one(database)
    worker = Worker(database, table_of(JobKind("work", fetch=fails, attempts=2)))
    with anyio.fail_after(20):
        assert await worker.drain() == 1
        (row,) = await rows(database)
        assert (row.state, row.why, row.attempt) == ("waiting", "LookupError: attempt 1", 1)
        assert 16 - 1 <= row.run_at - row.created_at <= 16 + 20 + 5
        clock.advance(60)
        assert await worker.drain() == 1
    (row,) = await rows(database)
    assert (row.state, row.why, row.attempt) == ("failed", "LookupError: attempt 2", 2)


async def test_a_writing_handler_that_fails_leaves_nothing_behind(database: Database) -> None:
    async def write(tx: Transaction, _job: Job, _fetched: Any, _now: float) -> None:
        await put(tx, [NewJob("other", "other")])
        raise LookupError

    await put_one(database)
    with anyio.fail_after(20):
        await Worker(database, table_of(JobKind("work", write=write))).drain()
    assert [(row.kind, row.state) for row in await rows(database)] == [("work", "waiting")]


async def test_the_trigger_is_the_kind_or_what_the_job_carries(database: Database) -> None:
    triggers: list[str] = []

    async def fetch(_job: Job) -> Outcome:
        triggers.append(http_scope.current().trigger)
        return Done()

    await put_one(database)
    await put_one(database, trigger="request")
    with anyio.fail_after(20):
        await Worker(database, table_of(JobKind("work", fetch=fetch))).drain()
    assert sorted(triggers) == ["request", "work"]
    assert [row.trigger for row in await rows(database)] == [""], "of what a reader caused no row may remain"


async def test_a_job_three_times_as_long_as_its_lease_runs_once_and_the_reaper_finds_nothing(
    database: Database,
) -> None:
    runs = 0

    async def long(job: Job) -> Outcome:
        nonlocal runs
        runs += 1
        await asyncio.sleep(job.args["seconds"])
        return Done()

    await put_one(database, args={"seconds": 1.8})
    kinds = table_of(JobKind("work", fetch=long, lease=0.6))
    worker, other = Worker(database, kinds, poll=0.05), Worker(database, kinds, poll=0.05)
    reaped = 0
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(worker.run)
            group.start_soon(other.run)
            while (await rows(database))[0].state != "done":
                reaped += await reaper.reap(database, kinds)
                await asyncio.sleep(0.05)
            worker.stop()
            other.stop()
    assert (runs, reaped) == (1, 0)
    (row,) = await rows(database)
    assert (row.state, row.attempt) == ("done", 1)


async def test_all_that_has_ended_is_recorded_when_it_stops_however_much_it_is(database: Database) -> None:
    """More outcomes than one transaction writes: none of those jobs may be given back."""
    number = 2 * BATCH + 50
    ended = 0

    async def work(_job: Job) -> Outcome:
        nonlocal ended
        ended += 1
        if ended == number:
            worker.stop()
        return Done()

    async with database.write() as tx:
        await put(tx, [NewJob("work", "work") for _ in range(number)])
    worker = Worker(database, table_of(JobKind("work", fetch=work, at_once=number)))
    with anyio.fail_after(60):
        await worker.run()
    assert Counter(row.state for row in await rows(database)) == {"done": number}


async def test_a_job_that_must_run_alone_comes_to_it_though_its_kind_has_a_backlog(database: Database) -> None:
    done: list[int] = []
    seen = asyncio.Event()

    async def work(job: Job) -> Outcome:
        await asyncio.sleep(0.005)
        done.append(job.args.get("n", 0))
        if job.args.get("alone"):
            seen.set()
        return Done()

    kind = JobKind("work", fetch=work, at_once=4)
    await put_one(database, args={"alone": True})
    await lease(database, [Slot(kind, 1)], identifiers.token())
    clock.advance(130)
    await reaper.reap(database, table_of(kind))
    async with database.write() as tx:
        await put(tx, [NewJob("work", f"lane{n % 50}", {"n": n}) for n in range(3000)])
    worker = Worker(database, table_of(kind))
    working = asyncio.create_task(worker.run())
    with anyio.fail_after(60):
        await seen.wait()
    assert len(done) < 3000, "it did not wait for the backlog's end"
    worker.stop()
    worker.stop()
    await working


async def test_outcomes_that_an_outage_kept_from_being_written_are_written_after_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = worker_module.finish, 0

    async def finish(*values: Any, **named: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked <= 3:  # all together, and the first two by themselves: then it is back
            raise TimeoutError("no connection is free") from None
        return await real(*values, **named)

    monkeypatch.setattr(worker_module, "finish", finish)
    monkeypatch.setattr(worker_module, "is_outage", lambda error: isinstance(error, TimeoutError))
    ran: list[int] = []

    async def work(job: Job) -> Outcome:
        ran.append(job.id)
        return Done()

    async with database.write() as tx:
        await put(tx, [NewJob("work", "work") for _ in range(4)])
    with anyio.fail_after(60):
        await Worker(database, table_of(JobKind("work", fetch=work))).drain()
    assert {row.state for row in await rows(database)} == {"done"}
    assert len(ran) == 4


async def test_a_job_whose_end_cannot_be_recorded_keeps_no_other_from_being_reaped(database: Database) -> None:
    async def record(_tx: Transaction, ended: Any, _now: float) -> None:
        if any(job.args.get("bad") for job, _ in ended):
            raise ValueError("a shape that nobody knows")

    kinds = table_of(JobKind("work", write=nothing, attempts=1, record=record))
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", {"bad": True}), NewJob("work", "work")])
    assert len((await lease(database, [Slot(kinds["work"], 4)], identifiers.token())).jobs) == 2
    clock.advance(130)
    assert await reaper.reap(database, kinds) == 2
    assert {row.state for row in await rows(database)} == {"failed"}


async def nothing(_tx: Transaction, _job: Job, _fetched: Any, _now: float) -> None:
    """A handler that does nothing."""
