"""What was answered is counted by kind, and by nothing that tells of whom."""

import asyncio

from asgi import serving
from privapub.app import _counting
from privapub.database.connect import Database
from privapub.telemetry import traffic
from privapub.telemetry.prune import prune
from privapub.telemetry.tables import departure
from privapub.telemetry.tables import traffic as table
from privapub.telemetry.tally import HostCount, by_host
from privapub.telemetry.traffic import Traffic, TrafficMeter

NOON = 1_772_366_400.0  # 2026-03-01T12:00:00Z
DAY = 86400.0


async def kept(database: Database, day: str = "2026-01-01") -> list[Traffic]:
    async with database.read() as tx:
        return list(await traffic.since(tx, day))


def test_there_is_no_place_for_a_host_or_a_person() -> None:
    assert [column.name for column in table.columns] == ["day", "kind", "method", "status", "signed", "count"]


async def test_counts_add_up_over_flushes_restarts_and_processes(database: Database) -> None:
    one, other = TrafficMeter(database), TrafficMeter(database)
    for meter in (one, other):
        meter.note("actor", "GET", 200, NOON, signed=True)
        meter.note("actor", "GET", 200, NOON, signed=False)
        meter.note("post", "GET", 404, NOON, signed=False)
    async with asyncio.timeout(20):
        await asyncio.gather(one.flush(), other.flush())
    later = TrafficMeter(database)
    later.note("actor", "GET", 200, NOON, signed=True)
    later.note("actor", "GET", 200, NOON + DAY, signed=True)
    await later.flush()
    assert await kept(database) == [
        Traffic("2026-03-01", "actor", "GET", 200, False, 2),
        Traffic("2026-03-01", "actor", "GET", 200, True, 3),
        Traffic("2026-03-01", "post", "GET", 404, False, 2),
        Traffic("2026-03-02", "actor", "GET", 200, True, 1),
    ]


async def test_a_stranger_invents_no_rows(database: Database) -> None:
    meter = TrafficMeter(database)
    for method in ("BREW", "PROPFIND", "X" * 1000):
        meter.note(traffic.OTHER, method, 405, NOON, signed=False)
    await meter.flush()
    assert await kept(database) == [Traffic("2026-03-01", "other", "other", 405, False, 3)]


async def test_old_days_are_forgotten(database: Database) -> None:
    meter = TrafficMeter(database)
    for at in (NOON - 366 * DAY, NOON):
        meter.note("actor", "GET", 200, at, signed=False)
    await meter.flush()
    async with database.write() as tx:
        await prune(tx, NOON)
    assert [row.day for row in await kept(database, "2020-01-01")] == ["2026-03-01"]


async def test_what_was_counted_is_written_when_the_process_ends(database: Database) -> None:
    async with serving(database) as sut:
        async with _counting(sut.server):
            assert (await sut.get("/.well-known/nodeinfo")).status == 200
            sut.server.departures.note("peer.test", "taken", "", NOON)
            assert await kept(database) == []
        assert [(row.kind, row.count) for row in await kept(database)] == [("nodeinfo", 1)]
        async with database.read() as tx:
            assert await by_host(tx, departure, "2026-01-01") == [HostCount("peer.test", "taken", "", 1)]
