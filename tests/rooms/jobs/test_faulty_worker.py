"""A worker whose connection dies, or which is killed, at any statement: every job ends, all is written once."""

import os
import signal
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import anyio
from sqlalchemy import select, text

from fakes.crew import MADE, Log, Terms, gone, hired, make_table
from fakes.faults import GONE, connect_again, faulty, only_one_is_left
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs import reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker

KILLS = int(os.environ.get("PRIVAPUB_TEST_KILLS", "15"))


async def send(_job: Job) -> Outcome:
    return Done()


async def write(tx: Transaction, job: Job, _fetched: Any, _now: float) -> None:
    await tx.execute(MADE.bindparams(n=job.args["n"], pid=0, attempt=job.attempt))


KINDS = {
    "send": JobKind("send", fetch=send, lease=30.0, attempts=50),
    "write": JobKind("write", write=write, lease=30.0, attempts=50),
}


async def finish_it(database: Database, scope: str) -> None:
    """Another worker, later, brings all to their end."""
    for _ in range(8):
        async with database.read() as tx:
            left = select(table.c.id).where(table.c.scope == scope, table.c.finished_at.is_(None))
            if await tx.first(left) is None:
                return
        clock.advance(60)
        await reaper.reap(database, KINDS, scope=scope)
        await Worker(database, KINDS, scope=scope).drain()


async def test_a_worker_whose_connection_dies_at_any_statement_loses_nothing_and_does_nothing_twice(
    database: Database, database_url: str
) -> None:
    await make_table(database)
    failing, faults = faulty(database_url)
    every = [(n, after) for n in range(1, 200) for after in (False, True)]
    numbers = count()
    with anyio.fail_after(120 + 10 * KILLS):
        for n, after in every if KILLS > 15 else every[::5]:
            scope = identifiers.token()
            expected = [next(numbers) for _ in range(3)]
            jobs = [NewJob("write", "write", {"n": each}, ordering_key="key") for each in expected]
            async with database.write() as tx:
                await put(tx, [*jobs, NewJob("send", "host:a.test"), NewJob("send", "host:a.test")], scope=scope)
            await connect_again(failing)
            with faults.armed(n, after=after):
                try:
                    await Worker(failing, KINDS, scope=scope).drain()
                except GONE:
                    assert faults.struck
            await only_one_is_left(database)
            await finish_it(database, scope)
            async with database.read() as tx:
                states = [row[0] for row in await tx.all(select(table.c.state).where(table.c.scope == scope))]
                made = Counter(row[0] for row in await tx.all(text("SELECT n FROM made_by_test")))
            assert states == ["done"] * 5, (n, after)
            assert all(made[each] == 1 for each in expected), (n, after, faults.statements)
            if not faults.struck:
                break
        else:
            raise AssertionError("it never ends")
    await failing.close()


async def test_a_process_that_is_killed_at_one_statement_or_another_loses_nothing_and_writes_nothing_twice(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await make_table(database)
    total = 0
    killed = 0
    with anyio.fail_after(120 + 10 * KILLS):
        for turn in range(max(4, KILLS // 3)):
            async with database.write() as tx:
                jobs = [NewJob("write", "write", {"n": total + n}, ordering_key="key") for n in range(3)]
                await put(tx, [*jobs, NewJob("work", "host:a.test")])
            total += 3
            terms = Terms(lease=1.0, attempts=100, kill_at=2 + 3 * turn, kill_after=turn % 2 == 1)
            with hired(database_url, Log(tmp_path / "log"), 1, terms) as (process,):
                killed += await gone(process) == -signal.SIGKILL
        with hired(database_url, Log(tmp_path / "log"), 1, Terms(lease=1.0, attempts=100)):
            while True:
                async with database.read() as tx:
                    rows = await tx.all(select(table))
                if all(row.finished_at for row in rows):
                    break
                await anyio.sleep(0.05)
    assert killed == max(4, KILLS // 3)
    assert {row.state for row in rows} == {"done"}
    async with database.read() as tx:
        made = Counter(row[0] for row in await tx.all(text("SELECT n FROM made_by_test")))
    assert made == Counter(range(total))
