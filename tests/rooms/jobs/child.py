"""A worker in a process of its own, which the tests kill."""

import asyncio
import os
from typing import Any

from sqlalchemy import text

from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs.job import Done, Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker


def main(url: str, port: int) -> None:
    """Work until killed; `port` is where the handlers say what they do."""
    asyncio.run(_work(url, port))


def kinds(port: int) -> dict[str, JobKind]:
    running = 0

    async def say(*words: object) -> None:
        await _say(port, *words)

    async def send(job: Job) -> Outcome:
        nonlocal running
        running += 1
        try:
            await say("send", job.id, job.lane, os.getpid(), job.attempt, running)
        finally:
            running -= 1
        return Done()

    async def poison(job: Job) -> Outcome:
        await say("poison", job.id, job.lane, os.getpid(), job.attempt, running)
        os._exit(1)

    async def write(tx: Transaction, job: Job, _fetched: Any, _now: float) -> Outcome:
        await tx.execute(text("INSERT INTO made_by_test VALUES(:n)").bindparams(n=job.args["n"]))
        return Done()

    return {
        "send": JobKind("send", fetch=send, at_once=8, per_lane=2, lease=1.5, attempts=1000),
        "write": JobKind("write", write=write, lease=1.5, attempts=1000),
        "poison": JobKind("poison", fetch=poison, lease=1.5, attempts=3),
    }


async def _say(port: int, *words: object) -> None:
    """One line to the test, which answers when it has counted it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write((" ".join(map(str, words)) + "\n").encode())
    await reader.readline()
    writer.close()


async def _work(url: str, port: int) -> None:
    database = Database(url, pool_size=2)
    await _say(port, "ready", 0, "none", os.getpid(), 0, 0)
    await Worker(database, kinds(port), poll=0.2, reap_every=0.3).run()
