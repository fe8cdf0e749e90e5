"""The shared cases of workers that end: killed, poisoned, or told to stop. On both databases, with real processes."""

import asyncio
import dataclasses
import math
import os
import signal
from typing import Any

import anyio
import pytest

from cases.folder import case
from fakes.crew import Log, Terms, ended, gone, hired, rows
from fakes.faults import faulty
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.jobs import reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, renew
from privapub.jobs.worker import Worker

QUICK = Terms(lease=1.0)


async def put_work(database: Database, count: int = 1, kind: str = "work", lane: str = "", **args: Any) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob(kind, lane or f"host:{n}.test", {"n": n, **args}) for n in range(count)])


# 03: who is dead

DEAD = "jobs/03-dead-worker-detection"


def variants(name: str) -> list[str]:
    return [each["name"] for each in case(name)["given"]["variants"]]


@pytest.mark.case("jobs/03-dead-worker-detection")
async def test_jobs_03_ownership_is_in_the_job_itself_and_survives_every_housekeeping(
    database: Database, database_url: str, log: Log
) -> None:
    assert "row-pruned" in variants(DEAD)
    assert not [name for name in metadata.tables if "worker" in name or "process" in name]
    await put_work(database, do="hang")
    with anyio.fail_after(60):
        with hired(database_url, log, 1, QUICK):
            await log.until(1, "begin")
        await reaper.prune(database, kept=0.0)
        await reaper.repair(database)
        (row,) = await rows(database)
        assert (row.state, row.attempt) == ("leased", 1)
        with hired(database_url, log, 1, QUICK):
            await ended(database, "work")
    (row,) = await rows(database)
    assert (row.state, row.attempt) == ("done", 2)


@pytest.mark.case("jobs/03-dead-worker-detection")
async def test_jobs_03_a_new_process_is_another_one_whatever_its_name(
    database: Database, database_url: str, log: Log
) -> None:
    assert "same-name" in variants(DEAD)
    await put_work(database, do="hang")
    with anyio.fail_after(60):
        with hired(database_url, log, 1, QUICK):
            await log.until(1, "begin")
        with hired(database_url, log, 1, QUICK):  # at once, and it lives on: the old one's lease is not its own
            await ended(database, "work")
    first, second = log.lines("begin")
    assert first.stamp != second.stamp
    (row,) = await rows(database)
    assert (row.state, row.attempt) == ("done", 2)


@pytest.mark.case("jobs/03-dead-worker-detection")
async def test_jobs_03_who_is_killed_in_the_middle_of_reaping_holds_up_no_other_reaper(
    database: Database, database_url: str, log: Log
) -> None:
    assert "reaper-stalled" in variants(DEAD)
    await put_work(database, do="hang")
    with anyio.fail_after(60):
        with hired(database_url, log, 1, QUICK):
            await log.until(1, "begin")
        while not await _is_expired(database):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
        # At its first look it finds the lease expired, has changed the row, and dies before it commits.
        with hired(
            database_url, log, 1, dataclasses.replace(QUICK, kill_at=1, kill_after=True, kill_matching="alone = true")
        ) as (one,):
            assert await gone(one) == -signal.SIGKILL
        (row,) = await rows(database)
        assert (row.state, row.attempt) == ("leased", 1), "it was not committed"
        assert await reaper.reap(database, {}) == 1
        with hired(database_url, log, 1, QUICK):
            await ended(database, "work")
    (row,) = await rows(database)
    assert (row.state, row.attempt) == ("done", 2)


async def _is_expired(database: Database) -> bool:
    (row,) = await rows(database)
    return bool(row.lease_until < clock.now())


# 04: a job that kills its worker

POISON = "jobs/04-poison-pill"


@pytest.mark.case("jobs/04-poison-pill")
async def test_jobs_04_a_job_that_kills_its_worker_fails_after_three_and_the_others_are_done(
    database: Database, database_url: str, log: Log
) -> None:
    given = case(POISON)["given"]
    assert "max_attempts 3" in given["job"]
    assert "2 workers" in given["steps"][0]
    assert "100 normal jobs" in given["steps"][0]
    await put_work(database, 50)
    await put_work(database, 1, "late", "media", do="exit", always=True)
    await put_work(database, 50)
    terms = Terms(lease=1.0, attempts=3)
    died = 0

    async def one_place() -> None:
        """A process that is started again when it dies."""
        nonlocal died
        while any(row.finished_at is None for row in await rows(database)):
            with hired(database_url, log, 1, terms) as (process,):
                while process.is_alive() and any(row.finished_at is None for row in await rows(database)):  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.05)
                died += not process.is_alive()

    with anyio.fail_after(120):
        await asyncio.gather(one_place(), one_place())
    (poison,) = await rows(database, "late")
    assert (poison.state, poison.why, poison.attempt) == ("failed", "worker died", 3)
    assert poison.finished_at is not None, "it is kept to be looked at"
    assert died == 3, "no endless loop of crashes"
    others = await rows(database, "work")
    assert len(others) == 100
    assert {row.state for row in others} == {"done"}
    assert max(row.attempt for row in others) <= 2, "those that were taken with it pay once at most"
    assert [line.beside for line in log.lines("begin", "late")][1:] == [0, 0], "then it runs alone"


# 06: long jobs that hide stuck ones

STARVED = "jobs/06-rescuer-starvation"


@pytest.mark.case("jobs/06-rescuer-starvation")
async def test_jobs_06_one_look_rescues_the_ten_that_are_stuck_and_none_of_the_150_that_run(database: Database) -> None:
    setup = case(STARVED)["given"]["setup"]
    for words in ("page size 100", "150 running jobs", "10 really stuck", "timeout 0"):
        assert words in setup

    async def unused(_job: Job) -> Outcome:
        return Done()

    long = JobKind("long", fetch=unused, at_once=1000, lease=120.0, deadline=math.inf)
    endless = dataclasses.replace(long, name="endless")
    kinds = {"long": long, "endless": endless}
    await put_work(database, 145, "long")
    await put_work(database, 5, "endless")
    running = await _lease_all(database, kinds)
    assert len(running) == 150
    clock.advance(60)  # those that run are older than those that are stuck
    await put_work(database, 5, "long")
    await put_work(database, 5, "endless")
    stuck = await _lease_all(database, kinds)
    assert len(stuck) == 10
    for _ in range(3):
        clock.advance(50)
        async with database.write() as tx:
            assert len(await renew(tx, running)) == 150
    assert await reaper.reap(database, kinds) == 10
    states = {row.id: row.state for row in await rows(database)}
    assert {states[job.id] for job in stuck} == {"waiting"}
    assert {states[job.id] for job in running} == {"leased"}


async def _lease_all(database: Database, kinds: dict[str, JobKind]) -> list[Job]:
    slots = [Slot(kind, 1000) for kind in kinds.values()]
    return (await lease(database, slots, identifiers.token())).jobs


# 07: stopping, and the slots of the dead

ENDING = "jobs/07-shutdown-and-slots"
FACTOR = 1 / 5


@pytest.mark.case("jobs/07-shutdown-and-slots")
async def test_jobs_07_sigterm_records_what_ended_and_gives_the_rest_back_at_once(
    database: Database, database_url: str, log: Log
) -> None:
    (given,) = [each for each in case(ENDING)["given"]["variants"] if each["name"] == "sigterm"]
    assert "30 in flight" in given["steps"][0]
    assert "grace set to 5 s, SIGKILL at 10 s" in given["steps"][0]
    await put_work(database, 10, do="until told to stop")
    await put_work(database, 20, "late", do="hang")
    with anyio.fail_after(60), hired(database_url, log, 1, Terms(lease=60.0, at_once=30, grace=5 * FACTOR)) as (one,):
        await log.until(30, "begin")
        assert one.pid is not None
        os.kill(one.pid, signal.SIGTERM)
        assert await gone(one) == 0, "it ends by itself"
    assert {(row.state, row.attempt) for row in await rows(database, "work")} == {("done", 1)}
    back = await rows(database, "late")
    assert {(row.state, row.attempt, row.stamp, row.lease_until, row.alone) for row in back} == {
        ("waiting", 0, None, None, False)
    }
    assert all(row.first_leased_at is not None for row in back)
    assert len(await _lease_late(database)) == 20, "nobody waits for the end of a lease"


async def _lease_late(database: Database) -> list[Job]:
    async def unused(_job: Job) -> Outcome:
        return Done()

    return (await lease(database, [Slot(JobKind("late", fetch=unused), 100)], identifiers.token())).jobs


@pytest.mark.case("jobs/07-shutdown-and-slots")
async def test_jobs_07_the_second_sigterm_ends_the_grace(database: Database, database_url: str, log: Log) -> None:
    assert "double-sigterm" in variants(ENDING)
    await put_work(database, 3, do="hang")
    with anyio.fail_after(60), hired(database_url, log, 1, Terms(lease=600.0, grace=600.0)) as (one,):
        await log.until(3, "begin")
        assert one.pid is not None
        os.kill(one.pid, signal.SIGTERM)
        await log.until(1, "stopping")
        assert {row.state for row in await rows(database)} == {"leased"}
        os.kill(one.pid, signal.SIGTERM)
        assert await gone(one) == 0
    assert {(row.state, row.attempt, row.stamp) for row in await rows(database)} == {("waiting", 0, None)}


@pytest.mark.case("jobs/07-shutdown-and-slots")
async def test_jobs_07_the_lease_of_a_dead_worker_takes_no_slot(
    database: Database, database_url: str, log: Log
) -> None:
    assert "slots" in variants(ENDING)
    # Nobody reaps: what is dead counts no more because its lease has expired.
    terms = Terms(lease=1.0, per_lane=1, reap_every=600.0)
    await put_work(database, 1, lane="host:a.test", do="hang")
    with anyio.fail_after(60):
        with hired(database_url, log, 1, terms):
            await log.until(1, "begin")
        await put_work(database, 1, "late", lane="host:a.test")
        await put_work(database, 1, lane="host:a.test")
        while not await _first_is_expired(database):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
        (taken,) = (await lease(database, [Slot(_only_one(), 8)], identifiers.token())).jobs
    first, _, second = await rows(database)
    assert taken.id == second.id
    assert (first.state, first.attempt) == ("leased", 1), "it is still the row of the dead one"


def _only_one() -> JobKind:
    async def unused(_job: Job) -> Outcome:
        return Done()

    return JobKind("work", fetch=unused, per_lane=1)


async def _first_is_expired(database: Database) -> bool:
    return bool((await rows(database))[0].lease_until < clock.now())


@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.case("jobs/07-shutdown-and-slots")
async def test_jobs_07_a_task_that_is_cancelled_in_the_commit_leaves_it_done_or_sends_the_same_again(
    after: bool, database: Database, database_url: str
) -> None:
    assert "cancel-in-commit" in variants(ENDING)
    posted: list[str] = []

    async def post(job: Job) -> Outcome:
        posted.append(job.args["id"])  # the remote said 202
        return Done()

    kinds = {"work": JobKind("work", fetch=post, lease=60.0)}
    async with database.write() as tx:
        await put(tx, [NewJob("work", "host:a.test", {"id": "https://sut.test/a/1"})])
    failing, faults = faulty(database_url)
    loop = asyncio.get_running_loop()
    with anyio.fail_after(60):
        working = asyncio.create_task(Worker(failing, kinds).drain())

        def cancel() -> None:
            loop.call_soon_threadsafe(working.cancel)

        # The first commit after the post is that of the outcome.
        with faults.armed(1, after=after, act=cancel, matches=lambda sql: bool(posted) and sql.startswith("COMMIT")):
            await asyncio.wait([working])
        assert faults.struck
        await failing.close()
        clock.advance(70)
        await reaper.reap(database, kinds)
        await Worker(database, kinds).drain()
    (row,) = await rows(database)
    assert row.state == "done"
    assert set(posted) == {"https://sut.test/a/1"}
    assert len(posted) <= 2
