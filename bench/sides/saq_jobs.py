"""usage: saq_jobs.py jobs URL COUNT | starts URL COUNT: saq's PostgreSQL queue with jobs that do nothing."""

import asyncio
import contextlib
import random
import sys
import time
from typing import Any

import orjson
import uvloop
from saq import Job, Queue, Worker
from starting import PAUSE, told

CONCURRENCY = 32  # of 8, 32 and 128: most jobs a second


def queue(url: str) -> Queue:
    """A queue with the pool and the fast JSON that its page on speed names."""
    return Queue.from_url(url, min_size=4, max_size=20, dump=orjson.dumps, load=orjson.loads)


async def jobs(url: str, count: int) -> None:
    """From the start of a worker to the end of the last job that waits."""
    every, handled = asyncio.Event(), 0

    async def nothing(_context: Any, *, n: int) -> None:  # noqa: ARG001 - its argument travels, nothing else
        nonlocal handled
        handled += 1
        if handled >= count:
            every.set()

    one = queue(url)
    await one.connect()
    for first in range(0, count, 16):
        await asyncio.gather(
            *(one.enqueue(Job("nothing", kwargs={"n": n})) for n in range(first, min(first + 16, count)))
        )
    async with one.pool.connection() as connection:
        await connection.execute("ANALYZE")
    worker = Worker(one, functions=[("nothing", nothing)], concurrency=CONCURRENCY)
    began = time.perf_counter()
    running = asyncio.create_task(worker.start())
    await every.wait()
    told({"a_second": count / (time.perf_counter() - began)})
    await end(one, running)


async def starts(url: str, count: int) -> None:
    """From the call that puts a job, in a process whose worker is idle, to the first line of its function."""
    started: asyncio.Queue[float] = asyncio.Queue()

    async def nothing(_context: Any, *, n: int) -> None:  # noqa: ARG001 - its argument travels, nothing else
        started.put_nowait(time.perf_counter())

    one = queue(url)
    await one.connect()
    running = asyncio.create_task(Worker(one, functions=[("nothing", nothing)], concurrency=CONCURRENCY).start())
    waits = []
    for n in range(-20, count):
        await asyncio.sleep(random.uniform(*PAUSE))  # noqa: S311 - so that no two clocks beat together
        asked = time.perf_counter()
        await one.enqueue(Job("nothing", kwargs={"n": n}))
        wait = await started.get() - asked
        if n >= 0:
            waits.append(wait)
    told(waits)
    await end(one, running)


async def end(one: Queue, running: "asyncio.Task[None]") -> None:
    """Let go; what it says when it is cut off is of no interest."""
    running.cancel()
    with contextlib.suppress(Exception, asyncio.CancelledError):
        async with asyncio.timeout(10):
            await running
            await one.disconnect()


if __name__ == "__main__":
    uvloop.run({"jobs": jobs, "starts": starts}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
