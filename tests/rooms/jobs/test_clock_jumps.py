"""A clock that jumps an hour either way: nothing is lost, nothing ends twice, and what runs keeps its lease.

What is meant to run at a moment runs when the clock says that it has come: after a jump back it waits for as much
longer as the clock went back, after a jump forward it comes early. A lease that was never renewed after a jump back
ends that much later, too.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text

from fakes.crew import Log, Terms, hired, make_table, rows
from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs import reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker

HOUR = 3600.0


@asynccontextmanager
async def working(worker: Worker) -> AsyncIterator[None]:
    task = asyncio.create_task(worker.run())
    try:
        with anyio.fail_after(30):
            yield
            worker.stop()
            await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def renewed(database: Database) -> None:
    """Wait until what runs holds a lease of the usual length by the clock as it is now."""
    while True:
        left = [row.lease_until - clock.now() for row in await rows(database) if row.state == "leased"]
        if left and all(0 < seconds <= 2.0 for seconds in left):
            return
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
async def test_what_runs_when_the_clock_jumps_is_renewed_and_runs_once(jump: float, database: Database) -> None:
    begun: list[int] = []
    go_on = asyncio.Event()

    async def long(job: Job) -> Outcome:
        begun.append(job.id)
        await go_on.wait()
        return Done()

    async with database.write() as tx:
        await put(tx, [NewJob("long", f"host:{n}.test", ordering_key=f"key {n}") for n in range(3)])
        await put(tx, [NewJob("long", f"host:{n}.test", ordering_key=f"key {n}") for n in range(3)])
    # It tidies rarely: leases are renewed before anybody looks for dead ones.
    kinds = {"long": JobKind("long", fetch=long, lease=2.0)}
    async with working(Worker(database, kinds, poll=0.1, reap_every=600.0)):
        while len(begun) < 3:  # noqa: ASYNC110 - it is looked at from time to time
            await asyncio.sleep(0.02)
        clock.advance(jump)
        await renewed(database)
        assert await reaper.reap(database, kinds) == 0
        assert len(begun) == 3, "none was started again, and none before its turn"
        go_on.set()
        if jump < 0:  # what waited was put at a time that has not come again
            while sum(row.finished_at is not None for row in await rows(database)) < 3:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.02)
            assert len(begun) == 3
            clock.advance(-jump)
        while any(row.finished_at is None for row in await rows(database)):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
    found = await rows(database)
    assert {(row.state, row.attempt) for row in found} == {("done", 1)}
    assert Counter(begun) == Counter(row.id for row in found)


async def test_a_lease_that_a_jump_made_look_expired_is_taken_back_and_its_late_outcome_changes_nothing(
    database: Database,
) -> None:
    await make_table(database)
    begun: list[int] = []
    go_on = asyncio.Event()

    async def fetch(job: Job) -> int:
        begun.append(job.attempt)
        if job.attempt == 1:
            await go_on.wait()
        return job.attempt

    async def write(tx: Transaction, _job: Job, fetched: int, _now: float) -> None:
        await tx.execute(text("INSERT INTO made_by_test VALUES (0, 0, :a)").bindparams(a=fetched))

    kinds = {"work": JobKind("work", fetch=fetch, write=write, lease=600.0)}  # not renewed within this test
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work")])
    async with working(Worker(database, kinds, poll=0.1, reap_every=600.0)):
        while not begun:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
        clock.advance(HOUR)
        assert await reaper.reap(database, kinds) == 1
        other = Database(database.url.render_as_string(hide_password=False))
        await Worker(other, kinds).drain()
        await other.close()
        go_on.set()
    (row,) = await rows(database)
    assert (row.state, row.attempt) == ("done", 2)
    async with database.read() as tx:
        assert [row[0] for row in await tx.all(text("SELECT attempt FROM made_by_test"))] == [2]


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
async def test_what_waits_when_the_clock_jumps_waits_for_its_moment_and_is_not_lost(
    jump: float, database: Database
) -> None:
    now = clock.now()
    ran: list[str] = []

    async def work(job: Job) -> Outcome:
        ran.append(job.args["when"])
        return Done()

    kinds = {"work": JobKind("work", fetch=work)}
    async with database.write() as tx:
        await put(tx, [NewJob("work", "a", {"when": "now"}), NewJob("work", "a", {"when": "soon"}, run_at=now + 600)])
    clock.advance(jump)
    async with database.write() as tx:
        await put(tx, [NewJob("work", "b", {"when": "after the jump"})])
    with anyio.fail_after(30):
        await Worker(database, kinds).drain()
        if jump > 0:
            assert sorted(ran) == ["after the jump", "now", "soon"]
            return
        assert ran == ["after the jump"], "what was put before is of a time that has not come yet"
        assert await reaper.repair(database) == 0
        clock.advance(HOUR + 1)
        await Worker(database, kinds).drain()
        assert ran == ["after the jump", "now"]
        clock.advance(600)
        await Worker(database, kinds).drain()
    assert ran == ["after the jump", "now", "soon"]


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["fast", "slow"])
async def test_of_two_processes_one_has_a_clock_that_is_an_hour_wrong_and_all_is_written_once(
    jump: float, database: Database, database_url: str, tmp_path: Path
) -> None:
    log = Log(tmp_path / "log")
    await make_table(database)
    async with database.write() as tx:
        await put(tx, [NewJob("write", f"host:{n % 3}.test", {"n": n}) for n in range(30)])
        await put(tx, [NewJob("work", f"host:{n}.test", {"do": "sleep", "seconds": 0.2}) for n in range(6)])
    with anyio.fail_after(60):
        wrong, right = (Terms(lease=20.0, reap_every=600.0, wall_ahead=ahead) for ahead in (jump, 0.0))
        with hired(database_url, log, 1, wrong), hired(database_url, log, 1, right):
            await log.until(2, "ready")
            async with database.write() as tx:
                await put(tx, [NewJob("write", f"host:{n % 3}.test", {"n": n}) for n in range(30, 60)])
            while not all(row.finished_at for row in await rows(database)):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.05)
    found = await rows(database)
    assert {row.state for row in found} == {"done"}
    if not (database.is_sqlite and jump > 0):
        # On SQLite, where the clock is that of whoever looks, a fast one may take a living lease for a dead one's:
        # the job runs once more, and what the first run wrote is undone.
        assert {row.attempt for row in found} == {1}
        assert Counter(line.id for line in log.lines("begin", "work")) == Counter(
            row.id for row in found if row.kind == "work"
        )
    assert max(row.attempt for row in found) <= 2
    async with database.read() as tx:
        written = Counter(row[0] for row in await tx.all(text("SELECT n FROM made_by_test")))
    assert written == Counter(range(60))
