"""Files elsewhere in the cache of a world: fetched, leased, counted."""

from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from sqlalchemy import select

from fakes.activities import create, note
from fakes.world import Person, World
from privapub import clock, identifiers
from privapub.job_table import job_kinds
from privapub.jobs.job import Done, Job
from privapub.jobs.lease import Slot, lease
from privapub.jobs.outcome import finish
from privapub.jobs.tables import job
from privapub.media import remote
from privapub.proxy import cache, prefetch
from privapub.proxy.addresses import Size, Use, Wanted
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.proxy.tables import cached_file, proxy, remote_file

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


async def stored(world: World, url: str = PICTURE, use: Use = "picture") -> str:
    """Have a file in the cache; its address here."""
    async with world.database.write() as tx:
        await prefetch.ask(tx, Wanted(use, url), clock.now())
    await later(world)
    return await address(world, url, use)


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
