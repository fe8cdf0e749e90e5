"""`privapub jobs`, `privapub hosts` and the report, typed by who looks after the queue; on both databases."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import anyio
import pytest
from sqlalchemy import select, text, update

from privapub import identifiers
from privapub.cli import jobs
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.federation.delivery.deliver import DELIVERY
from privapub.jobs import pause, progress, read
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.read import Changed
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane as lanes

HOUR = 3600.0
Type = Callable[..., int]
Said = Callable[..., Awaitable[str]]
Told = Callable[..., Awaitable[Any]]


async def done(_job: Job) -> Outcome:
    return Done()


PARCEL = {
    "rendering": 1,
    "inbox": "https://a.example/inbox",
    "recipient": "",
    "about": "",
    "activity": "",
    "post": None,
}
WORK = JobKind("work", fetch=done)
KINDS = {name: JobKind(name, fetch=done) for name in ("work", DELIVERY)}


@pytest.fixture
def said(typed: Type, database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    """What a command prints, and it must end so."""
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)

    async def said_(*words: str, ends: int = 0) -> str:
        capsys.readouterr()
        status = await anyio.to_thread.run_sync(lambda: typed(*words))
        out, err = capsys.readouterr()
        assert status == ends, (out, err)
        return out + err

    return said_


@pytest.fixture
def told(said: Said) -> Told:
    """What a command prints with --json."""

    async def told_(*words: str, ends: int = 0) -> Any:
        return json.loads(await said(*words, "--json", ends=ends))

    return told_


async def put_all(database: Database, *jobs: NewJob) -> None:
    for job in jobs:
        async with database.write() as tx:
            await put(tx, [job])


async def run_all(database: Database, outcome: Outcome) -> list[Job]:
    jobs = (await lease(database, [Slot(kind, 100) for kind in KINDS.values()], "stamp")).jobs
    async with database.write() as tx:
        await finish(tx, KINDS, [(job, outcome) for job in jobs], await moment(tx))
    return jobs


async def aged(database: Database, seconds: float, **more: float) -> None:
    async with database.write() as tx:
        now = await moment(tx)
        put_then = {"created_at": now - seconds, **{name: now - value for name, value in more.items()}}
        await tx.execute(update(table).values(**put_then))


async def test_jobs_are_listed_by_host_state_and_age(database: Database, told: Told, said: Said) -> None:
    await put_all(database, NewJob(DELIVERY, "host:a.example"), NewJob(DELIVERY, "host:xn--bcher-kva.example:8443"))
    await aged(database, 3 * HOUR)
    await put_all(database, NewJob("work", "work"))
    listed = {
        words: [row["id"] for row in await told("jobs", "list", *words.split())]
        for words in (
            "", "--limit 2", "--host A.Example", "--host Bücher.example:8443", "--older-than 2h", "--older-than 4h",
            "--newer-than 180m", "--older-than 7200s --host a.example", "--kind work --state waiting", "--state done",
        )
    }  # fmt: skip
    assert listed == {
        "": [3, 2, 1], "--limit 2": [3, 2], "--host A.Example": [1], "--host Bücher.example:8443": [2],
        "--older-than 2h": [2, 1], "--older-than 4h": [], "--newer-than 180m": [3],
        "--older-than 7200s --host a.example": [1], "--kind work --state waiting": [3], "--state done": [],
    }  # fmt: skip
    assert await said("jobs", "list", "--state", "done") == "No job matches.\n"
    unknown = await said("jobs", "list", "--kind", "nonsense")
    assert unknown.startswith(
        "No job matches. (This version knows no kind 'nonsense'; there are: ask_origin, clean_domain, context, "
    )


async def test_an_ended_job_is_as_old_as_its_end(database: Database, told: Told) -> None:
    await put_all(database, NewJob("work", "work"))
    await run_all(database, GiveUp("no"))
    await aged(database, 72 * HOUR, finished_at=HOUR)
    assert await told("jobs", "list", "--older-than", "2h") == []
    assert [row["id"] for row in await told("jobs", "list", "--newer-than", "2h", "--state", "failed")] == [1]


async def test_many_are_counted_first_and_cancelled_when_one_says_yes(
    database: Database, told: Told, said: Said
) -> None:
    await put_all(
        database,
        *(NewJob(DELIVERY, "host:a.example", PARCEL, ordering_key="k") for _ in range(3)),
        NewJob("work", "work"),
    )
    words = ("jobs", "cancel", "--host", "a.example")
    assert await said(*words) == "3 jobs would be cancelled.\nSay --yes to do it.\n"
    assert await told(*words) == {"found": 3, "done": False, "cancelled": 0, "refused": {}}
    assert {row["state"] for row in await told("jobs", "list")} == {"waiting", "blocked"}
    assert await said(*words, "--yes") == "3 jobs were cancelled.\n"
    assert {row["id"]: row["state"] for row in await told("jobs", "list")} == {
        1: "cancelled", 2: "cancelled", 3: "cancelled", 4: "waiting",
    }  # fmt: skip
    assert await said(*words, "--yes") == "0 jobs were cancelled.\n"
    assert "cancelled already" in await said("jobs", "cancel", "1", ends=1)
    assert await told("jobs", "cancel", "4") == {"id": 4, "state": "cancelled"}


async def test_many_are_tried_again_and_those_that_cannot_be_are_counted(
    database: Database, told: Told, said: Said
) -> None:
    await put_all(database, *(NewJob("work", f"lane{n}", ordering_key=f"k{n}") for n in range(4)))
    await run_all(database, GiveUp("no"))
    await put_all(database, NewJob("work", "lane0", ordering_key="k0"))
    assert await said("jobs", "retry", "--kind", "work") == "4 jobs would be queued once more.\nSay --yes to do it.\n"
    answer = await said("jobs", "retry", "--kind", "work", "--yes")
    assert answer == (
        "3 jobs were queued once more.\n"
        "1 job not: each was followed by a later one of its order, and must stay as it is.\n"
    )
    assert (await told("jobs", "retry", "--state", "failed", "--older-than", "1d", "--yes"))["found"] == 0
    assert "must stay as it is" in await said("jobs", "retry", "1", ends=1)
    await told("jobs", "cancel", "2")
    assert await told("jobs", "retry", "2") == {"id": 2, "state": "waiting"}
    (first,) = await told("jobs", "list", "--state", "failed")
    assert first["id"] == 1


async def test_what_has_ended_is_purged_and_nothing_else(database: Database, told: Told, said: Said) -> None:
    await put_all(database, NewJob("work", "a"), NewJob("work", "b"))
    await run_all(database, Done())
    await put_all(database, NewJob("work", "c"), NewJob(DELIVERY, "host:a.example", PARCEL))
    await told("jobs", "cancel", "4")
    assert "--all" in await said("jobs", "purge", ends=1)
    assert "has not ended" in await said("jobs", "purge", "--state", "waiting", ends=1)
    assert await said("jobs", "purge", "--older-than", "1h") == "0 jobs were deleted.\n"
    assert await said("jobs", "purge", "--host", "a.example") == "1 job was deleted.\n"
    assert await told("jobs", "purge", "--all") == {"found": 2, "done": True, "deleted": 2, "refused": {}}
    assert [row["id"] for row in await told("jobs", "list")] == [3]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("jobs list --older-than 3x", "'3x' is no age"),
        ("jobs list --newer-than -1s", "is no age"),
        ("jobs list --older-than 9999999999d", "is no age"),
        ("jobs list --state dead", "No job is 'dead'"),
        ("jobs list --newer-than 1m --older-than 1h", "No job is older than 1h and newer than 1m."),
        ("jobs list --newer-than 60m --older-than 1h", "older than 1h and newer than 60m"),
        ("jobs cancel --host nobody.example", "Nothing was ever queued for nobody.example"),
        ("jobs retry --host nobody.example --yes", "Nothing was ever queued for nobody.example"),
        ("jobs purge --host nobody.example", "`privapub hosts list` shows those there are."),
        ("jobs cancel --host a/b --yes", "'a/b' is no name of a host"),
        ("jobs retry", "Say which jobs"),
        ("jobs cancel", "Say which jobs"),
        ("jobs cancel 1 --kind work", "not both"),
        ("jobs cancel 77", "There is no job 77"),
        ("jobs show 77 --follow", "There is no job 77"),
        ("hosts show nobody.example", "Nothing was ever queued for nobody.example"),
        ("hosts try Nobody.example", "Nothing was ever queued for nobody.example"),
        ("hosts forget bücher.example", "Nothing was ever queued for xn--bcher-kva.example"),
        ("hosts try @", "is no name of a host"),
    ],
)
async def test_what_cannot_be_meant_is_said_in_a_sentence(said: Said, words: str, sentence: str) -> None:
    assert sentence in await said(*words.split(), ends=1)


async def test_a_job_is_shown_in_words(database: Database, said: Said, told: Told) -> None:
    await put_all(database, NewJob("work", "work", dedupe_key="d"))
    # A stamp of its own: another test's report within the same second would count as this lease's.
    (job,) = (await lease(database, [Slot(WORK, 1)], identifiers.token())).jobs
    await progress.report(database, job, 0.45, "packing pictures")
    shown = dict(line.split(": ", 1) for line in (await said("jobs", "show", "1")).splitlines())
    assert (shown["once for ever"], shown["alone"], shown["why"]) == ("yes", "no", "—")
    assert (shown["progress"], shown["progress note"]) == ("45%", "packing pictures")
    assert shown["lease until"].endswith("Z")
    data = await told("jobs", "show", "1")
    assert (data["progress"], data["why"], data["lease_until"]) == (0.45, None, shown["lease until"])


@pytest.mark.parametrize(("outcome", "status"), [(Done(), 0), (GiveUp("no room"), 1)])
async def test_a_job_is_followed_to_its_end(
    database: Database, said: Said, monkeypatch: pytest.MonkeyPatch, outcome: Outcome, status: int
) -> None:
    await put_all(database, NewJob("work", "work"))
    monkeypatch.setattr(progress, "EVERY", 0.0)
    (job,) = (await lease(database, [Slot(WORK, 1)], "stamp")).jobs

    async def end() -> None:
        async with database.write() as tx:
            await finish(tx, KINDS, [(job, outcome)], await moment(tx))

    steps: list[Callable[[], Coroutine[Any, Any, None]]] = [lambda: progress.report(database, job, 0.5, "half"), end]

    here = asyncio.get_running_loop()

    async def step(_seconds: float) -> None:
        """Between two looks, the job goes on, in the loop of the test."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(steps.pop(0)(), here))

    monkeypatch.setattr(progress.clock, "sleep", step)
    lines = [
        json.loads(line)
        for line in (await said("jobs", "show", "1", "--follow", "--json", ends=status)).split("\n")
        if line
    ]
    assert [(line["state"], line["progress"], line["progress_note"]) for line in lines] == [
        ("leased", None, None),
        ("leased", 0.5, "half"),
        ("done", 1.0, "half") if status == 0 else ("failed", 0.5, "half"),
    ]
    assert await said("jobs", "show", "1", "--follow", ends=status) == (
        "job 1, done: 100%, half\n" if status == 0 else "job 1, failed: 50%, half, no room\n"
    )


async def quarantined(database: Database, host: str = "a.example") -> None:
    async with database.write() as tx:
        values = {"fails": 12, "quarantine": HOUR, "open_until": await moment(tx) + HOUR, "cap": 1}
        await tx.execute(update(lanes).where(lanes.c.lane == f"host:{host}").values(**values, next_at=None))


async def test_a_host_that_is_left_alone_is_tried_and_forgiven(database: Database, told: Told, said: Said) -> None:
    await put_all(database, NewJob(DELIVERY, "host:a.example"), NewJob(DELIVERY, "host:b.example"))
    await quarantined(database)
    first, second = await told("hosts", "list")
    assert (first["host"], first["waiting"], first["failures"], first["state"]) == ("a.example", 1, 12, "left alone")
    assert first["state_until"].endswith("Z")
    assert (second["host"], second["state"], second["state_until"]) == ("b.example", "well", None)
    assert f"left alone until {first['state_until']}" in await said("hosts", "list")
    assert "`privapub hosts try a.example`" in await said("hosts", "show", "A.example")
    report = await told("federation", "report")
    assert [row["host"] for row in report["left_alone"]] == ["a.example"]

    for _ in range(2):
        assert await said("hosts", "try", "A.EXAMPLE") == "The next delivery to a.example is due now.\n"
        row = await told("hosts", "show", "a.example")
        assert (row["state"], row["failures"]) == ("to be tried", 12)
        assert row["next_at"] is not None
    for _ in range(2):
        assert await told("hosts", "forget", "a.example") == {"host": "a.example", "forgotten": True}
        row = await told("hosts", "show", "a.example")
        assert (row["state"], row["failures"], row["next"]) == ("well", 0, "Nothing is to be done.")
    assert (await told("federation", "report"))["left_alone"] == []


async def test_trying_a_host_says_what_comes_of_it(database: Database, said: Said, told: Told) -> None:
    await put_all(database, NewJob(DELIVERY, "host:a.example", PARCEL), NewJob(DELIVERY, "host:b.example", PARCEL))
    await run_all(database, Done())
    assert await said("hosts", "try", "a.example") == "Nothing waits for a.example, so nothing is tried.\n"
    assert await told("hosts", "try", "a.example") == {"host": "a.example", "tried": False, "waiting": 0, "paused": 0}
    await put_all(database, NewJob(DELIVERY, "host:a.example", PARCEL))
    await run_all(database, Retry(HOUR, "no"))
    later = (await told("hosts", "show", "a.example"))["next_at"]
    assert await said("hosts", "try", "a.example") == (
        f"Nothing holds a.example back; the next delivery to it is due at {later}, its own time.\n"
    )
    async with database.write() as tx:
        for statement in pause.statements([]):
            await tx.execute(text(statement))
    assert await said("hosts", "try", "a.example") == (
        "Nothing waits for a.example, so nothing is tried; 1 paused since a restore: `privapub jobs resume`.\n"
    )
    shown = await told("hosts", "show", "a.example")
    assert (shown["paused"], shown["waiting"]) == (1, 0)
    assert shown["next"].endswith(" 1 paused since a restore: `privapub jobs resume`.")
    assert (await told("hosts", "show", "b.example"))["paused"] == 0


async def test_a_host_named_without_its_port_is_found_by_the_hint(database: Database, said: Said) -> None:
    await put_all(database, *(NewJob(DELIVERY, f"host:127.0.0.1:{port}") for port in (8473, 8472)))
    assert "Did you mean 127.0.0.1:8472 or 127.0.0.1:8473?" in await said("hosts", "show", "127.0.0.1", ends=1)
    assert "`privapub hosts list`" in await said("hosts", "show", "127.0.0.1:847", ends=1)


async def test_a_kind_of_which_nothing_is_paused_is_told_apart_from_one_that_is_none(
    database: Database, said: Said, told: Told
) -> None:
    assert await said("jobs", "resume", "--kind", "inbox") == "No job is paused.\n"
    assert "Hint: No job is paused." in await said("jobs", "resume", "--kind", "bogus", ends=1)
    await put_all(database, NewJob("later", "x"), *(NewJob(DELIVERY, f"host:{n}.example", PARCEL) for n in "ab"))
    async with database.write() as tx:
        for statement in pause.statements([]):
            await tx.execute(text(statement))
    assert await said("jobs", "resume", "--kind", "inbox") == "No job of kind inbox is paused; 3 of other kinds are.\n"
    assert await said("jobs", "resume", "--kind", "bogus", ends=1) == (
        "Error: There is no kind of job named 'bogus'.\nHint: Paused are: delivery (2), later (1).\n"
    )
    # One that this version does not know may have been written by another.
    assert await told("jobs", "resume", "--kind", "later") == {"resumed": 1}


async def test_the_report_counts_what_was_given_up(database: Database, told: Told, said: Said) -> None:
    await put_all(database, *(NewJob(DELIVERY, "host:a.example") for _ in range(2)))
    await run_all(database, GiveUp("404"))
    assert (await told("federation", "report"))["given_up"] == [{"host": "a.example", "why": "404", "count": 2}]
    assert "Deliveries given up\nhost       why  count\na.example  404  2\n" in await said("federation", "report")


@pytest.mark.parametrize("at_once", [1, 2])
async def test_many_take_more_than_one_step(
    database: Database, told: Told, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Nothing that waits for another is let go on between two steps, and a purge leaves nothing for its steps' sake."""
    monkeypatch.setattr(jobs, "AT_ONCE", at_once)
    await put_all(database, *(NewJob("work", "work", ordering_key="k") for _ in range(5)))
    let_go: list[str] = []
    cancel_all = read.cancel_all

    async def watched(tx: Transaction, *values: Any) -> Changed:
        waiting = await tx.all(select(table.c.id).where(table.c.state == "waiting"))
        let_go.extend(row.id for row in waiting)
        return await cancel_all(tx, *values)

    monkeypatch.setattr(read, "cancel_all", watched)
    assert (await told("jobs", "cancel", "--kind", "work", "--yes"))["cancelled"] == 5
    assert set(let_go) == {1}
    assert (await told("jobs", "retry", "--state", "cancelled", "--yes"))["queued"] == 1
    await told("jobs", "cancel", "5")
    assert await told("jobs", "purge", "--all") == {"found": 5, "done": True, "deleted": 5, "refused": {}}
