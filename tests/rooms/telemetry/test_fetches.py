"""What is kept of fetches, and what is not."""

import asyncio
from typing import Any

import anyio
import pytest
from sqlalchemy import select, text

from privapub import clock
from privapub.database.connect import Database
from privapub.telemetry import fetches
from privapub.telemetry import prune as pruning
from privapub.telemetry.fetches import FetchCount, FetchRecorder, of_readers, outcomes
from privapub.telemetry.prune import prune
from privapub.telemetry.tables import fetch, reader_fetch

NOON = 1_764_590_400.0  # 2025-12-01T12:00:00Z
DAY = 86_400.0


def note(recorder: FetchRecorder, **changes: Any) -> None:
    recorder.note(
        **{
            "host": "peer.test",
            "purpose": "object",
            "trigger": "inbox",
            "outcome": "ok",
            "reason": "",
            "status": 200,
            "seconds": 0.25,
            "bytes": 1234,
            "hops": 1,
            "at": NOON,
            **changes,
        }
    )


async def rows(database: Database, table: Any) -> list[dict[str, Any]]:
    async with database.read() as tx:
        return [dict(row._mapping) for row in await tx.all(select(table))]


async def test_a_fetch_is_kept_as_it_was(database: Database) -> None:
    recorder = FetchRecorder(database)
    note(recorder)
    note(recorder, outcome="refused", reason="private-address", status=None, trigger="verify", hops=0, bytes=0)
    assert await rows(database, fetch) == []
    await recorder.flush()
    first, second = await rows(database, fetch)
    first.pop("id")
    assert first == {
        "at": NOON,
        "host": "peer.test",
        "purpose": "object",
        "trigger": "inbox",
        "outcome": "ok",
        "reason": "",
        "status": 200,
        "seconds": 0.25,
        "bytes": 1234,
        "hops": 1,
    }
    assert (second["outcome"], second["reason"], second["status"]) == ("refused", "private-address", None)
    await recorder.flush()
    assert len(await rows(database, fetch)) == 2
    assert await rows(database, reader_fetch) == []


async def test_a_readers_fetch_is_one_more_in_a_count_and_nothing_else(database: Database) -> None:
    recorder = FetchRecorder(database)
    for n in range(3):
        note(recorder, trigger="request", at=NOON + n * 3600, purpose="media", status=200 + n)
    note(recorder, trigger="request", at=NOON + DAY)
    note(recorder, trigger="request", host="other.test", outcome="failed", reason="404")
    await recorder.flush()
    assert await rows(database, fetch) == []
    counts = sorted((row["day"], row["host"], row["count"]) for row in await rows(database, reader_fetch))
    assert counts == [("2025-12-01", "other.test", 1), ("2025-12-01", "peer.test", 3), ("2025-12-02", "peer.test", 1)]
    note(recorder, trigger="request")
    await recorder.flush()
    assert ("2025-12-01", "peer.test", 4) in [tuple(row.values()) for row in await rows(database, reader_fetch)]


def test_the_count_of_readers_has_no_room_for_more() -> None:
    assert [column.name for column in reader_fetch.columns] == ["day", "host", "count"]


def test_a_fetch_has_no_room_for_a_path_or_a_persona() -> None:
    assert {column.name for column in fetch.columns} == {
        "id", "at", "host", "purpose", "trigger", "outcome", "reason", "status", "seconds", "bytes", "hops",
    }  # fmt: skip


async def test_two_processes_count_together(database: Database) -> None:
    one, two = FetchRecorder(database), FetchRecorder(database)
    for recorder in (one, two):
        for n in range(20):
            note(recorder, trigger="request", host=f"host{n}.test")
    with anyio.fail_after(20):
        await asyncio.gather(one.flush(), two.flush())
    assert {row["count"] for row in await rows(database, reader_fetch)} == {2}


async def test_what_could_not_be_written_is_written_later(database: Database) -> None:
    recorder = FetchRecorder(database)
    note(recorder)
    note(recorder, trigger="request")
    async with database.write() as tx:
        await tx.execute(text("ALTER TABLE reader_fetch RENAME TO away"))
    for _ in range(2):
        with pytest.raises(Exception, match="reader_fetch"):
            await recorder.flush()
        note(recorder, at=NOON + 1)
    async with database.write() as tx:
        await tx.execute(text("ALTER TABLE away RENAME TO reader_fetch"))
    await recorder.flush()
    assert [row["at"] for row in await rows(database, fetch)] == [NOON, NOON + 1, NOON + 1]
    assert len(await rows(database, reader_fetch)) == 1


async def test_what_is_held_in_memory_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetches, "KEPT_IN_MEMORY", 5)
    recorder = FetchRecorder(database)
    for n in range(9):
        note(recorder, at=NOON + n)
        note(recorder, trigger="request", host=f"host{n}.test")
    await recorder.flush()
    assert [row["at"] for row in await rows(database, fetch)] == [NOON + n for n in range(4, 9)]
    assert len(await rows(database, reader_fetch)) == 5


async def test_the_recorder_writes_by_itself_and_once_more_at_its_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetches, "PAUSE", 0.01)
    recorder = FetchRecorder(database)
    written = asyncio.Event()
    flush = recorder.flush

    async def seen() -> None:
        await flush()
        written.set()

    monkeypatch.setattr(recorder, "flush", seen)
    running = asyncio.create_task(recorder.run())
    with anyio.fail_after(20):
        note(recorder)
        await written.wait()
        assert len(await rows(database, fetch)) == 1
        note(recorder)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert len(await rows(database, fetch)) == 2


async def test_a_database_that_is_away_does_not_end_the_recorder(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetches, "PAUSE", 0.01)
    recorder = FetchRecorder(database)
    flush, written, fails = recorder.flush, asyncio.Event(), 3

    async def failing() -> None:
        nonlocal fails
        if fails:
            fails -= 1
            raise ConnectionError
        await flush()
        written.set()

    monkeypatch.setattr(recorder, "flush", failing)
    note(recorder)
    running = asyncio.create_task(recorder.run())
    with anyio.fail_after(20):
        while fails:
            note(recorder)
            await asyncio.sleep(0.01)
        await written.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert await rows(database, fetch) != []


async def test_how_fetches_ended_is_told_by_day_purpose_and_host(database: Database) -> None:
    recorder = FetchRecorder(database)
    for _ in range(2):
        note(recorder)
    note(recorder, outcome="failed", reason="timeout", purpose="key", host="other.test")
    for at in (NOON - DAY, NOON + DAY / 2 - 0.001, NOON + DAY / 2):  # the last two on both sides of midnight
        note(recorder, at=at, outcome="failed", reason="404")
    await recorder.flush()
    async with database.read() as tx:
        told = await outcomes(tx, since=NOON - 60)
        of_one = await outcomes(tx, since=NOON - 60, host="other.test")
    assert told == [
        FetchCount("2025-12-01", "key", "failed", "timeout", 1),
        FetchCount("2025-12-01", "object", "failed", "404", 1),
        FetchCount("2025-12-01", "object", "ok", "", 2),
        FetchCount("2025-12-02", "object", "failed", "404", 1),
    ]
    assert of_one == told[:1]


async def test_what_readers_caused_is_told_by_day(database: Database) -> None:
    recorder = FetchRecorder(database)
    for at, host in ((NOON, "a.test"), (NOON, "b.test"), (NOON + DAY, "a.test"), (NOON - DAY, "a.test")):
        note(recorder, trigger="request", at=at, host=host)
    await recorder.flush()
    async with database.read() as tx:
        assert await of_readers(tx, since="2025-12-01") == [("2025-12-01", 2), ("2025-12-02", 1)]
        assert await of_readers(tx, since="2025-12-01", host="b.test") == [("2025-12-01", 1)]


async def test_fetches_are_kept_for_thirty_days_and_counts_for_a_year(database: Database) -> None:
    recorder = FetchRecorder(database)
    for days in (0, 29, 31, 364, 367):
        note(recorder, at=NOON - days * DAY)
        note(recorder, at=NOON - days * DAY, trigger="request")
    await recorder.flush()
    async with database.write() as tx:
        await prune(tx, NOON)
    assert [row["at"] for row in await rows(database, fetch)] == [NOON, NOON - 29 * DAY]
    days = {row["day"] for row in await rows(database, reader_fetch)}
    assert days == {clock.iso_day(NOON - days * DAY) for days in (0, 29, 31, 364)}


async def test_the_number_of_fetches_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MOST_FETCHES", 3)
    recorder = FetchRecorder(database)
    async with database.write() as tx:
        await prune(tx, NOON)
    for n in range(5):
        note(recorder, at=NOON + n)
    await recorder.flush()
    async with database.write() as tx:
        await prune(tx, NOON)
    assert [row["at"] for row in await rows(database, fetch)] == [NOON + 2, NOON + 3, NOON + 4]
