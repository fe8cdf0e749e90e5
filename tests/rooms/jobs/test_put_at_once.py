"""Two transactions that put jobs with the same key and do not see each other's, on PostgreSQL."""

from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest
from sqlalchemy import select

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.outcome import finish
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker


@pytest.fixture(autouse=True)
def _two_who_write(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")


async def handled(database: Database) -> list[Any]:
    found: list[Any] = []

    async def handle(job: Job) -> Outcome:
        found.append(job.args["n"])
        return Done()

    with anyio.fail_after(30):
        await Worker(database, {"work": JobKind("work", fetch=handle)}).drain()
    return found


async def done(_job: Job) -> Outcome:
    return Done()


def again(n: int) -> NewJob:
    return NewJob("work", "lane", {"n": n}, dedupe_key="key", unique_while_waiting=True)


async def test_one_with_a_lower_number_that_is_committed_later_waits_for_the_one_in_turn(database: Database) -> None:
    async with database.write() as late:
        await put(late, [NewJob("work", "lane", {"n": 1}, ordering_key="order")])
        async with database.write() as early:
            await put(early, [NewJob("work", "lane", {"n": 2}, ordering_key="order")])
    async with database.read() as tx:
        states = [row.state for row in await tx.all(select(table.c.state).order_by(table.c.id))]
    assert states == ["blocked", "waiting"]
    assert await handled(database) == [2, 1]


async def test_who_puts_a_twin_waits_for_nobody_who_puts_the_same_and_goes_behind(database: Database) -> None:
    kind = JobKind("work", fetch=done)
    async with database.write() as tx:
        await put(tx, [again(0)])
    (running,) = (await lease(database, [Slot(kind, 8)], identifiers.token())).jobs
    with anyio.fail_after(30):
        async with AsyncExitStack() as one, AsyncExitStack() as other:
            await put(await one.enter_async_context(database.write()), [again(1)])
            async with database.write() as tx:
                assert await finish(tx, {"work": kind}, [(running, Done())], clock.now())
            await put(await other.enter_async_context(database.write()), [again(2)])
            await one.aclose()  # while the other has put the same and has yet to hold the lane
    assert await handled(database) == [2, 1]
