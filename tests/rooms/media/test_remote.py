"""Files elsewhere, over real sockets: fetched once, at no reader's moment, and shown as what they are."""

import asyncio
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select, update

from fakes.certificates import Authority
from fakes.elsewhere import (
    PICTURE,
    SECRET,
    WEBM,
    address,
    all_agrees,
    jpeg,
    later,
    nothing_is_left,
    receive,
    stored,
    waiting,
)
from fakes.world import World
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.effects import clean_domain
from privapub.follows import domains
from privapub.job_table import job_kinds
from privapub.jobs.tables import job
from privapub.jobs.worker import Worker
from privapub.media import remote
from privapub.moderation.domain_rules import Rule
from privapub.outbound.gate import OpenGate
from privapub.proxy import cache, memory, prefetch
from privapub.proxy.addresses import Wanted
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.proxy.tables import cached_file, proxy, remote_file
from privapub.telemetry.tables import fetch, proxy_count, reader_fetch

at_once = pytest.mark.parametrize("opened", [{"prefetch": False}], indirect=True)


async def test_the_picture_of_a_post_is_fetched_once_after_a_while_whether_or_not_anybody_looks(opened: World) -> None:
    await receive(opened)
    (waits,) = await waiting(opened)
    assert clock.now() < waits.run_at <= clock.now() + 120
    assert opened.asked("/cat.jpg") == []
    await later(opened)
    (asked,) = opened.asked("/cat.jpg")
    assert not {"Referer", "Cookie", "Signature", "Authorization"} & set(asked.headers)
    status, body, headers = await opened.fetch(await address(opened))
    assert status == 200
    assert headers["content-type"] in {"image/webp", "image/jpeg", "image/png"}
    assert Image.open(BytesIO(body)).size == (600, 300)
    assert SECRET not in body
    status, body, _ = await opened.fetch(await address(opened, size="small"))
    assert (status, Image.open(BytesIO(body)).size) == (200, (400, 200))
    await later(opened)
    assert len(opened.asked("/cat.jpg")) == 1


async def test_a_reader_causes_no_fetch_at_once_and_leaves_no_more_than_a_count(opened: World) -> None:
    path = await address(opened)
    for _ in range(3):
        status, body, headers = await opened.fetch(path)
        assert (status, headers["content-type"], headers["cache-control"]) == (503, "image/png", "no-store")
        assert Image.open(BytesIO(body)).size == (96, 96)
        assert headers["retry-after"]
    (waits,) = await waiting(opened)
    assert (waits.trigger, waits.run_at > clock.now()) == ("request", True)
    await opened.drain()
    assert opened.asked("/cat.jpg") == []
    await later(opened)
    assert len(opened.asked("/cat.jpg")) == 1
    assert (await opened.fetch(path))[0] == 200
    await opened.server.fetches.flush()
    await opened.server.proxy.flush()
    async with opened.database.read() as tx:
        assert await tx.all(select(job).where(job.c.kind == REMOTE_FILE)) == []
        assert await tx.all(select(fetch)) == []
        assert [(row.host, row.count) for row in await tx.all(select(reader_fetch))] == [("peer.test", 1)]
        counts = {row.outcome: row.count for row in await tx.all(select(proxy_count))}
    assert counts == {"miss": 3, "hit": 1}


async def test_of_many_readers_who_miss_a_file_one_has_it_fetched(
    opened: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Wanted] = []

    async def ask(*arguments: Any, **more: Any) -> None:
        asked.append(arguments[1])
        await prefetch.ask(*arguments, **more)

    monkeypatch.setattr("privapub.web.proxy.ask", ask)
    path = await address(opened)
    assert {(await opened.fetch(path))[0] for _ in range(20)} == {503}
    assert asked == [Wanted("picture", PICTURE)]
    clock.advance(memory.ASKED_FOR + 1)
    assert (await opened.fetch(path))[0] == 503
    assert len(asked) == 2
    await later(opened)
    assert (await opened.fetch(path))[0] == 200
    assert len(opened.asked("/cat.jpg")) == 1


@pytest.mark.parametrize("readers", [0, 1, 5])
async def test_a_peer_cannot_tell_who_looked(opened: World, readers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "uniform", lambda least, most: (least + most) / 2)
    begun = clock.now()
    await receive(opened)
    for _ in range(readers):
        assert (await opened.fetch(await address(opened)))[0] == 503
    (waits,) = await waiting(opened)
    assert waits.run_at - begun == pytest.approx(62.5, abs=30)
    await later(opened)
    for _ in range(readers):
        assert (await opened.fetch(await address(opened), {"Referer": "https://reader.test/"}))[0] == 200
    await later(opened)
    (asked,) = opened.asked("/cat.jpg")
    assert sorted(asked.headers) == ["Accept", "Accept-Encoding", "Host", "User-Agent"]


@at_once
async def test_without_prefetching_the_first_reader_causes_the_one_fetch(opened: World) -> None:
    await receive(opened)
    assert await waiting(opened) == []
    worker = Worker(opened.database, job_kinds(opened.server))
    running = asyncio.create_task(worker.run())
    try:
        path = await address(opened)
        answers = await asyncio.gather(*(opened.fetch(path) for _ in range(30)))
    finally:
        worker.stop()
        await running
    assert {(status, len(body)) for status, body, _ in answers} == {(200, len(answers[0][1]))}
    assert len(opened.asked("/cat.jpg")) == 1


async def test_an_answer_has_what_a_browser_needs_and_nothing_that_runs(opened: World) -> None:
    path = await stored(opened)
    _, body, headers = await opened.fetch(path)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["accept-ranges"] == "bytes"
    assert (await opened.fetch(path, {"If-None-Match": headers["etag"]}))[0] == 304
    assert (await opened.fetch(path, {"Range": "bytes=2-4"}))[:2] == (206, body[2:5])
    assert (await opened.fetch(path, {"Range": "bytes=-3"}))[:2] == (206, body[-3:])
    status, _, beyond = await opened.fetch(path, {"Range": f"bytes={len(body)}-"})
    assert (status, beyond["content-range"]) == (416, f"bytes */{len(body)}")


async def test_what_nobody_signed_is_not_shown(opened: World) -> None:
    path = await stored(opened)
    start, use, size, key, where = path.rsplit("/", 4)
    other = await address(opened, "https://peer.test/other.jpg")
    for wrong in (
        f"{start}/avatar/{size}/{key}/{where}",
        f"{start}/{use}/huge/{key}/{where}",
        f"{start}/{use}/{size}/{'A' * len(key)}/{where}",
        f"{start}/{use}/{size}/{key}/{other.rpartition('/')[2]}",
        f"{start}/{use}/{size}/{key}/%00",
        f"{start}/{use}/{size}/{key}/{'A' * 9000}",
        f"{start}/{use}/{size}/k%C3%A4se/{where}",
    ):
        assert (await opened.fetch(wrong))[0] == 404, wrong
    assert await waiting(opened) == []


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ({"body": b"<html><script>alert(1)</script>", "content_type": "text/html"}, 502),
        ({"body": b"<html><script>alert(1)</script>", "content_type": "image/jpeg"}, 502),
        ({"body": b"<svg xmlns='http://www.w3.org/2000/svg'/>", "content_type": "image/svg+xml"}, 502),
        ({"body": b"", "content_type": "image/jpeg"}, 502),
        ({"body": jpeg()[:300], "content_type": "image/jpeg"}, 502),
        ({"body": bytes(3 << 20), "content_type": "image/jpeg"}, 502),
        ({"body": b"", "status": 404}, 404),
        ({"body": b"", "status": 410}, 404),
        ({"body": b"", "status": 302, "headers": {"Location": "http://192.0.2.1/cat.jpg"}}, 502),
    ],
)  # fmt: skip
@pytest.mark.parametrize("opened", [{"remote_picture_bytes": 2}], indirect=True)
async def test_what_is_no_picture_is_a_placeholder_and_remembered(
    opened: World, page: dict[str, Any], status: int
) -> None:
    opened.serve(PICTURE, page["body"], **{name: value for name, value in page.items() if name != "body"})
    path = await address(opened)
    assert (await opened.fetch(path))[0] == 503
    for _ in range(6):
        await later(opened)
    found, shown, headers = await opened.fetch(path)
    assert (found, headers["content-type"]) == (status, "image/png")
    assert b"script" not in shown
    asked = len(opened.asked("/cat.jpg"))
    assert (await opened.fetch(path))[0] == status
    assert await waiting(opened) == []
    clock.advance(2 * cache.REMEMBERED)
    assert (await opened.fetch(path))[0] == 503
    await later(opened)
    assert len(opened.asked("/cat.jpg")) > asked
    await nothing_is_left(opened)


async def test_a_host_in_trouble_is_asked_again(opened: World) -> None:
    opened.pages[PICTURE].status = 503
    await opened.fetch(await address(opened))
    await later(opened)
    opened.pages[PICTURE].status = 200
    clock.advance(3600)
    await opened.drain()
    assert (await opened.fetch(await address(opened)))[0] == 200


@at_once
async def test_a_film_is_passed_on_while_it_comes(opened: World) -> None:
    going_on = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: video/webm\r\nContent-Length: {len(WEBM)}\r\n\r\n"
        writer.write(head.encode() + WEBM[:70_000])
        await going_on.wait()
        writer.write(WEBM[70_000:])
        await writer.drain()

    await opened.raw("films.test", talk)
    worker = Worker(opened.database, job_kinds(opened.server))
    running = asyncio.create_task(worker.run())
    try:
        path = await address(opened, "https://films.test/cat.webm", "film")
        status, body, headers = await opened.fetch(path, {"Range": "bytes=60000-69999"})
        assert (status, headers["content-range"]) == (206, f"bytes 60000-69999/{len(WEBM)}")
        assert body == WEBM[60_000:70_000]
        whole = asyncio.create_task(opened.fetch(path))
        across = asyncio.create_task(opened.fetch(path, {"Range": "bytes=69000-70999"}))
        await opened.fetch(path, {"Range": "bytes=0-9"})
        assert not whole.done()
        going_on.set()
        assert (await whole)[:2] == (200, WEBM)
        assert (await across)[:2] == (206, WEBM[69_000:71_000])
    finally:
        going_on.set()
        worker.stop()
        await running
    assert headers["content-type"] == "video/webm"
    async with opened.database.read() as tx:
        (kept,) = await tx.all(select(cached_file))
        assert kept.bytes == cache.on_disk(len(WEBM)) == await tx.scalar(select(proxy.c.bytes))


@at_once
@pytest.mark.hangs_after(60)
async def test_a_film_that_breaks_off_breaks_off_for_its_reader_too(opened: World) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: video/webm\r\nContent-Length: {len(WEBM)}\r\n\r\n"
        writer.write(head.encode() + WEBM[:70_000])
        await writer.drain()

    await opened.raw("films.test", talk)
    path = await address(opened, "https://films.test/cat.webm", "film")
    async with opened.database.write() as tx:
        await prefetch.ask(tx, Wanted("film", "https://films.test/cat.webm"), clock.now())
    for _ in range(remote.ATTEMPTS):
        await opened.drain()
        clock.advance(86_400)
    async with opened.database.read() as tx:
        (row,) = await tx.all(select(remote_file))
    assert (row.state, row.reason) == ("failed", "network")
    async with opened.database.write() as tx:
        await tx.execute(update(remote_file).values(again_at=clock.now() + 100))
    assert (await opened.fetch(path))[0] == 504
    await nothing_is_left(opened)


async def test_what_one_post_causes_is_bounded(opened: World, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [Wanted("picture", f"https://peer.test/{number}.jpg") for number in range(100)]
    async with opened.database.write() as tx:
        await prefetch.plan(tx, many, clock.now())
    assert len(await waiting(opened)) == prefetch.MOST_AT_ONCE
    monkeypatch.setattr(prefetch, "MOST_OF_HOST", 50)
    async with opened.database.write() as tx:
        await prefetch.plan(tx, many[50:53], clock.now())
    async with opened.database.write() as tx:
        await prefetch.plan(tx, [*many[60:], Wanted("picture", "https://other.test/1.jpg")][-3:], clock.now())
    assert Counter(row.lane for row in await waiting(opened)) == {"host:peer.test": 51, "host:other.test": 1}
    monkeypatch.setattr(prefetch, "MOST_WAITING", 52)
    async with opened.database.write() as tx:
        await prefetch.ask(tx, Wanted("picture", "https://third.test/1.jpg"), clock.now())
    assert len(await waiting(opened)) == 52


async def test_media_of_a_host_whose_media_are_rejected_are_neither_fetched_nor_shown(
    database: Database, authority: Authority, tmp_path: Path
) -> None:
    class Rejecting(OpenGate):
        rejects = False

        async def takes_media(self, host: str) -> bool:
            return not (self.rejects and host == "peer.test")

    gate = Rejecting()
    async with World(database, authority, gate=gate, cache=str(tmp_path / "cache")) as world:
        world.serve(PICTURE, jpeg(), content_type="image/jpeg")
        path = await stored(world)
        gate.rejects = True
        assert (await world.fetch(path))[0] == 404
        other = await address(world, "https://peer.test/other.jpg")
        assert (await world.fetch(other))[0] == 404
        await receive(world, url="https://peer.test/third.jpg")
        await later(world)
        assert world.asked("/third.jpg") == []


@pytest.mark.parametrize("rule", [Rule("peer.test", "block"), Rule("*.test", "none", reject_media=True)])
async def test_what_the_cache_has_of_a_host_goes_when_its_media_are_not_taken_any_more(
    opened: World, rule: Rule
) -> None:
    opened.serve("https://other.test/cat.jpg", jpeg(), content_type="image/jpeg")
    for url in (PICTURE, "https://other.test/cat.jpg"):
        await stored(opened, url)
    await stored(opened, "https://peer.test/nothing.jpg")
    async with opened.database.write() as tx:
        await domains.keep(tx, [rule, Rule("other.test", "none")], (), clock.now())
    await opened.drain()
    async with opened.database.read() as tx:
        assert await cache.hosts(tx) == {"peer.test", "other.test"}
    clock.advance(clean_domain.AFTER + 10)
    await opened.drain()
    async with opened.database.read() as tx:
        assert await cache.hosts(tx) == {"other.test"}
    await all_agrees(opened)
