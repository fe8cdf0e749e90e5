"""The shared cases of the queue, on both databases, with processes that are really stopped and killed.

The times of a case are scaled by one factor.
"""

import asyncio
import os
import signal
import sqlite3
from collections import Counter
from typing import Any

import anyio
import pytest
from sqlalchemy import text

from cases.folder import case
from fakes.cable import cable
from fakes.crew import Log, Terms, ended, gone, hired, make_table, rows
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob

INBOXES = [f"{name}.test" for name in ("a", "b", "c", "d")]


async def made(database: Database) -> list[Any]:
    async with database.read() as tx:
        return list(await tx.all(text("SELECT n, pid, attempt FROM made_by_test ORDER BY n")))


# 01: a job that takes longer than its lease

SLOW = "jobs/01-slow-job-double-run"
FACTOR = 1 / 20
LEASE = 30 * FACTOR
LONG = 95 * FACTOR


async def put_fan(database: Database, do: str, seconds: float = LONG) -> None:
    """The fan-out J."""
    await make_table(database)
    arguments = {"do": do, "seconds": seconds, "activity": "https://sut.test/a/1", "inboxes": INBOXES}
    async with database.write() as tx:
        await put(tx, [NewJob("fan", "fan", arguments)])


async def stop(pid: int, database: Database) -> None:
    """Stop a process, but not while it has SQLite's one lock: that would stop all the others too."""
    while True:
        os.kill(pid, signal.SIGSTOP)
        if database.path is None:
            return
        connection = sqlite3.connect(database.path, isolation_level=None, timeout=0)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.02)
        else:
            return
        finally:
            connection.close()


async def woken(log: Log, pid: int) -> None:
    """Wait until the process has dealt with both of its jobs."""
    kinds: set[str] = set()
    while kinds != {"fan", "late"}:
        await asyncio.sleep(0.02)
        kinds = {line.kind for line in log.lines() if line.pid == pid and line.what in ("end", "cancelled")}


async def one_delivery_an_inbox(database: Database, pid: int) -> None:
    (fan,) = await rows(database, "fan")
    assert (fan.state, fan.stamp, fan.lease_until) == ("done", None, None)
    assert Counter(row.lane for row in await rows(database, "delivery")) == Counter(f"host:{each}" for each in INBOXES)
    assert [row.n for row in await made(database)] == [0, 1, 2, 3], "what it wrote is written once"
    assert {row.pid for row in await made(database)} == {pid}


def variants(name: str) -> list[str]:
    return [each if isinstance(each, str) else each["name"] for each in case(name)["given"]["variants"]]


@pytest.mark.case("jobs/01-slow-job-double-run")
def test_jobs_01_the_terms_are_those_of_the_case() -> None:
    given = case(SLOW)["given"]
    assert given["config"] == {"lease_s": 30, "workers": 2}
    assert "takes 95 s" in given["steps"][0]
    assert variants(SLOW) == [
        "healthy worker, event loop busy",
        "worker process stopped by SIGSTOP for 60 s, then SIGCONT",
        "clock of worker A 2 min fast",
        "database unreachable for 40 s",
    ]


@pytest.mark.case("jobs/01-slow-job-double-run")
async def test_jobs_01_a_busy_loop_keeps_its_lease(database: Database, database_url: str, log: Log) -> None:
    case(SLOW)
    await put_fan(database, "busy")
    with anyio.fail_after(60), hired(database_url, log, 2, Terms(lease=LEASE)):
        await ended(database, "fan")
    (begin,) = log.lines("begin", "fan")
    await one_delivery_an_inbox(database, begin.pid)
    assert (await rows(database, "fan"))[0].attempt == 1


@pytest.mark.case("jobs/01-slow-job-double-run")
async def test_jobs_01_one_that_was_stopped_and_goes_on_changes_nothing(
    database: Database, database_url: str, log: Log
) -> None:
    case(SLOW)
    await put_fan(database, "sleep", 40 * FACTOR)
    async with database.write() as tx:
        await put(tx, [NewJob("late", "late", {"do": "sleep", "seconds": 40 * FACTOR})])
    terms = Terms(lease=LEASE)
    with anyio.fail_after(60), hired(database_url, log, 1, terms) as (a,):
        assert a.pid is not None
        await log.until(2, "begin")
        await stop(a.pid, database)
        with hired(database_url, log, 1, terms) as (b,):
            await ended(database, "fan", "late")
            before = await rows(database)
            os.kill(a.pid, signal.SIGCONT)
            await woken(log, a.pid)
            os.kill(a.pid, signal.SIGTERM)
            assert await gone(a) == 0
            assert b.pid is not None
            await one_delivery_an_inbox(database, b.pid)
    assert await rows(database) == before, "the late outcomes changed nothing"
    assert {(row.kind, row.state, row.attempt, row.why) for row in before if row.kind != "delivery"} == {
        ("fan", "done", 2, None),
        ("late", "done", 2, None),
    }
    assert [line.pid for line in log.lines("begin", "fan")] == [a.pid, b.pid]
    assert len({line.stamp for line in log.lines("begin")}) >= 3, "a stamp belongs to a lease, not to a process"


@pytest.mark.case("jobs/01-slow-job-double-run")
async def test_jobs_01_on_postgresql_a_clock_that_is_two_minutes_fast_gives_no_longer_and_takes_no_other_lease(
    postgresql_url: str, log: Log
) -> None:
    case(SLOW)
    database = Database(postgresql_url)
    await put_fan(database, "sleep")
    with anyio.fail_after(60), hired(postgresql_url, log, 1, Terms(lease=LEASE, wall_ahead=120.0)):
        await log.until(1, "begin", "fan")
        with hired(postgresql_url, log, 1, Terms(lease=LEASE)):
            await _leases_are_short(database)
            async with database.write() as tx:  # one for whoever is free, whose lease the other's reaper sees
                await put(tx, [NewJob("work", "work", {"do": "sleep", "seconds": 2 * LEASE}) for _ in range(4)])
            await log.until(4, "begin", "work")
            await _leases_are_short(database)
            await ended(database, "fan", "work")
    (begin,) = log.lines("begin", "fan")
    await one_delivery_an_inbox(database, begin.pid)
    assert {(row.state, row.attempt) for row in await rows(database, "work")} == {("done", 1)}
    await database.close()


async def _leases_are_short(database: Database) -> None:
    async with database.read() as tx:
        left = [
            row[0]
            for row in await tx.all(
                text("SELECT lease_until - extract(epoch FROM clock_timestamp()) FROM job WHERE state = 'leased'")
            )
        ]
    assert left
    assert max(left) <= LEASE, "by the clock of the database"


@pytest.mark.case("jobs/01-slow-job-double-run")
async def test_jobs_01_a_database_that_cannot_be_reached_for_longer_than_the_lease(
    database: Database, database_url: str, log: Log
) -> None:
    case(SLOW)
    await put_fan(database, "sleep")
    async with asyncio.timeout(60), cable(database_url) as (url, cut):
        with hired(url, log, 2, Terms(lease=LEASE)) as both:
            await log.until(1, "begin", "fan")
            async with cut():
                await asyncio.sleep(40 * FACTOR)
                await log.until(1, "cancelled", "fan")  # who cannot renew stops when its lease ends
            await ended(database, "fan")
            assert all(process.is_alive() for process in both)
    begun = log.lines("begin", "fan")
    assert len(begun) > 1
    await one_delivery_an_inbox(database, begun[-1].pid)


@pytest.mark.case("jobs/01-slow-job-double-run")
async def test_jobs_01_a_database_that_cannot_be_reached_for_a_part_of_the_lease(
    database: Database, database_url: str, log: Log
) -> None:
    await put_fan(database, "sleep", 70 * FACTOR)
    async with asyncio.timeout(60), cable(database_url) as (url, cut):
        with hired(url, log, 1, Terms(lease=3 * LEASE)):
            await log.until(1, "begin", "fan")
            async with cut():
                await asyncio.sleep(40 * FACTOR)
            await ended(database, "fan")
    (begin,) = log.lines("begin", "fan")
    await one_delivery_an_inbox(database, begin.pid)
