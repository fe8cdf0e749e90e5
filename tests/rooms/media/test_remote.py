"""Files elsewhere, over real sockets: fetched once, at no reader's moment, and shown as what they are."""

import asyncio
import errno
from collections import Counter
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import pytest
from PIL import Image
from sqlalchemy import select, update

from fakes.activities import create, note
from fakes.certificates import Authority
from fakes.world import Person, World
from privapub import clock, identifiers, scope
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.job import Done, Job, Retry
from privapub.jobs.lease import Slot, lease
from privapub.jobs.outcome import finish
from privapub.jobs.reaper import reap
from privapub.jobs.tables import job
from privapub.jobs.worker import Worker
from privapub.media import remote
from privapub.media.sweep import SweptCache, sweep
from privapub.outbound.gate import OpenGate
from privapub.proxy import cache, prefetch
from privapub.proxy.addresses import Size, Use, Wanted
from privapub.proxy.folder import CacheFolder, FolderTrouble, write_all
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.proxy.tables import cached_file, proxy, remote_file
from privapub.telemetry.tables import fetch, proxy_count, reader_fetch

PICTURE = "https://peer.test/cat.jpg"
SECRET = b"Planted-Kw7"
# The head of a WebM file; what follows does not matter to whoever only passes it on.
WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x02" + bytes(
    100_000
)


def jpeg(side: int = 600) -> bytes:
    told = Image.Exif()
    told[0x010F] = SECRET.decode()
    data = BytesIO()
    Image.new("RGB", (side, side // 2), "teal").save(data, "JPEG", exif=told, comment=SECRET)
    return data.getvalue()


@pytest.fixture
async def opened(
    database: Database, authority: Authority, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A world whose server keeps files elsewhere; a parameter is of its settings."""
    settings: dict[str, Any] = {"cache": str(tmp_path / "cache"), **getattr(request, "param", {})}
    async with World(database, authority, **settings) as world:
        world.serve(PICTURE, jpeg(), content_type="image/jpeg")
        yield world


at_once = pytest.mark.parametrize("opened", [{"prefetch": False}], indirect=True)


async def address(world: World, url: str = PICTURE, use: Use = "picture", size: Size = "whole") -> str:
    urls = await world.server.proxy.its_urls()
    assert urls is not None
    return urls.of(use, url, size).removeprefix("https://sut.test")


async def receive(world: World, **attachment: Any) -> Person:
    """A post with a file comes in for alice, who follows whoever wrote it."""
    carol = world.person("https://peer.test/u/carol")
    alice = await world.persona()
    file = {"type": "Document", "mediaType": "image/jpeg", "url": PICTURE, "name": "a cat", **attachment}
    sent = create(carol, note(carol, to=[alice.uri], attachment=[file]))
    assert (await world.post(alice.inbox, sent, by=carol)).status == 202
    await world.drain()
    return carol


async def waiting(world: World) -> list[Any]:
    async with world.database.read() as tx:
        return list(await tx.all(select(job).where(job.c.kind == REMOTE_FILE, job.c.state == "waiting")))


async def later(world: World) -> None:
    clock.advance(130.0)
    await world.drain()


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


@pytest.mark.parametrize("opened", [{"cache_size": 16, "remote_film_bytes": 10}], indirect=True)
async def test_what_was_not_read_for_the_longest_time_goes_first(opened: World) -> None:
    urls = [f"https://peer.test/{number}.webm" for number in range(4)]
    for url in urls:
        opened.serve(url, WEBM[:200] + bytes(5 << 20), content_type="video/webm")
    for url in urls[:3]:
        await stored(opened, url, "film")
    assert (await opened.fetch(await address(opened, urls[0], "film"), {"Range": "bytes=0-0"}))[0] == 206
    await opened.server.proxy.flush()
    await stored(opened, urls[3], "film")
    seen = [(await opened.fetch(await address(opened, url, "film"), {"Range": "bytes=0-0"}))[0] for url in urls]
    assert seen == [206, 503, 206, 206]
    held = sum(
        cache.on_disk(file.stat().st_size) for file in opened.server.proxy.folder.path.rglob("*") if file.is_file()
    )
    async with opened.database.read() as tx:
        assert held == await tx.scalar(select(proxy.c.bytes)) == 3 * cache.on_disk((5 << 20) + 200)


async def test_nothing_in_the_folder_tells_a_time(opened: World) -> None:
    path = await stored(opened)
    files = files_of(opened)
    before = {file: (file.stat().st_atime, file.stat().st_mtime) for file in files}
    assert set(before.values()) == {(0.0, 0.0)}
    assert (await opened.fetch(path))[0] == 200
    assert {file: (file.stat().st_atime, file.stat().st_mtime) for file in files} == before


async def test_a_folder_that_lost_a_file_gets_it_again(opened: World) -> None:
    path = await stored(opened)
    assert (await opened.fetch(path))[0] == 200
    for file in files_of(opened):
        file.unlink()
    assert (await opened.fetch(path))[0] == 503
    await later(opened)
    assert (await opened.fetch(path))[0] == 200
    assert len(opened.asked("/cat.jpg")) == 2


@pytest.mark.parametrize("step", ["reserve", "keep", "settle"])
async def test_what_a_dead_process_had_begun_is_cleared_away(
    opened: World, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    where = {"reserve": (remote, "_make_room"), "keep": (CacheFolder, "finish"), "settle": (cache, "settle")}[step]
    job_of = await leased(opened)
    with monkeypatch.context() as patched:
        patched.setattr(*where, die)
        with scope.cause(REMOTE_FILE, REMOTE_FILE), pytest.raises(Killed):
            await run(opened, job_of)
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        await run(opened, job_of)
    await cache.sweep(opened.database, opened.server.proxy.folder)
    files = {file.name for file in files_of(opened)}
    async with opened.database.read() as tx:
        (row,) = await tx.all(select(remote_file))
        cached = await tx.all(select(cached_file))
        assert await tx.scalar(select(proxy.c.bytes)) == sum(each.bytes for each in cached)
    assert row.state == "ready"
    assert files == {each["name"] for each in row.files} == {each.name for each in cached}


async def overtake(world: World) -> None:
    """Another worker takes the job whose lease is over, and ends it."""
    clock.advance(2 * remote.LEASE)
    await reap(world.database, job_kinds(world.server))
    clock.advance(remote.LEASE)
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        await run(world, await taken(world))


@pytest.mark.parametrize("step", ["reserve", "keep"])
async def test_an_attempt_that_is_overtaken_leaves_nothing(
    opened: World, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await leased(opened)
    owner, name = {"reserve": (remote, "_make_room"), "keep": (CacheFolder, "keep")}[step]
    usual = getattr(owner, name)

    async def overtaken(*given: Any) -> Any:
        monkeypatch.setattr(owner, name, usual)
        await overtake(opened)
        return await usual(*given)

    monkeypatch.setattr(owner, name, overtaken)
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        assert await remote.fetch(opened.server, first) == Done()
    assert (await opened.fetch(await address(opened)))[0] == 200
    await all_agrees(opened)


async def test_an_attempt_that_is_overtaken_at_its_end_changes_nothing(opened: World) -> None:
    first = await leased(opened)
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        got = await remote.fetch(opened.server, first)
    assert isinstance(got, remote.Stored)
    await overtake(opened)
    async with opened.database.write() as tx:
        assert await remote.write(tx, first, got, clock.now()) is None
        assert await finish(tx, job_kinds(opened.server), [(first, Done())], clock.now()) == []
    assert (await opened.fetch(await address(opened)))[0] == 200
    await all_agrees(opened)


async def test_a_sweep_takes_what_no_row_names_and_forgets_what_is_lost(opened: World) -> None:
    path = await stored(opened)
    folder = opened.server.proxy.folder
    for name in (identifiers.token() + ".webp", identifiers.token() + ".webm"):
        folder.begin(name).close()
    folder.finish(name)
    (folder.path / "of-the-operator").mkdir()
    (folder.path / "of-the-operator" / "note.txt").write_text("mine")
    found = (await sweep(opened.server, clock.now(), dry_run=True)).cache
    assert (found.orphans, found.missing) == (2, 0)
    assert (await sweep(opened.server, clock.now())).cache == found
    (folder.path / "of-the-operator" / "note.txt").unlink()
    await all_agrees(opened)
    assert (await opened.fetch(path))[0] == 200
    files_of(opened)[0].unlink()
    assert (await sweep(opened.server, clock.now(), dry_run=True)).cache.missing == 1
    assert (await sweep(opened.server, clock.now())).cache.missing == 1
    await nothing_is_left(opened)
    assert (await sweep(opened.server, clock.now())).cache == SweptCache(0, 0, 0)


async def test_a_slow_forget_spares_what_was_fetched_anew(opened: World) -> None:
    await stored(opened)
    async with opened.database.write() as tx:
        (row,) = await tx.all(select(remote_file))
        await cache.forget(tx, row.key, ["another.webp"])
        assert await cache.look(tx, row.key) is not None
        await cache.forget(tx, row.key, [each["name"] for each in row.files])
        assert await cache.look(tx, row.key) is None


async def test_a_process_with_another_folder_has_nothing_fetched(opened: World, tmp_path: Path) -> None:
    path = await stored(opened)
    right = opened.server.proxy.folder
    opened.server.proxy.folder = CacheFolder(tmp_path / "other")
    assert (await opened.fetch(path))[0] == 503
    assert (await opened.fetch(path))[0] == 503
    opened.server.proxy.folder = right
    await later(opened)
    assert len(opened.asked("/cat.jpg")) == 1
    assert (await opened.fetch(path))[0] == 200


@pytest.mark.parametrize("use", ["picture", "film"])
async def test_a_full_disk_is_no_fault_of_the_host_and_leaves_nothing(
    opened: World, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = PICTURE if use == "picture" else "https://peer.test/cat.webm"
    opened.serve("https://peer.test/cat.webm", WEBM, content_type="video/webm")
    one = await leased(opened, url, use)
    usual = CacheFolder.begin

    class Small:
        """A disk with little room left takes a part of what it is given, then nothing."""

        def __init__(self, to: Any) -> None:
            self.to, self.left = to, 1000

        def write(self, piece: memoryview) -> int:
            if not self.left:
                raise OSError(errno.ENOSPC, "No space left on device")
            written = self.to.write(piece[: self.left])
            self.left -= written
            return int(written)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def close(self) -> None:
            self.to.close()

    with monkeypatch.context() as patched:
        patched.setattr(CacheFolder, "begin", lambda folder, name: Small(usual(folder, name)))
        with scope.cause(REMOTE_FILE, REMOTE_FILE):
            got = await remote.fetch(opened.server, one)
    assert got == Retry(None, "cache")
    await nothing_is_left(opened)
    await opened.server.fetches.flush()
    async with opened.database.read() as tx:
        assert {(row.outcome, row.reason) for row in await tx.all(select(fetch))} == {("ok", "")}
        assert (await tx.first(select(remote_file.c.state))) == ("coming",)
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        await run(opened, one)
    assert (await opened.fetch(await address(opened, url, use)))[0] == 200
    await all_agrees(opened)


async def test_a_disk_that_takes_a_part_is_asked_to_take_the_rest(opened: World, tmp_path: Path) -> None:
    del opened

    class Slow(BytesIO):
        def write(self, piece: Any) -> int:
            return super().write(bytes(piece[:7]))

    to = Slow()
    write_all(to, WEBM[:1000])
    assert to.getvalue() == WEBM[:1000]
    with pytest.raises(FolderTrouble):
        CacheFolder(tmp_path).finish("A" * 22 + ".webm")


@pytest.mark.parametrize("opened", [{"cache_size": 16, "remote_film_bytes": 10}], indirect=True)
async def test_what_is_coming_keeps_its_room_and_others_wait(opened: World) -> None:
    urls = [f"https://peer.test/{number}.webm" for number in range(3)]
    for url in urls:
        opened.serve(url, WEBM[:200] + bytes(9 << 20), content_type="video/webm")
    await stored(opened, urls[0], "film")
    first = await leased(opened, urls[1], "film")
    row = {"role": "original", "name": identifiers.token() + ".webm", "media_type": "video/webm", "bytes": 9 << 20}
    async with opened.database.write() as tx:
        assert await cache.reserve(tx, str(first.args["key"]), "peer.test", [row], 10 << 20, 16 << 20)
    await cache.sweep(opened.database, opened.server.proxy.folder)
    second = await leased(opened, urls[2], "film")
    with scope.cause(REMOTE_FILE, REMOTE_FILE):
        got = await remote.fetch(opened.server, second)
        assert isinstance(got, Retry)
        assert (got.after, got.spends_attempt) == (remote.NO_ROOM_FOR, False)
        await run(opened, first)
        await run(opened, second)
    assert await on_disk(opened) <= 16 << 20
    await all_agrees(opened)


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


async def leased(world: World, url: str = PICTURE, use: Use = "picture") -> Job:
    """The job that fetches a file, leased."""
    async with world.database.write() as tx:
        await prefetch.ask(tx, Wanted(use, url), clock.now())
    clock.advance(130.0)
    return await taken(world)


async def taken(world: World) -> Job:
    """The next of those jobs, leased as a worker leases them."""
    kind = job_kinds(world.server)[REMOTE_FILE]
    found = await lease(world.database, [Slot(kind, 1)], identifiers.token())
    if found.alone_waits:
        found = await lease(world.database, [Slot(kind, 1)], identifiers.token(), alone=True)
    (one,) = found.jobs
    return one


async def run(world: World, one: Job) -> None:
    """What the worker does with a job that goes well."""
    got = await remote.fetch(world.server, one)
    assert isinstance(got, remote.Stored)
    async with world.database.write() as tx:
        await remote.write(tx, one, got, clock.now())
        await finish(tx, job_kinds(world.server), [(one, Done())], clock.now())


async def stored(world: World, url: str = PICTURE, use: Use = "picture") -> str:
    """Have a file in the cache; its address here."""
    async with world.database.write() as tx:
        await prefetch.ask(tx, Wanted(use, url), clock.now())
    await later(world)
    return await address(world, url, use)


def files_of(world: World) -> list[Path]:
    """What is in the folder of the cache."""
    return [file for file in world.server.proxy.folder.path.rglob("*") if file.is_file()]


async def on_disk(world: World) -> int:
    """The room that the files of the cache take."""
    return sum(cache.on_disk(file.stat().st_size) for file in files_of(world))


async def all_agrees(world: World) -> None:
    """The rows, their sum, and what is in the folder."""
    await cache.sweep(world.database, world.server.proxy.folder)
    async with world.database.read() as tx:
        cached = {row.name: row.bytes for row in await tx.all(select(cached_file))}
        named = {each["name"] for row in await tx.all(select(remote_file)) for each in row.files}
        assert await tx.scalar(select(proxy.c.bytes)) == sum(cached.values()) == await on_disk(world)
    assert {file.name for file in files_of(world)} == set(cached) == named


async def nothing_is_left(world: World) -> None:
    """No file, and no room that is held for one."""
    await cache.sweep(world.database, world.server.proxy.folder)
    assert files_of(world) == []
    async with world.database.read() as tx:
        assert await tx.scalar(select(proxy.c.bytes)) == 0
