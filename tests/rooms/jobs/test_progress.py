"""How far a job has come, as its handler tells and an operator watches; on both databases."""

import asyncio
import math
from typing import Any

import pytest

from privapub import identifiers
from privapub.database.connect import Database
from privapub.errors import NotFound
from privapub.jobs import progress, read
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.worker import Worker


async def done(_job: Job) -> Outcome:
    return Done()


WORK = JobKind("work", fetch=done)


@pytest.fixture(autouse=True)
def _as_often_as_one_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)


async def leased(database: Database) -> Job:
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work")])
    return (await lease(database, [Slot(WORK, 1)], identifiers.token())).jobs[0]


async def told(database: Database, job: Job) -> tuple[float | None, str | None]:
    async with database.read() as tx:
        row = await read.show(tx, job.id)
    return row.progress, row.progress_note


async def end(database: Database, job: Job, outcome: Outcome) -> None:
    async with database.write() as tx:
        await finish(tx, {"work": WORK}, [(job, outcome)], await moment(tx))


async def test_a_job_says_how_far_it_is_in_a_number_and_a_sentence(database: Database) -> None:
    job = await leased(database)
    assert await told(database, job) == (None, None)
    await progress.report(database, job, 0.25, "packing pictures")
    assert await told(database, job) == (0.25, "packing pictures")
    await progress.report(database, job, 7, "a\0b\x1b[31m\nc\ud800" + "x" * 900)
    far, note = await told(database, job)
    assert far == 1
    assert note is not None
    assert note.startswith("a b [31m c x")
    assert len(note) <= 200


async def test_within_a_second_only_the_first_is_written_and_the_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 3600.0)
    job, other = await leased(database), await leased(database)
    await progress.report(database, job, 0.1, "first")
    await progress.report(database, job, 0.2, "second")
    assert await told(database, job) == (0.1, "first")
    await progress.report(database, other, 0.5, "each for itself")
    assert await told(database, other) == (0.5, "each for itself")
    await progress.report(database, job, 1, "last")
    await progress.report(database, job, 1, "after the last")
    assert await told(database, job) == (1, "last")
    monkeypatch.setattr(progress, "EVERY", 0.0)
    await progress.report(database, other, 0.6, "later")
    assert await told(database, other) == (0.6, "later")
    assert len(progress._written) == 1, "what was written longer ago is forgotten"


async def test_whose_lease_is_gone_writes_nothing(database: Database) -> None:
    job = await leased(database)
    async with database.write() as tx:
        await read.cancel(tx, job.id, await moment(tx))
        await read.retry(tx, job.id, await moment(tx))
    await progress.report(database, job, 0.5, "of the cancelled one")
    assert await told(database, job) == (None, None)
    (again,) = (await lease(database, [Slot(WORK, 1)], identifiers.token())).jobs
    await progress.report(database, job, 0.5, "of the first lease")
    assert await told(database, again) == (None, None)
    await progress.report(database, again, 0.75, "of the second")
    await end(database, again, Done())
    await progress.report(database, again, 0.1, "after the end")
    assert await told(database, again) == (0.75, "of the second")


async def test_it_never_fails_the_handler(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job = await leased(database)
    async with database.write() as tx:  # where another transaction would wait for this one
        await progress.report(database, job, 0.5, "inside")
        await tx.first(read.select(read.table.c.id))
    assert await told(database, job) == (None, None)
    nothing: Any = None
    await progress.report(database, job, nothing, nothing)

    def broken() -> Any:
        raise ConnectionError

    monkeypatch.setattr(database, "write", broken)
    await progress.report(database, job, 0.5)
    assert [record.getMessage() for record in caplog.records] == [
        f"could not write how far job {job.id} is: TypeError",
        f"could not write how far job {job.id} is: ConnectionError",
    ]


async def test_who_tries_a_job_again_begins_anew(database: Database) -> None:
    job = await leased(database)
    await progress.report(database, job, 0.5, "half")
    await end(database, job, GiveUp("no"))
    async with database.write() as tx:
        await read.retry(tx, job.id, await moment(tx))
    assert await told(database, job) == (None, None)


async def test_a_handler_of_both_halves_is_watched_to_its_end(database: Database) -> None:
    seen: list[tuple[str, float | None, str | None]] = []
    looked = asyncio.Event()

    async def fetch(job: Job) -> str:
        for number in range(1, 4):
            await progress.report(database, job, number / 4, f"{number} of 4")
            while f"{number} of 4" not in [note for _, _, note in seen]:
                looked.clear()
                await looked.wait()
        return "found"

    async def write(_tx: object, _job: Job, found: str, _now: float) -> None:
        assert found == "found"

    async with database.write() as tx:
        await put(tx, [NewJob("long", "long")])
    worker = Worker(database, {"long": JobKind("long", fetch=fetch, write=write)})

    async def watch() -> None:
        async for row in progress.watch(database, 1, every=0.01):
            seen.append((row.state, progress.how_far(row), row.progress_note))
            looked.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        await looked.wait()
        await worker.drain()
        await watching
    states = [state for state, _, _ in seen]
    assert (states[0], states[-1]) == ("waiting", "done")
    assert [one for one in seen if one[1] is not None] == [
        ("leased", 0.25, "1 of 4"),
        ("leased", 0.5, "2 of 4"),
        ("leased", 0.75, "3 of 4"),
        ("done", 1.0, "3 of 4"),
    ]


async def test_watching_a_job_that_is_over_ends_at_once_and_one_that_is_not_there_never_begins(
    database: Database,
) -> None:
    job = await leased(database)
    await end(database, job, GiveUp("no"))
    async with asyncio.timeout(20):
        assert [row.why async for row in progress.watch(database, job.id)] == ["no"]
        with pytest.raises(NotFound):
            await anext(progress.watch(database, job.id + 1))


async def test_what_is_watched_may_vanish(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", trigger="request")])
    async with asyncio.timeout(20):
        rows = progress.watch(database, 1, every=0.0)
        assert (await anext(rows)).state == "waiting"
        await Worker(database, {"work": WORK}).drain()
        with pytest.raises(NotFound):
            [row async for row in rows]


@pytest.mark.parametrize(
    ("given", "kept"), [(0.5, 0.5), (-1, 0.0), (2, 1.0), (math.nan, 0.0), (math.inf, 1.0), (-math.inf, 0.0)]
)
def test_numbers_are_kept_within_their_bounds(given: float, kept: float) -> None:
    assert progress.within(given) == kept
