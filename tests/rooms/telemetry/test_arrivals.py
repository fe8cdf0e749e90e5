import asyncio
from typing import Any

import pytest

from privapub.database.connect import Database
from privapub.telemetry.arrivals import ArrivalRecorder
from privapub.telemetry.prune import prune
from privapub.telemetry.tables import arrival
from privapub.telemetry.tally import DayCount, HostCount, HostTally, by_day, by_host

NOON = 1_772_366_400.0  # 2026-03-01T12:00:00Z
DAY = 86400.0


async def seen(database: Database, day: str = "2026-01-01") -> list[HostCount]:
    async with database.read() as tx:
        return list(await by_host(tx, arrival, day))


async def test_counts_of_one_kind_add_up_over_flushes(database: Database) -> None:
    recorder = ArrivalRecorder(database)
    recorder.note("peer.test", "queued", "", NOON)
    recorder.note("peer.test", "queued", "", NOON)
    recorder.note("", "refused", "signature", NOON)
    await recorder.flush()
    recorder.note("peer.test", "queued", "", NOON)
    await recorder.flush()
    assert await seen(database) == [
        HostCount("peer.test", "queued", "", 3),
        HostCount("", "refused", "signature", 1),
    ]


async def test_two_processes_count_into_one_row(database: Database) -> None:
    one, other = ArrivalRecorder(database), ArrivalRecorder(database)
    for recorder in (one, other):
        recorder.note("peer.test", "queued", "", NOON)
        recorder.note("other.test", "queued", "", NOON)
    async with asyncio.timeout(20):
        await asyncio.gather(one.flush(), other.flush())
    assert {line.host: line.count for line in await seen(database)} == {"peer.test": 2, "other.test": 2}


async def test_hosts_beyond_the_bound_count_together(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostTally, "MOST", 3)
    recorder = ArrivalRecorder(database)
    for number in range(10):
        recorder.note(f"h{number}.test", "queued", "", NOON)
    recorder.note("h1.test", "queued", "", NOON)
    await recorder.flush()
    counted = {line.host: line.count for line in await seen(database)}
    assert counted == {"h0.test": 1, "h1.test": 2, "h2.test": 1, "*": 7}


async def test_what_could_not_be_written_is_counted_the_next_time(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = ArrivalRecorder(database)
    recorder.note("peer.test", "queued", "", NOON)
    with monkeypatch.context() as broken:
        broken.setattr(database, "write", lambda: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            await recorder.flush()
    await recorder.flush()
    assert await seen(database) == [HostCount("peer.test", "queued", "", 1)]


async def test_old_days_are_forgotten(database: Database) -> None:
    recorder = ArrivalRecorder(database)
    recorder.note("peer.test", "queued", "", NOON - 40 * DAY)
    recorder.note("peer.test", "queued", "", NOON)
    await recorder.flush()
    async with database.write() as tx:
        await prune(tx, NOON)
    assert [line.count for line in await seen(database)] == [1]


async def test_the_run_flushes_when_it_is_stopped(database: Database) -> None:
    recorder = ArrivalRecorder(database)
    running = asyncio.create_task(recorder.run())
    await asyncio.sleep(0)
    recorder.note("peer.test", "queued", "", NOON)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await seen(database) == [HostCount("peer.test", "queued", "", 1)]


async def test_what_is_written_when_the_run_is_stopped_is_written_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = ArrivalRecorder(database)
    monkeypatch.setattr(recorder, "_every", 0)
    add, writing = recorder._add, asyncio.Event()
    go_on = asyncio.Event()

    async def slowly(*arguments: Any) -> None:
        writing.set()
        await go_on.wait()
        await add(*arguments)

    monkeypatch.setattr(recorder, "_add", slowly)
    recorder.note("peer.test", "queued", "", NOON)
    running = asyncio.create_task(recorder.run())
    async with asyncio.timeout(20):
        await writing.wait()
        recorder.note("peer.test", "queued", "", NOON)
        running.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert await seen(database) == [HostCount("peer.test", "queued", "", 2)]


async def test_a_database_that_is_away_does_not_end_the_counting(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = ArrivalRecorder(database)
    monkeypatch.setattr(recorder, "_every", 0)
    add, written, fails = recorder._add, asyncio.Event(), 2

    async def failing(*arguments: Any) -> None:
        nonlocal fails
        fails -= 1
        if fails >= 0:
            raise OSError("disk full")
        await add(*arguments)
        written.set()

    monkeypatch.setattr(recorder, "_add", failing)
    recorder.note("peer.test", "queued", "", NOON)
    running = asyncio.create_task(recorder.run())
    async with asyncio.timeout(20):
        await written.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert await seen(database) == [HostCount("peer.test", "queued", "", 1)]


async def test_days_and_hosts_are_told_apart_or_together(database: Database) -> None:
    recorder = ArrivalRecorder(database)
    for at, host in ((NOON, "a.test"), (NOON, "b.test"), (NOON + DAY, "a.test"), (NOON - DAY, "a.test")):
        recorder.note(host, "refused", "too-old", at)
    await recorder.flush()
    async with database.read() as tx:
        days = await by_day(tx, arrival, "2026-03-01")
        of_one = await by_day(tx, arrival, "2026-03-01", "b.test")
        hosts = await by_host(tx, arrival, "2026-03-01", limit=1)
    assert days == [DayCount("2026-03-01", "refused", "too-old", 2), DayCount("2026-03-02", "refused", "too-old", 1)]
    assert of_one == [DayCount("2026-03-01", "refused", "too-old", 1)]
    assert hosts == [HostCount("a.test", "refused", "too-old", 2)]
