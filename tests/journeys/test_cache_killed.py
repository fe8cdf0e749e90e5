"""The cache of files elsewhere under readers and kills: never more than its bound on the disk, and never a wrong byte.

`PRIVAPUB_TEST_CACHE_KILLS`, `…_CACHE_MIB` and `…_CACHE_LOAD_MIB` say how often is killed, how large the cache is, and
how much is fetched into it at least; `bench/soak.py --only cache` runs the full size.
"""

import asyncio
import contextlib
import os
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from PIL import Image
from sqlalchemy import func, select, update

from fakes import ports
from fakes.elsewhere import WEBM
from fakes.internet import LOOPBACK
from journeys.test_killed import Tree
from privapub import app, identifiers
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.reaper import reap
from privapub.jobs.tables import job
from privapub.media.sweep import sweep
from privapub.proxy import cache
from privapub.proxy.addresses import ProxyUrls, Use
from privapub.proxy.prefetch import REMOTE_FILE
from privapub.proxy.tables import cached_file, proxy, remote_file
from privapub.settings import load

KILLS = int(os.environ.get("PRIVAPUB_TEST_CACHE_KILLS", "5"))
BOUND = int(os.environ.get("PRIVAPUB_TEST_CACHE_MIB", "16")) << 20
LOAD = int(os.environ.get("PRIVAPUB_TEST_CACHE_LOAD_MIB", "80")) << 20
LARGEST = max(BOUND // 16 >> 20, 3) << 20  # bytes of a film
HOSTS = 100  # of each of which two files are fetched at once
FILES = 3 * LOAD // LARGEST
READERS = 8
HEAD = WEBM[:40]
# Of a length that no size of a buffer divides: whatever is shifted shows.
PATTERN = random.Random(7).randbytes((1 << 20) - 3)  # noqa: S311 - no secret


@dataclass(frozen=True)
class Elsewhere:
    """A file elsewhere, of which everything follows from its number."""

    number: int

    @property
    def is_picture(self) -> bool:
        return self.number % 8 == 0

    @property
    def use(self) -> Use:
        return "picture" if self.is_picture else "film"

    @property
    def size(self) -> int:
        """The bytes of a film."""
        return random.Random(self.number).randint(1_000, LARGEST)  # noqa: S311 - the same

    @property
    def sides(self) -> tuple[int, int]:
        """The sides of a picture."""
        return 100 + self.number % 97, 100 + self.number % 89

    @property
    def colour(self) -> tuple[int, int, int]:
        """The colour of a picture."""
        return (self.number * 37 % 256, self.number * 91 % 256, self.number * 53 % 256)

    def part(self, start: int, end: int) -> bytes:
        """The bytes of a film from one place up to another."""
        at = (start + self.number * 7919) % len(PATTERN)
        rest = (PATTERN[at:] + PATTERN * ((end - start) // len(PATTERN) + 1))[: end - start]
        return HEAD[start:end] + rest[max(0, min(len(HEAD), end) - start) :]

    def picture(self) -> bytes:
        data = BytesIO()
        Image.new("RGB", self.sides, self.colour).save(data, "PNG")
        return data.getvalue()

    def check(self, body: bytes, start: int, *, whole: bool) -> None:
        """Whether these are its bytes; of a picture, which is made anew, whether it shows what it has to."""
        if not self.is_picture:
            assert body == self.part(start, start + len(body)), f"a wrong byte in film {self.number}"
            assert not whole or len(body) == self.size
        elif whole:
            shown = Image.open(BytesIO(body))
            assert shown.size == self.sides
            seen = shown.convert("RGB").getpixel((50, 50))
            assert isinstance(seen, tuple)
            assert max(abs(one - other) for one, other in zip(seen, self.colour, strict=True)) < 12


@dataclass
class Town:
    """The processes, the one cache, and the server elsewhere of which all files are."""

    environ: dict[str, str]
    base_url: str
    folder: Path
    database: Database
    port: int = 0
    sent: int = 0  # bytes, by the server elsewhere
    urls: ProxyUrls | None = None
    read: dict[int, int] = field(default_factory=dict)  # how often an answer was right, by kills before it
    kills: int = 0
    most: int = 0  # bytes that were seen in the folder

    def tree(self, *words: str) -> Tree:
        return Tree(words, self.environ, self.folder.with_name(f"said-{identifiers.token()}"))

    def path(self, file: Elsewhere) -> str:
        assert self.urls is not None
        host = f"127.0.1.{1 + file.number % HOSTS}"
        return self.urls.of(file.use, f"http://{host}:{self.port}/{file.number}")

    def look(self) -> int:
        """The room that all files take now. They come and go meanwhile: what is gone takes none."""
        taken = 0
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(FileNotFoundError):
                taken += cache.on_disk(path.stat().st_size)
        self.most = max(self.most, taken)
        return taken


@contextlib.asynccontextmanager
async def a_town(url: str, folder: Path) -> AsyncIterator[Town]:
    port = ports.free()
    own = {
        "PRIVAPUB_DATA": str(folder / "data"),
        "PRIVAPUB_DATABASE_URL": url,
        "PRIVAPUB_BASE_URL": f"http://127.0.0.1:{port}",
        "PRIVAPUB_LISTEN": f"127.0.0.1:{port}",
        "PRIVAPUB_ALLOW_ADDRESSES": ",".join(str(network) for network in LOOPBACK),
        "PRIVAPUB_CACHE": str(folder / "cache"),
        "PRIVAPUB_CACHE_SIZE": str(BOUND >> 20),
        "PRIVAPUB_REMOTE_FILM_BYTES": str(LARGEST >> 20),
        "PRIVAPUB_PREFETCH": "off",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIVAPUB_")}
    town = Town({**kept, **own}, f"http://127.0.0.1:{port}", folder / "cache", Database(url))

    async def answer(request: web.Request) -> web.StreamResponse:
        file = Elsewhere(int(request.path[1:]))
        if file.is_picture:
            return web.Response(body=file.picture(), content_type="image/png")
        response = web.StreamResponse(headers={"Content-Type": "video/webm"})
        if file.number % 5:
            response.content_length = file.size
        await response.prepare(request)
        for start in range(0, file.size, 1 << 18):
            piece = file.part(start, min(start + (1 << 18), file.size))
            await response.write(piece)
            town.sent += len(piece)
        return response

    elsewhere = web.Application()
    elsewhere.router.add_get("/{number}", answer)
    runner = web.AppRunner(elsewhere, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        town.port = ports.free()
        await web.TCPSite(runner, "0.0.0.0", town.port).start()
        yield town
    finally:
        await runner.cleanup()
        await town.database.close()


async def read(town: Town, session: aiohttp.ClientSession, enough: asyncio.Event) -> None:
    """Files by chance, those of late more often, whole and in parts, until it is enough."""
    chance = random.Random()  # noqa: S311 - what is read is what the test draws
    newest = 0
    while not enough.is_set():
        newest = chance.randrange(FILES) if chance.random() < 0.6 else max(0, newest - chance.randrange(3))
        file, kills = Elsewhere(newest), town.kills
        start = chance.randrange(file.size) if chance.random() < 0.5 and not file.is_picture else 0
        headers = {"Range": f"bytes={start}-{start + 100_000}"} if start else {}
        body = bytearray()
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
            async with session.get(town.path(file), headers=headers) as got:
                if got.status not in {200, 206}:
                    assert got.status in {502, 503, 504}, got.status
                    continue
                begins = start if got.status == 206 else 0
                try:
                    async for piece in got.content.iter_any():
                        body += piece
                except (aiohttp.ClientError, OSError):
                    file.check(bytes(body), begins, whole=False)
                    raise
                file.check(bytes(body), begins, whole=got.status == 200)
                town.read[kills] = town.read.get(kills, 0) + 1


async def leases_end(town: Town, kinds: Any) -> None:
    """Nobody waits two minutes for the leases of the dead. Those of the living end as well: they are overtaken."""
    async with town.database.write() as tx:
        await tx.execute(update(job).where(job.c.kind == REMOTE_FILE, job.c.state == "leased").values(lease_until=1.0))
    await reap(town.database, kinds)


async def passes(town: Town, mark: int, reading: list[asyncio.Task[None]]) -> None:
    """Wait until so much was fetched, and read since the last kill; what a reader found wrong is raised."""
    while town.sent < mark or town.kills not in town.read:
        await asyncio.wait(reading, timeout=0.05, return_when=asyncio.FIRST_COMPLETED)
        for task in reading:
            if task.done():
                task.result()
        assert town.look() <= BOUND + LARGEST


async def agree(town: Town) -> None:
    """The sum is that of the rows, and never less than what is on the disk."""
    async with town.database.read() as tx:
        summed = await tx.scalar(select(func.sum(cached_file.c.bytes))) or 0
        assert await tx.scalar(select(proxy.c.bytes)) == summed
        staying = select(func.sum(cached_file.c.bytes)).where(~cached_file.c.leaving)
        assert (await tx.scalar(staying) or 0) <= BOUND


@pytest.mark.hangs_after(300 + 60 * KILLS)
async def test_kills_under_load_cost_no_byte_and_no_more_room(database_url: str, tmp_path: Path) -> None:
    async with a_town(database_url, tmp_path) as town, contextlib.AsyncExitStack() as stack:
        server = app.open_server(load(town.environ).settings)
        stack.push_async_callback(app.close_server, server)
        await app.check_ready(server)
        town.urls = await server.proxy.its_urls()
        kinds = job_kinds(server)
        trees = [town.tree("web"), town.tree("work"), town.tree("work")]
        for tree in trees:
            await tree.start()
        enough = asyncio.Event()
        limit = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(timeout=limit) as session:
            reading = [asyncio.create_task(read(town, session, enough)) for _ in range(READERS)]
            try:
                for turn in range(KILLS):
                    await passes(town, LOAD * (turn + 1) // (KILLS + 1), reading)
                    await random.choice(trees).kill_child()  # noqa: S311 - which one is what the test draws
                    town.kills += 1
                    assert town.look() <= BOUND + LARGEST
                    await agree(town)
                    await leases_end(town, kinds)
                await passes(town, LOAD, reading)
            finally:
                enough.set()
                await asyncio.gather(*reading, return_exceptions=True)
        for tree in trees:
            await tree.stop()
        await agree(town)
        await sweep(server, 0.0)
        async with town.database.read() as tx:
            named = {row.name for row in await tx.all(select(cached_file.c.name))}
            ready = [
                row.files for row in await tx.all(select(remote_file.c.files).where(remote_file.c.state == "ready"))
            ]
            summed = await tx.scalar(select(proxy.c.bytes))
        assert {name for name, _ in server.proxy.folder.walk()} <= named
        assert ready
        assert all(server.proxy.folder.has([each["name"] for each in files]) for files in ready)
        assert town.look() <= summed <= BOUND
