"""Several worker processes, and processes that are killed: nothing is lost, nothing runs twice at once."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess

import anyio
from sqlalchemy import func, select, text

from fakes import ports
from fakes.processes import FORKED
from privapub import identifiers
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job as table
from rooms.jobs import child

KILLS = int(os.environ.get("PRIVAPUB_TEST_KILLS", "15"))


@dataclass
class Ear:
    """Hears what handlers do, and counts who is at it at once."""

    port: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    lines: list[list[str]] = field(default_factory=list)
    lanes: Counter[str] = field(default_factory=Counter)
    workers: Counter[str] = field(default_factory=Counter)
    most_in_a_lane: int = 0
    most_in_a_worker: int = 0

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            words = (await reader.readline()).decode().split()
            if len(words) < 6:
                return
            if words[0] == "ready":
                self.ready.set()
                return
            lane, worker = words[2], words[3]
            self.lines.append(words)
            self.began.set()
            self.lanes[lane] += 1
            self.workers[worker] += 1
            self.most_in_a_lane = max(self.most_in_a_lane, self.lanes[lane])
            self.most_in_a_worker = max(self.most_in_a_worker, self.workers[worker])
            await asyncio.sleep(0.01)
            self.lanes[lane] -= 1
            self.workers[worker] -= 1
            writer.write(b"heard\n")
            await writer.drain()
        except ConnectionError:  # the worker was killed
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[Ear]:
    ear = Ear()
    server = await asyncio.start_server(ear.hear, sock=ports.bound())
    ear.port = server.sockets[0].getsockname()[1]
    async with server:
        yield ear


@contextmanager
def started(url: str, ear: Ear, count: int = 1) -> Iterator[list[BaseProcess]]:
    workers = [FORKED.Process(target=child.main, args=(url, ear.port), daemon=True) for _ in range(count)]
    for worker in workers:
        worker.start()
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.join(10)


async def unfinished(database: Database) -> int:
    async with database.read() as tx:
        found = await tx.scalar(select(func.count()).select_from(table).where(table.c.finished_at.is_(None)))
    return int(found)


async def all_done(database: Database) -> None:
    while await unfinished(database):  # noqa: ASYNC110 - it is the database that is looked at
        await asyncio.sleep(0.1)


async def test_six_processes_take_no_job_twice_and_no_more_than_two_of_a_lane(
    database: Database, database_url: str
) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("send", f"host:{n % 7}.example") for n in range(300)])
    async with listening() as ear:
        with anyio.fail_after(120), started(database_url, ear, 6):
            await all_done(database)
    taken = Counter(words[1] for words in ear.lines)
    assert len(taken) == 300
    assert set(taken.values()) == {1}
    assert ear.most_in_a_lane <= 2
    assert ear.most_in_a_worker <= 8
    assert len({words[3] for words in ear.lines}) > 1, "several took part"


async def test_workers_that_are_killed_at_random_moments_lose_nothing(database: Database, database_url: str) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(n INTEGER)"))
    count = 0
    async with listening() as ear:
        with anyio.fail_after(120 + 10 * KILLS):
            for kill in range(KILLS):
                async with database.write() as tx:
                    jobs = [NewJob("send", f"host:{n % 3}.example", {"n": n}) for n in (count, count + 1)]
                    jobs += [NewJob("write", "write", {"n": n}) for n in range(count, count + 4)]
                    await put(tx, jobs)
                count += 4
                ear.ready.clear()
                ear.began.clear()
                with started(database_url, ear):
                    await (ear.began if kill % 2 else ear.ready).wait()  # on a slow machine much time is between them
                    await asyncio.sleep(identifiers.uniform(0.0, 0.009 if kill % 2 else 0.15))
            with started(database_url, ear, 2):
                await all_done(database)
    async with database.read() as tx:
        effects = Counter(row[0] for row in await tx.all(text("SELECT n FROM made_by_test")))
        states = Counter(row[0] for row in await tx.all(select(table.c.state)))
        interrupted = await tx.scalar(select(func.count()).where(table.c.attempt > 1).select_from(table))
    assert effects == Counter(range(count)), "what was written is written once"
    assert states == {"done": 6 * KILLS}
    assert len({words[1] for words in ear.lines}) == 2 * KILLS
    assert interrupted, "some were killed in the middle"


async def test_a_job_that_kills_its_worker_is_bounded_and_runs_alone_the_next_time(
    database: Database, database_url: str
) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("poison", "media")])
        await put(tx, [NewJob("send", f"host:{n}.example", {"n": n}) for n in range(30)])
    async with listening() as ear:
        with anyio.fail_after(120):
            while await unfinished(database):
                with started(database_url, ear) as (worker,):
                    while worker.is_alive() and await unfinished(database):  # noqa: ASYNC110 - as above
                        await asyncio.sleep(0.05)
    async with database.read() as tx:
        rows = await tx.all(select(table).order_by(table.c.id))
    poison = next(row for row in rows if row.kind == "poison")
    assert (poison.state, poison.why, poison.attempt) == ("failed", "worker died", 3)
    others = [row for row in rows if row.kind == "send"]
    assert {row.state for row in others} == {"done"}
    assert max(row.attempt for row in others) <= 2, "those beside it pay once at most"
    beside = {words[4]: words[5] for words in ear.lines if words[0] == "poison"}
    assert (beside["2"], beside["3"]) == ("0", "0"), "nothing ran beside it then"
