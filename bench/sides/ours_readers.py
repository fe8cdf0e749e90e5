"""usage: ours_readers.py URL off|on READERS: so many readers at once of a picture elsewhere that nobody has read yet.

Two processes answer them: on PostgreSQL `web` twice, with a `work` beside; on SQLite a `serve` and a `web`. Tells how
often the picture was fetched, how often before a fetch may be by the settings, how many were shown it at once, and
seconds from the first of them to the last. With prefetching `on` all of them read once more when it has been fetched.
"""

import asyncio
import os
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import uvloop
from aiohttp import web
from pictures import photo
from starting import told

from privapub.database.connect import Database
from privapub.proxy import cache
from privapub.proxy.prefetch import REMOTE_FILE

AFTER, UNTIL = 4, 8  # seconds that a fetch waits, with prefetching on
LATENCY = 0.2  # seconds that the other server takes for its answer: all readers have come by then
HERE = "https://here.example"


class Peer:
    """Where the picture is."""

    def __init__(self, picture: bytes) -> None:
        """Not asked yet."""
        self.asked: list[float] = []
        self._picture = picture

    async def answer(self, _request: web.BaseRequest) -> web.StreamResponse:
        """After a while."""
        self.asked.append(time.time())
        await asyncio.sleep(LATENCY)
        return web.Response(body=self._picture, content_type="image/jpeg")


@asynccontextmanager
async def peer() -> AsyncIterator[tuple[Peer, str]]:
    """One that listens, and the address of its picture."""
    made = Peer(bytes(await asyncio.to_thread(_picture)))
    runner = web.ServerRunner(web.Server(made.answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield made, f"http://127.0.0.1:{runner.addresses[0][1]}/cat.jpg"
    finally:
        await runner.cleanup()


def _picture() -> Any:
    return photo(1600, 1200).jpegsave_buffer(Q=90)


@asynccontextmanager
async def running(command: str, environ: dict[str, str]) -> AsyncIterator[None]:
    """A process of ours that has said that it is ready."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "privapub.cli.entry", command),
        env={**os.environ, **environ},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None  # noqa: S101 - for the type
    try:
        if not await process.stdout.readline():
            raise SystemExit(f"`privapub {command}` did not start")
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


async def read(port: int, path: str) -> int:
    """The status with which one reader was answered, to the last byte."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: here.example\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    return int(answer.split(b" ", 2)[1])


async def measure(url: str, prefetch: str, readers: int) -> None:
    """Have them read."""
    commands = ("serve", "web") if url.startswith("sqlite") else ("web", "web", "work")
    ports = [_free_port(), _free_port()]
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="privapub-bench-data-"))
        environ = {
            "PRIVAPUB_DATA": folder, "PRIVAPUB_DATABASE_URL": url, "PRIVAPUB_BASE_URL": HERE,
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8", "PRIVAPUB_LOG_LEVEL": "error", "PRIVAPUB_PREFETCH": prefetch,
            "PRIVAPUB_PREFETCH_AFTER": str(AFTER), "PRIVAPUB_PREFETCH_UNTIL": str(UNTIL),
        }  # fmt: skip
        there, picture = await stack.enter_async_context(peer())
        for command, port in zip(commands, [*ports, 0], strict=False):
            listen = {"PRIVAPUB_LISTEN": f"127.0.0.1:{port}"} if port else {}
            await stack.enter_async_context(running(command, environ | listen))
        database = Database(url)
        stack.push_async_callback(database.close)
        async with database.read() as tx:
            urls = await cache.urls(tx, "")
        assert urls is not None  # noqa: S101 - there is a server
        path = urls.of("picture", picture)

        async def all_read() -> Counter[int]:
            return Counter(await asyncio.gather(*(read(ports[n % len(ports)], path) for n in range(readers))))

        began = time.time()
        statuses = await all_read()
        seconds = time.time() - began
        shown = statuses[200]
        while await _is_wanted(database):  # noqa: ASYNC110 - another process fetches, and tells nobody but the table
            await asyncio.sleep(0.1)
        if prefetch == "on" and (await all_read())[200] != readers:
            raise SystemExit("the picture is not shown")
    told({
        "fetched": len(there.asked), "early": sum(moment < began + AFTER for moment in there.asked),
        "shown": shown, "seconds": seconds,
    })  # fmt: skip


async def _is_wanted(database: Database) -> bool:
    async with database.read() as tx:
        rows = await tx.raw(f"SELECT count(*) FROM job WHERE kind = '{REMOTE_FILE}' AND state IN ('waiting', 'leased')")  # noqa: S608 - a name of ours
    return bool(rows[0][0])


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], sys.argv[2], int(sys.argv[3])))
