"""Jobs that other processes put are heard of at once, also after what carries the news was lost."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fakes import postgresql
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.wake import hear_others
from privapub.jobs.worker import Worker

TOPIC = "jobs"


@asynccontextmanager
async def hearing(database: Database) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """Whether this process hears, and what is set whenever it has heard."""
    ready, heard = asyncio.Event(), asyncio.Event()
    database.listen(TOPIC, heard.set)
    task = asyncio.create_task(hear_others(database, TOPIC, ready))
    try:
        async with asyncio.timeout(60):
            await ready.wait()
        heard.clear()
        yield ready, heard
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        database.deaf(TOPIC, heard.set)


async def put_elsewhere(url: str) -> None:
    """A job that another process puts: with connections of its own."""
    other = Database(url)
    async with other.write() as tx:
        await put(tx, [NewJob("some", "lane")])
    await other.close()


async def test_what_another_process_puts_is_heard_of(database: Database, database_url: str) -> None:
    async with hearing(database) as (_ready, heard):
        await put_elsewhere(database_url)
        async with asyncio.timeout(30):
            await heard.wait()


async def test_a_listener_that_was_cut_off_listens_again_and_looks_for_what_it_missed(
    postgresql_url: str,
) -> None:
    database = Database(postgresql_url)
    async with hearing(database) as (ready, heard):
        async with database.read() as tx:
            await tx.raw(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'"
            )
        async with asyncio.timeout(60):
            await heard.wait()  # what was put meanwhile is looked for without being told
            await ready.wait()
        heard.clear()
        await put_elsewhere(postgresql_url)
        async with asyncio.timeout(30):
            await heard.wait()
    await database.close()


async def test_a_listener_outlives_a_server_that_is_away(postgresql_url: str) -> None:
    async with postgresql.durable(postgresql_url):
        database = Database(postgresql_url)
        async with hearing(database) as (ready, heard):
            await postgresql.stop(postgresql_url)
            await postgresql.start(postgresql_url)
            async with asyncio.timeout(90):
                await heard.wait()
                await ready.wait()
            heard.clear()
            await put_elsewhere(postgresql_url)
            async with asyncio.timeout(30):
                await heard.wait()
        await database.close()


async def test_a_lost_notification_costs_no_more_than_a_look(database: Database, database_url: str) -> None:
    """Nobody tells this worker of anything: it looks for itself."""
    ran = asyncio.Event()

    async def some(_job: Job) -> Outcome:
        ran.set()
        return Done()

    worker = Worker(database, {"some": JobKind("some", fetch=some)}, poll=0.2)
    database.listen = lambda _topic, _call: None  # type: ignore[method-assign]  # the news is lost
    database.deaf = lambda _topic, _call: None  # type: ignore[method-assign]  # the same
    running = asyncio.create_task(worker.run())
    await worker.hears.wait()
    await put_elsewhere(database_url)
    async with asyncio.timeout(30):
        await ran.wait()
    worker.stop()
    await running
