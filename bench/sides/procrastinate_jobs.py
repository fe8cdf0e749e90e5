"""usage: procrastinate_jobs.py jobs URL COUNT | starts URL COUNT: procrastinate with tasks that do nothing."""

import asyncio
import random
import sys
import time

import procrastinate
import uvloop
from starting import PAUSE, told

# Of 1, 8, 32 and 128, most tasks a second; the pool holds a connection for each eight of them.
CONCURRENCY = 32


def application(url: str) -> procrastinate.App:
    """One application with its pool."""
    return procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=4, max_size=16))


async def work(app: procrastinate.App) -> None:
    """What its command runs, with the fastest way to leave finished tasks: as they are."""
    await app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False, delete_jobs="never")


async def jobs(url: str, count: int) -> None:
    """From the start of a worker to the end of the last task that waits."""
    app = application(url)
    every, handled = asyncio.Event(), 0

    async def handle(n: int) -> None:  # noqa: ARG001 - its argument travels, nothing else
        nonlocal handled
        handled += 1
        if handled >= count:
            every.set()

    nothing = app.task(name="nothing")(handle)

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await nothing.batch_defer_async(*({"n": n} for n in range(count)))
        await app.connector.execute_query_async("ANALYZE")
        began = time.perf_counter()
        running = asyncio.create_task(work(app))
        await every.wait()
        told({"a_second": count / (time.perf_counter() - began)})
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def starts(url: str, count: int) -> None:
    """From the call that puts a task, in a process whose worker is idle, to the first line of the task."""
    app = application(url)
    started: asyncio.Queue[float] = asyncio.Queue()

    async def handle(n: int) -> None:  # noqa: ARG001 - its argument travels, nothing else
        started.put_nowait(time.perf_counter())

    nothing = app.task(name="nothing")(handle)

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        running = asyncio.create_task(work(app))
        waits = []
        for n in range(-20, count):
            await asyncio.sleep(random.uniform(*PAUSE))  # noqa: S311 - so that no two clocks beat together
            asked = time.perf_counter()
            await nothing.defer_async(n=n)
            wait = await started.get() - asked
            if n >= 0:
                waits.append(wait)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    told(waits)


if __name__ == "__main__":
    uvloop.run({"jobs": jobs, "starts": starts}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
