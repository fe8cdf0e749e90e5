"""The cache of files elsewhere keeps its bound and its bytes, whatever goes wrong meanwhile."""

import asyncio
import errno
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import pytest
from sqlalchemy import select

from fakes.elsewhere import (
    PICTURE,
    WEBM,
    address,
    all_agrees,
    files_of,
    later,
    leased,
    nothing_is_left,
    on_disk,
    run,
    stored,
    taken,
)
from fakes.world import World
from privapub import clock, identifiers, scope
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.job import Done, Retry
from privapub.jobs.outcome import finish
from privapub.jobs.reaper import reap
from privapub.media import remote
from privapub.media.sweep import SweptCache, sweep
from privapub.proxy import cache
from privapub.proxy.addresses import Use
from privapub.proxy.folder import CacheFolder, FolderTrouble, write_all
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.proxy.tables import cached_file, proxy, remote_file
from privapub.settings import Settings
from privapub.telemetry.tables import fetch


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


async def test_what_is_large_takes_the_place_of_many_and_of_no_more_than_it_needs(database: Database) -> None:
    files = [{"role": "original", "name": f"{'n' * 22}{number}.webm", "bytes": 4096} for number in range(300)]
    async with database.write() as tx:
        await cache.ensure(tx, Settings())
        for number, file in enumerate(files):
            assert await cache.reserve(tx, str(number), "peer.test", [file], 0, 300 * 4096)
            await cache.settle(tx, str(number), [file])
        large = {"role": "original", "name": f"{'m' * 22}.webm", "bytes": 250 * 4096}
        assert await cache.reserve(tx, "large", "peer.test", [large], 0, 300 * 4096)
        ready = await tx.all(select(remote_file.c.key).where(remote_file.c.state == cache.READY))
        assert {row.key for row in ready} == {str(number) for number in range(250, 300)}
        with pytest.raises(cache.NoRoom):
            await cache.reserve(tx, "more", "peer.test", [{**large, "name": f"{'o' * 22}.webm"}], 0, 300 * 4096)


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


def test_a_disk_that_takes_a_part_is_asked_to_take_the_rest(tmp_path: Path) -> None:
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


async def test_whoever_changes_many_rows_waits_for_whoever_did_before(opened: World) -> None:
    keys = [f"key{number}" for number in range(20)]
    for key in keys:
        async with opened.database.write() as tx:
            await cache.fail(tx, key, "peer.test", "404", clock.now())

    async def prune() -> None:
        async with opened.database.write() as tx:
            await cache.prune(tx, clock.now() + 3 * cache.WEEK)

    async with opened.database.write() as tx:
        await cache.fail(tx, keys[-1], "peer.test", "404", clock.now())
        pruning = asyncio.create_task(prune())
        while not await waits(opened.database):  # it has come as far as it can
            pass
        for key in keys:
            await cache.fail(tx, key, "peer.test", "404", clock.now())
    await pruning
    async with opened.database.read() as tx:
        assert await cache.hosts(tx) == set()


async def waits(database: Database) -> bool:
    """Whether a transaction waits for another. On SQLite it does before it begins."""
    if database.is_sqlite:
        return True
    async with database.read() as tx:
        locked = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        return bool(await tx.raw(locked))
