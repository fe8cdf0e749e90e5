"""usage: ours_race.py put URL COUNT | work URL AT COUNT: processes that race for the same jobs.

`work` waits for the moment AT (seconds since 1970) so that all begin together, works until COUNT jobs have ended, and
tells which jobs it ran: their numbers, with commas between.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import uvloop

from privapub import clock
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker

LANES = 200
PER_LANE = 4


async def fill(url: str, count: str) -> None:
    """Put the jobs."""
    database = Database(url)
    for first in range(0, int(count), 1000):
        async with database.write() as tx:
            await put(tx, [NewJob("raced", f"lane{n % LANES}") for n in range(first, min(first + 1000, int(count)))])
    await database.close()


async def work(url: str, at: str, count: str) -> None:
    """Run jobs until none is left."""
    database = Database(url)
    ran: list[int] = []

    async def note(job: Job) -> Done:
        ran.append(job.id)
        return Done()

    worker = Worker(database, {"raced": JobKind("raced", fetch=note, at_once=32, per_lane=PER_LANE)})
    await asyncio.sleep(max(float(at) - clock.now(), 0.0))
    while True:
        await worker.drain()
        async with database.read() as tx:
            ended = await tx.raw("SELECT count(*) FROM job WHERE state = 'done'")
        if ended[0][0] >= int(count):
            break
        await asyncio.sleep(0.05)
    await database.close()
    print(json.dumps({"ran": ran}))


if __name__ == "__main__":
    ways: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"put": fill, "work": work}
    uvloop.run(ways[sys.argv[1]](*sys.argv[2:]))
