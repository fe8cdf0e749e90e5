"""usage: oban_jobs.py jobs URL COUNT | starts URL COUNT: oban's Python edition with jobs that do nothing."""

import asyncio
import random
import sys
import time
from typing import Any

import uvloop
from oban import Oban, worker
from oban.schema import install
from psycopg_pool import AsyncConnectionPool
from starting import PAUSE, told

LIMIT = 128  # of 10, 32, 128 and 512: most jobs a second

started: "asyncio.Queue[float]" = asyncio.Queue()


@worker(queue="default")
class Nothing:
    """Does nothing."""

    async def process(self, _job: Any) -> None:
        """Say when."""
        started.put_nowait(time.perf_counter())


def job(n: int) -> Any:
    """One of them; it is the decorator that gives the class its `new`."""
    made: Any = Nothing
    return made.new({"n": n})


async def jobs(url: str, count: int) -> None:
    """From the start of a queue to the end of the last job that waits."""
    async with AsyncConnectionPool(url, min_size=4, max_size=10, open=False) as pool:
        await install(pool)
        client = Oban(pool=pool, name="client")
        for first in range(0, count, 1000):
            await client.enqueue_many([job(n) for n in range(first, min(first + 1000, count))])
        async with pool.connection() as connection:
            await connection.execute("ANALYZE oban_jobs")
        began = time.perf_counter()
        async with Oban(pool=pool, queues={"default": LIMIT}):
            for _ in range(count):
                await started.get()
            told({"a_second": count / (time.perf_counter() - began)})


async def starts(url: str, count: int) -> None:
    """From the call that puts a job, in a process whose queue is idle, to the first line of its worker."""
    async with AsyncConnectionPool(url, min_size=4, max_size=10, open=False) as pool:
        await install(pool)
        async with Oban(pool=pool, queues={"default": LIMIT}) as oban:
            waits = []
            for n in range(-20, count):
                await asyncio.sleep(random.uniform(*PAUSE))  # noqa: S311 - so that no two clocks beat together
                asked = time.perf_counter()
                await oban.enqueue(job(n))
                wait = await started.get() - asked
                if n >= 0:
                    waits.append(wait)
    told(waits)


if __name__ == "__main__":
    uvloop.run({"jobs": jobs, "starts": starts}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
