"""`traffic report` and `federation report`."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from privapub import clock
from privapub.database.connect import Database
from privapub.federation.delivery.deliver import DELIVERY
from privapub.jobs.enqueue import put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import NewJob
from privapub.telemetry import previews
from privapub.telemetry.arrivals import ArrivalRecorder
from privapub.telemetry.departures import DepartureRecorder
from privapub.telemetry.fetches import FetchRecorder
from privapub.telemetry.traffic import TrafficMeter

DAY = 86_400.0
Said = Callable[..., Awaitable[str]]
Told = Callable[..., Awaitable[Any]]


@pytest.fixture
def said(
    typed: Callable[..., int], database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Said:
    """What a command prints, and it must end well."""
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)

    async def said_(*words: str) -> str:
        capsys.readouterr()
        status = await anyio.to_thread.run_sync(lambda: typed(*words))
        out, err = capsys.readouterr()
        assert status == 0, (out, err)
        return out

    return said_


@pytest.fixture
def told(said: Said) -> Told:
    """What a command prints with --json."""

    async def told_(*words: str) -> Any:
        return json.loads(await said(*words, "--json"))

    return told_


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


async def test_traffic_is_told_by_kind_with_its_sum(database: Database, said: Said, told: Told) -> None:
    assert "Nothing was answered yet." in await said("traffic", "report")
    now = clock.now()
    meter = TrafficMeter(database)
    for at, kind, status, signed, times in (
        (now, "actor", 200, True, 3),
        (now, "actor", 200, False, 4),
        (now, "post", 404, False, 2),
        (now - 6 * DAY, "post", 404, False, 1),
        (now - 7 * DAY, "post", 404, False, 50),
    ):
        for _ in range(times):
            meter.note(kind, "GET", status, at, signed=signed)
    await meter.flush()
    today, week = clock.iso_day(now), clock.iso_day(now - 6 * DAY)
    assert words(await said("traffic", "report")) == [
        ["Answered", "since", week, "(UTC)"],
        ["kind", "method", "status", "signed", "unsigned", "count"],
        ["actor", "GET", "200", "3", "4", "7"],
        ["post", "GET", "404", "0", "3", "3"],
        ["total", "3", "7", "10"],
    ]
    report = await told("traffic", "report", "--days", "1")
    assert report["since"] == today
    assert report["traffic"] == [
        {"day": today, "kind": "actor", "method": "GET", "status": 200, "signed": False, "count": 4},
        {"day": today, "kind": "actor", "method": "GET", "status": 200, "signed": True, "count": 3},
        {"day": today, "kind": "post", "method": "GET", "status": 404, "signed": False, "count": 2},
    ]
    assert sum(row["count"] for row in (await told("traffic", "report", "--days", "30"))["traffic"]) == 60


async def counted(database: Database, now: float) -> None:
    arrivals, departures, fetches = ArrivalRecorder(database), DepartureRecorder(database), FetchRecorder(database)
    for at, host, outcome, reason in (
        (now, "", "refused", "too-old"),
        (now - DAY, "", "refused", "too-old"),
        (now, "a.example", "queued", ""),
    ):
        arrivals.note(host, outcome, reason, at)
    for host, outcome, reason in (
        ("a.example", "taken", ""),
        ("b.example", "later", "timeout"),
        ("b.example", "given-up", "404"),
    ):
        departures.note(host, outcome, reason, now)
    for trigger, host, reason in (
        ("inbox", "a.example", ""),
        ("inbox", "b.example", "404"),
        ("request", "b.example", ""),
    ):
        fetches.note(
            host=host,
            purpose="object",
            trigger=trigger,
            outcome="failed" if reason else "ok",
            reason=reason,
            status=None,
            seconds=0.1,
            bytes=1,
            hops=0,
            at=now,
        )
    for each in (arrivals, departures, fetches):
        await each.flush()


async def test_the_federation_report_tells_what_came_of_it_and_why(database: Database, said: Said, told: Told) -> None:
    now = clock.now()
    await counted(database, now)
    text = await said("federation", "report")
    assert ["refused", "too-old", "2", "It", "was", "signed", "too", "long", "ago."] in words(text)
    assert ["object", "failed", "404", "1", "The", "other", "server", "answered", "404", "(Not", "Found)."] in words(
        text
    )
    assert ["not", "verified", "refused", "too-old", "2"] in words(text)
    assert ["later", "timeout", "1", "It", "took", "too", "long."] in words(text)
    assert [line for line in words(text) if line[:1] == ["total"]] == [["total", "3"], ["total", "2"], ["total", "3"]]
    today, yesterday = clock.iso_day(now), clock.iso_day(now - DAY)
    report = await told("federation", "report")
    assert report["arrivals"] == [
        {"day": yesterday, "outcome": "refused", "reason": "too-old", "count": 1},
        {"day": today, "outcome": "queued", "reason": "", "count": 1},
        {"day": today, "outcome": "refused", "reason": "too-old", "count": 1},
    ]
    assert report["fetches_of_readers"] == [{"day": today, "count": 1}]


async def test_the_federation_report_counts_previews_by_day_and_for_no_host(
    database: Database, said: Said, told: Told
) -> None:
    now = clock.now()
    async with database.write() as tx:
        for outcome, at in (("card", now), ("card", now), ("card", now - DAY), ("failed", now)):
            await previews.count(tx, outcome, at)
    report = await told("federation", "report")
    assert report["previews"] == [
        {"day": clock.iso_day(now - DAY), "outcome": "card", "count": 1},
        {"day": clock.iso_day(now), "outcome": "card", "count": 2},
        {"day": clock.iso_day(now), "outcome": "failed", "count": 1},
    ]
    text = words(await said("federation", "report"))
    assert ["card", "3"] in text
    assert ["failed", "1"] in text
    assert (await told("federation", "report", "--host", "b.example"))["previews"] == []


async def test_the_federation_report_of_one_server_tells_of_no_other(
    database: Database, said: Said, told: Told
) -> None:
    now = clock.now()
    await counted(database, now)
    async with database.write() as tx:
        await put(tx, [NewJob(DELIVERY, f"{HOST}{host}") for host in ("a.example", "b.example", "b.example")])
    today = clock.iso_day(now)
    report = await told("federation", "report", "--host", "B.example", "--days", "1")
    assert report["jobs"] == [{"kind": DELIVERY, "state": "waiting", "count": 2}]
    assert (report["host"], report["since"], report["arrivals"]) == ("b.example", today, [])
    assert report["deliveries"] == [
        {"day": today, "outcome": "given-up", "reason": "404", "count": 1},
        {"day": today, "outcome": "later", "reason": "timeout", "count": 1},
    ]
    assert report["fetches"] == [
        {"day": today, "purpose": "object", "outcome": "failed", "reason": "404", "count": 1},
    ]
    assert report["fetches_of_readers"] == [{"day": today, "count": 1}]
    assert "a.example" not in await said("federation", "report", "--host", "b.example")
