"""What is paused waits for the operator, in its place; on both databases."""

from typing import Any

import pytest
from sqlalchemy import select

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.errors import Conflict
from privapub.jobs import pause, read, reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker

DAY = 86400.0


async def done(_job: Job) -> Outcome:
    return Done()


WORK = JobKind("work", fetch=done)
KINDS = {name: JobKind(name, fetch=done) for name in ("work", "prune", "other")}


async def put_all(database: Database, *jobs: NewJob) -> None:
    async with database.write() as tx:
        await put(tx, jobs)


async def take(database: Database) -> list[Any]:
    found = await lease(database, [Slot(kind, 8) for kind in KINDS.values()], identifiers.token())
    return [job.lane for job in found.jobs]


async def states(database: Database) -> dict[str, tuple[str, int]]:
    """By lane, each row's state and attempt."""
    async with database.read() as tx:
        return {row.lane: (row.state, row.attempt) for row in await tx.all(select(table).order_by(table.c.id))}


async def pause_all(database: Database, *stay: str) -> None:
    async with database.write() as tx:
        for statement in pause.statements(stay):
            await tx.raw(statement)


async def resume(database: Database, kind: str | None = None) -> int:
    async with database.write() as tx:
        return await pause.resume(tx, kind)


async def test_what_waited_ran_or_was_blocked_is_paused_and_a_lease_gives_its_attempt_back(database: Database) -> None:
    await put_all(database, NewJob("work", "running"))
    assert await take(database) == ["running"]
    await put_all(
        database,
        NewJob("work", "waiting"),
        NewJob("work", "first", ordering_key="k"),
        NewJob("work", "second", ordering_key="k"),
        NewJob("prune", "prune"),
    )
    assert (await states(database))["running"] == ("leased", 1)
    await pause_all(database, "prune")
    paused = dict.fromkeys(("running", "waiting", "first", "second"), ("paused", 0))
    assert await states(database) == {**paused, "prune": ("waiting", 0)}
    async with database.read() as tx:
        assert await pause.count(tx) == 4
        assert len(await read.list_jobs(tx, state="paused")) == 4
    assert await take(database) == ["prune"]


async def test_nothing_that_mends_the_queue_lets_them_go(database: Database) -> None:
    await put_all(database, NewJob("work", "a"), NewJob("work", "b", ordering_key="k"))
    await take(database)
    await pause_all(database)
    clock.advance(DAY)
    assert await reaper.reap(database, KINDS) == 0
    assert await reaper.repair(database) == 0
    assert await take(database) == []
    assert await Worker(database, KINDS).drain() == 0


async def test_they_go_on_as_they_were_each_in_its_order(database: Database) -> None:
    later = clock.now() + DAY
    await put_all(
        database,
        NewJob("work", "first", ordering_key="k"),
        NewJob("work", "second", ordering_key="k"),
        NewJob("work", "later", run_at=later),
    )
    await pause_all(database)
    assert await resume(database) == 3
    assert await resume(database) == 0
    assert {lane: state for lane, (state, _) in (await states(database)).items()} == {
        "first": "waiting",
        "second": "blocked",
        "later": "waiting",
    }
    assert await take(database) == ["first"]
    async with database.read() as tx:
        rows = await tx.all(select(table.c.lane, table.c.run_at).where(table.c.lane == "later"))
    assert [row.run_at for row in rows] == [later]


async def test_a_worker_that_sleeps_hears_of_it_and_runs_each_once(database: Database) -> None:
    ran: list[str] = []

    async def note(job: Job) -> Outcome:
        ran.append(job.lane)
        return Done()

    await put_all(database, *(NewJob("work", f"lane {n}") for n in range(20)))
    await pause_all(database)
    worker = Worker(database, {"work": JobKind("work", fetch=note)})
    assert await worker.drain() == 0
    woken: list[None] = []
    database.listen("jobs", lambda: woken.append(None))
    await resume(database)
    assert woken
    assert await Worker(database, {"work": JobKind("work", fetch=note)}).drain() == 20
    assert sorted(ran) == sorted(f"lane {n}" for n in range(20))


async def test_one_kind_alone_goes_on(database: Database) -> None:
    await put_all(database, NewJob("work", "w"), NewJob("other", "o"))
    await pause_all(database)
    assert await resume(database, "other") == 1
    assert await take(database) == ["o"]
    assert (await states(database))["w"] == ("paused", 0)


async def test_what_is_put_behind_a_paused_one_waits_for_it(database: Database) -> None:
    await put_all(database, NewJob("work", "before", ordering_key="k"))
    await pause_all(database)
    await put_all(database, NewJob("work", "after", ordering_key="k"), NewJob("work", "new"))
    assert await take(database) == ["new"]
    await resume(database)
    assert await take(database) == ["before"]


async def test_a_twin_of_a_paused_one_is_not_queued_and_one_that_waited_for_its_end_waits_on(
    database: Database,
) -> None:
    one = NewJob("work", "one", dedupe_key="k", unique_while_waiting=True)
    await put_all(database, one)
    await take(database)
    await put_all(database, NewJob("work", "twin", dedupe_key="k", unique_while_waiting=True))
    assert (await states(database))["twin"] == ("blocked", 0)
    await pause_all(database)
    await put_all(database, NewJob("work", "third", dedupe_key="k", unique_while_waiting=True))
    assert await states(database) == {"one": ("paused", 0), "twin": ("paused", 0)}
    await resume(database)
    assert await states(database) == {"one": ("waiting", 0), "twin": ("blocked", 0)}
    assert await Worker(database, KINDS).drain() == 2


async def test_to_cancel_a_paused_one_sends_nothing_out(database: Database) -> None:
    await put_all(database, NewJob("work", "create", ordering_key="k"), NewJob("work", "delete", ordering_key="k"))
    await pause_all(database)
    async with database.write() as tx:
        (create,) = [row.id for row in await read.list_jobs(tx) if row.lane == "create"]
        await read.cancel(tx, create, clock.now())
    assert await states(database) == {"create": ("cancelled", 0), "delete": ("paused", 0)}
    assert await take(database) == []
    async with database.write() as tx:
        with pytest.raises(Conflict):
            await read.cancel(tx, create, clock.now())
    await resume(database)
    assert await take(database) == ["delete"]


async def test_many_go_on_a_part_at_a_time_the_oldest_first(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pause, "_RESUME", pause._RESUME.replace(f"LIMIT {pause.AT_ONCE}", "LIMIT 3"))
    await put_all(database, *(NewJob("work", f"{n}", ordering_key=f"key {n % 2}") for n in range(7)))
    async with database.read() as tx:
        oldest = [row.lane for row in await tx.all(select(table.c.lane).order_by(table.c.id))]
    await pause_all(database)
    assert await resume(database) == 3
    assert [lane for lane, (state, _) in (await states(database)).items() if state != "paused"] == oldest[:3]
    assert await Worker(database, KINDS).drain() == 3
    assert [await resume(database), await resume(database), await resume(database)] == [3, 1, 0]
    assert await Worker(database, KINDS).drain() == 4
