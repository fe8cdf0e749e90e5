"""usage: ours_jobs.py jobs URL COUNT | starts URL COUNT: our queue with jobs that do nothing."""

import asyncio
import random
import sys
import time

import uvloop
from starting import PAUSE, told

from privapub.app import calm_collector
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker

LANES = 50
AT_ONCE = 128


async def jobs(url: str, count: int) -> None:
    """From the start of a worker to the recorded end of the last of the jobs that wait."""
    database = Database(url)
    every, handled = asyncio.Event(), 0

    async def nothing(_job: Job) -> Done:
        nonlocal handled
        handled += 1
        if handled == count:
            every.set()
        return Done()

    for first in range(0, count, 1000):
        async with database.write() as tx:
            await put(
                tx, [NewJob("nothing", f"lane{n % LANES}", {"n": n}) for n in range(first, min(first + 1000, count))]
            )
    async with database.write() as tx:  # as for all the others
        await tx.raw("ANALYZE")
    calm_collector()  # as a process does that works
    worker = Worker(database, {"nothing": JobKind("nothing", fetch=nothing, at_once=AT_ONCE)})
    began = time.perf_counter()
    running = asyncio.create_task(worker.run())
    await every.wait()
    worker.stop()
    await running
    seconds = time.perf_counter() - began
    async with database.read() as tx:
        rows = await tx.raw("SELECT count(*) FROM job WHERE state = 'done'")
    await database.close()
    if rows[0][0] != count:
        raise SystemExit(f"{rows[0][0]} of {count} jobs were done")
    told({"a_second": count / seconds})


async def starts(url: str, count: int) -> None:
    """From the call that puts a job, in a process whose worker is idle, to the first line of its handler."""
    database = Database(url)
    started: asyncio.Queue[float] = asyncio.Queue()

    async def nothing(_job: Job) -> Done:
        started.put_nowait(time.perf_counter())
        return Done()

    calm_collector()  # as a process does that works
    worker = Worker(database, {"nothing": JobKind("nothing", fetch=nothing, at_once=AT_ONCE)})
    running = asyncio.create_task(worker.run())
    waits = []
    for n in range(-20, count):
        await asyncio.sleep(random.uniform(*PAUSE))  # noqa: S311 - so that no two clocks beat together
        asked = time.perf_counter()
        async with database.write() as tx:
            await put(tx, [NewJob("nothing", f"lane{n % LANES}", {"n": n})])
        wait = await started.get() - asked
        if n >= 0:
            waits.append(wait)
    worker.stop()
    await running
    await database.close()
    told(waits)


if __name__ == "__main__":
    uvloop.run({"jobs": jobs, "starts": starts}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
