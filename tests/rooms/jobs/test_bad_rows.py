"""Rows and handlers that are not as they should be: each ends with a reason, and those beside it are done."""

import asyncio
import importlib
import logging
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from sqlalchemy import select, text, update

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs import reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker


async def good(_job: Job) -> Outcome:
    return Done()


GOOD = JobKind("good", fetch=good, at_once=8)


async def row_of(database: Database, kind: str) -> Any:
    async with database.read() as tx:
        (found,) = await tx.all(select(table).where(table.c.kind == kind))
    return found


async def among_good_ones(database: Database, *bad: str, **values: Any) -> None:
    """One job of each bad kind, in the middle of ten that are not."""
    async with database.write() as tx:
        await put(tx, [NewJob("good", "good", {"n": n}) for n in range(5)])
        await put(tx, [NewJob(kind, "good", **values) for kind in bad or ("bad",)])
        await put(tx, [NewJob("good", "good", {"n": n}) for n in range(5, 10)])


async def drained(database: Database, *bad: JobKind) -> None:
    """Work until nothing can be done any more, whatever the waits, and see that the good ones are done at once."""
    kinds = {kind.name: kind for kind in (GOOD, *bad)}
    with anyio.fail_after(60):
        for turn in range(6):
            await Worker(database, kinds).drain()
            if turn == 0:
                async with database.read() as tx:
                    states = await tx.all(select(table.c.state).where(table.c.kind == "good"))
                assert [row.state for row in states] == ["done"] * 10
            clock.advance(400)
            await reaper.reap(database, kinds)


UNREADABLE = {
    "no JSON at all": "no JSON",
    '{"cut": ': "no JSON",
    "": "no JSON",
    "[" * 20_000: "no JSON",
    '["a", "list"]': "no JSON object",
    "null": "no JSON object",
    '"a word"': "no JSON object",
    "17": "no JSON object",
}


async def test_arguments_that_cannot_be_read_end_the_job_at_once_with_the_reason(database: Database) -> None:
    ran: list[Job] = []

    async def never(job: Job) -> Outcome:
        ran.append(job)
        return Done()

    bad = [JobKind(f"bad{n}", fetch=never) for n in range(len(UNREADABLE))]
    await among_good_ones(database, *(kind.name for kind in bad))
    async with database.write() as tx:
        for kind, args in zip(bad, UNREADABLE, strict=True):
            await tx.execute(update(table).where(table.c.kind == kind.name).values(args=args))
    await drained(database, *bad)
    assert not ran
    for kind, said in zip(bad, UNREADABLE.values(), strict=True):
        row = await row_of(database, kind.name)
        assert (row.state, row.attempt, row.stamp) == ("failed", 1, None)
        assert said in row.why


class Fields(msgspec.Struct, forbid_unknown_fields=True):
    """What this release's handler reads."""

    post_id: int


@pytest.mark.parametrize("args", [{}, {"post_id": "seven"}, {"post_id": 7, "from_a_newer_release": 1}])
async def test_arguments_with_the_wrong_fields_fail_with_the_reason_once_the_attempts_are_spent(
    args: dict[str, Any], database: Database
) -> None:
    async def write(_tx: Transaction, job: Job, _fetched: Any, _now: float) -> None:
        msgspec.convert(job.args, Fields)

    await among_good_ones(database, args=args)
    await drained(database, JobKind("bad", write=write, attempts=2))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt) == ("failed", 2)
    assert row.why.startswith("ValidationError: ")


async def test_a_kind_that_no_release_here_knows_waits_a_day_for_one_that_does_and_is_then_given_up(
    database: Database,
) -> None:
    await among_good_ones(database, "from_a_newer_release")
    await drained(database)
    kinds = {"good": GOOD}
    assert (await row_of(database, "from_a_newer_release")).state == "waiting"
    await reaper.give_up_waiting(database, kinds)
    assert (await row_of(database, "from_a_newer_release")).state == "waiting"
    clock.advance(reaper.UNKNOWN_KEPT)
    await reaper.give_up_waiting(database, kinds)
    row = await row_of(database, "from_a_newer_release")
    assert (row.state, row.attempt) == ("failed", 0)
    assert "no release here knows" in row.why


async def test_a_kind_that_comes_to_be_known_within_the_day_is_run(database: Database) -> None:
    await among_good_ones(database, "from_a_newer_release")
    await drained(database)
    await reaper.give_up_waiting(database, {"good": GOOD})
    await drained(database, JobKind("from_a_newer_release", fetch=good))
    assert (await row_of(database, "from_a_newer_release")).state == "done"


async def test_a_handler_that_hangs_is_stopped_at_its_deadline_each_time_until_its_attempts_are_spent(
    database: Database,
) -> None:
    stopped = 0

    async def hangs(_job: Job) -> Outcome:
        nonlocal stopped
        try:
            await asyncio.Event().wait()
        finally:
            stopped += 1
        return Done()

    await among_good_ones(database)
    await drained(database, JobKind("bad", fetch=hangs, deadline=0.05, attempts=3))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt, row.why) == ("failed", 3, "took longer than 0.05 seconds")
    assert stopped == 3


async def test_a_writing_handler_that_hangs_leaves_nothing_and_holds_up_nobody_after_its_deadline(
    database: Database,
) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(n INTEGER)"))

    async def hangs(tx: Transaction, _job: Job, _fetched: Any, _now: float) -> None:
        await tx.execute(text("INSERT INTO made_by_test VALUES (1)"))
        await asyncio.Event().wait()

    await among_good_ones(database)
    await drained(database, JobKind("bad", write=hangs, deadline=0.05, attempts=2))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt, row.why) == ("failed", 2, "took longer than 0.05 seconds")
    async with database.read() as tx:
        assert await tx.scalar(text("SELECT count(*) FROM made_by_test")) == 0


@pytest.mark.parametrize("half", ["fetch", "write"])
async def test_an_outcome_that_is_none_is_a_failure_that_says_so(half: str, database: Database) -> None:
    def answering(nonsense: Any) -> Any:
        async def answers(*_: Any) -> Any:
            return nonsense

        return answers

    nonsense = (42, "done", object(), {"state": "done"}, Done, False)
    bad = [JobKind(f"bad{n}", attempts=2, **{half: answering(each)}) for n, each in enumerate(nonsense)]
    await among_good_ones(database, *(kind.name for kind in bad))
    await drained(database, *bad)
    for kind in bad:
        row = await row_of(database, kind.name)
        assert (row.state, row.attempt) == ("failed", 2)
        assert row.why.startswith("TypeError: ")
        assert kind.name in row.why


ERRORS = (SystemExit, KeyboardInterrupt, RecursionError, MemoryError)


@pytest.mark.parametrize("half", ["fetch", "write"])
async def test_what_a_handler_raises_ends_its_attempt_and_not_the_process(half: str, database: Database) -> None:
    def raising(error: type[BaseException]) -> Any:
        async def raises(*_: Any) -> Any:
            raise error(1)

        return raises

    bad = [JobKind(error.__name__, attempts=2, **{half: raising(error)}) for error in ERRORS]
    await among_good_ones(database, *(kind.name for kind in bad))
    await drained(database, *bad)
    for kind in bad:
        row = await row_of(database, kind.name)
        assert (row.state, row.attempt, row.why) == ("failed", 2, f"{kind.name}: 1")


async def test_a_handler_that_cancels_itself_is_bounded_too(database: Database) -> None:
    async def gives_in(_job: Job) -> Outcome:
        raise asyncio.CancelledError

    await among_good_ones(database)
    await drained(database, JobKind("bad", fetch=gives_in, attempts=2))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt, row.why) == ("failed", 2, "worker died")


async def test_a_handler_whose_module_cannot_be_imported_fails_with_the_reason(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_by_a_test.py").write_text("raise RuntimeError('half an upgrade')\n", encoding="ascii")
    monkeypatch.syspath_prepend(str(tmp_path))

    async def loads(_job: Job) -> Outcome:
        importlib.import_module("broken_by_a_test")
        return Done()

    await among_good_ones(database)
    await drained(database, JobKind("bad", fetch=loads, attempts=2))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt, row.why) == ("failed", 2, "RuntimeError: half an upgrade")


async def test_a_reason_that_no_database_can_hold_is_still_one(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "privapub.jobs.worker")  # what it would say can be no text between processes

    async def raises(_job: Job) -> Outcome:
        raise ValueError("a null\0, half a pair \ud83d, and a very long one: " + "x" * 100_000)

    await among_good_ones(database)
    await drained(database, JobKind("bad", fetch=raises, attempts=2))
    row = await row_of(database, "bad")
    assert (row.state, row.attempt) == ("failed", 2)
    assert "ValueError: a null" in row.why
    assert len(row.why) <= 1000
