"""Two transactions that put jobs with the same key and do not see each other's, on PostgreSQL."""

import asyncio
from typing import Any

import anyio
import pytest
from sqlalchemy import select

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.errors import Conflict
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.outcome import finish
from privapub.jobs.read import cancel, retry
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


WORK = JobKind("work", fetch=done)


async def ended(database: Database, job: Job) -> None:
    async with database.write() as tx:
        assert await finish(tx, {"work": WORK}, [(job, Done())], clock.now())


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


async def test_one_that_is_followed_while_it_is_tried_again_stays_as_it_is(database: Database) -> None:
    def ordered(n: int) -> NewJob:
        return NewJob("work", "lane", {"n": n}, ordering_key="order")

    async with database.write() as tx:
        await put(tx, [ordered(1)])
    async with database.read() as tx:
        first = await tx.scalar(select(table.c.id))
    async with database.write() as tx:
        await cancel(tx, first, clock.now())
    with pytest.raises(Conflict, match="followed by a later one"):
        async with database.write() as trying:
            await retry(trying, first, clock.now())
            async with database.write() as tx:
                await put(tx, [ordered(2)])
            assert await handled(database) == [2]
    assert await handled(database) == []


async def test_who_puts_a_twin_waits_for_nobody_who_puts_the_same_and_goes_behind(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [again(0)])
    (running,) = (await lease(database, [Slot(WORK, 8)], identifiers.token())).jobs
    put_too, go_on = asyncio.Event(), asyncio.Event()

    async def other() -> None:
        async with database.write() as tx:
            await put(tx, [again(2)])
            put_too.set()
            await go_on.wait()

    with anyio.fail_after(30):
        async with database.write() as tx:
            await put(tx, [again(1)])
            await asyncio.create_task(ended(database, running))
            putting = asyncio.create_task(other())
            await put_too.wait()
        go_on.set()  # it had put the same, and had yet to hold the lane
        await putting
    assert await handled(database) == [2, 1]


async def test_who_puts_what_waits_already_waits_for_nobody_who_is_cancelling_it(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [again(0)])
    (running,) = (await lease(database, [Slot(WORK, 8)], identifiers.token())).jobs
    async with database.write() as tx:
        await put(tx, [again(1)])
    async with database.read() as tx:
        waiting = await tx.scalar(select(table.c.id).where(table.c.twin))
    with anyio.fail_after(30):
        async with database.write() as cancelling:
            await cancel(cancelling, waiting, clock.now())
            async with database.write() as tx:  # it holds the lane that the other will wait for
                await put(tx, [again(2)])
    await ended(database, running)
    assert await handled(database) == []
    async with database.write() as tx:
        await put(tx, [again(3)])
    assert await handled(database) == [3]
