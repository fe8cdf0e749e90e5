"""A worker that is kept running, with kinds of jobs that end the process they run in, each in its own way."""

import asyncio
import os
import resource
import signal
import sys
import time
from pathlib import Path

from privapub.cli import process
from privapub.cli.keep_running import Keeper, Line
from privapub.database.connect import Database
from privapub.jobs.job import Done, Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker

SILENCE = 2.0
ATTEMPTS = 2
ROOM = 400 * 2**20  # bytes of memory that the process may take beyond what it has


async def fine(_job: Job) -> Outcome:
    return Done()


async def exits(_job: Job) -> Outcome:
    os._exit(0)


async def leaves(_job: Job) -> Outcome:
    raise SystemExit(0)


async def is_killed_for_memory(_job: Job) -> Outcome:
    """The kernel does this to whoever has eaten too much."""
    os.kill(os.getpid(), signal.SIGKILL)
    return Done()


async def eats_memory(_job: Job) -> Outcome:
    eaten = []
    while True:
        eaten.append(bytearray(2**24))


async def blocks(_job: Job) -> Outcome:
    time.sleep(3600)  # noqa: ASYNC251 - that is what it is here for
    return Done()


POISON = (exits, leaves, is_killed_for_memory, eats_memory, blocks)


def kinds() -> dict[str, JobKind]:
    table = {"fine": JobKind("fine", fetch=fine, lease=1.5, attempts=50)}
    for one in POISON:
        table[one.__name__] = JobKind(one.__name__, fetch=one, lease=1.5, attempts=ATTEMPTS)
    return table


def work(url: str, said: str) -> None:
    """Be the parent of a worker."""
    with Path(said).open("wb") as file:
        os.dup2(file.fileno(), 2)

    def child(line: Line) -> None:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        async def living() -> None:
            loop = asyncio.get_running_loop()
            worker = Worker(Database(url, pool_size=2), kinds(), poll=0.2, reap_every=0.3)
            line.listen(lambda: loop.call_soon_threadsafe(worker.stop))
            beating = asyncio.create_task(process._beat(line))
            await worker.run()
            beating.cancel()

        process._run(living())

    def say(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    raise SystemExit(Keeper(child, say, silence=SILENCE, longest_pause=0.2).keep())
