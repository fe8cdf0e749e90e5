"""A real browser that the tests drive, and a server of ours for it: over TLS, as behind a proxy.

    async def test_…(chromium: Browser, …) -> None:     # one browser for all tests of a file
        async with house(database_url, tmp_path, authority) as sut:
            page = await (await context(chromium)).new_page()
            await page.goto(f"{sut.url}/auth/sign_in")

The browser finds every name at this machine and nothing outside of it.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import ports
from fakes.certificates import Authority
from fakes.programs import needed
from privapub.app import Stopping, Work, run
from privapub.server import Server
from privapub.settings import Settings

if TYPE_CHECKING:  # it takes a while to load, and few tests need it
    from playwright.async_api import Browser, BrowserContext

NAME = "sut.test"
PATIENCE = 60_000  # milliseconds that the browser waits for something to show
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    f"--host-resolver-rules=MAP {NAME} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)
_CHUNK = 1 << 16


@asynccontextmanager
async def browser() -> AsyncIterator["Browser"]:
    """Debian's Chromium, without a window."""
    from playwright.async_api import async_playwright  # noqa: PLC0415 - it takes a while to load

    where = needed("chromium")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=where, args=list(_FLAGS))
        yield opened
        await opened.close()


@asynccontextmanager
async def visiting(chromium: "Browser", **how: Any) -> AsyncIterator["BrowserContext"]:
    """A browser of somebody who was nowhere yet: no cookies, nothing kept. It believes every certificate."""
    opened = await chromium.new_context(ignore_https_errors=True, **how)
    opened.set_default_timeout(PATIENCE)
    try:
        yield opened
    finally:
        await opened.close()


@dataclass(frozen=True)
class House:
    """A whole server: it answers and does its jobs."""

    server: Server
    url: str


@asynccontextmanager
async def house(database_url: str, folder: Path, authority: Authority, **settings: Any) -> AsyncIterator[House]:
    """The server on this database, as `privapub serve` runs it, with something in front that holds the certificate."""
    listening, outside = ports.bound(), ports.bound()
    url = f"https://{NAME}:{outside.getsockname()[1]}"
    listening.listen()
    made = Settings(data=folder / "data", database_url=database_url, base_url=url, **settings)
    ready: asyncio.Future[Server] = asyncio.get_running_loop().create_future()
    stopping = Stopping()
    serving = asyncio.create_task(
        run(made, sockets=[listening], work=Work(), started=ready.set_result, stopping=stopping)
    )
    try:
        await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        async with _in_front(outside, listening.getsockname()[1], authority.serve(NAME)):
            yield House(ready.result(), url)
    finally:
        stopping()
        async with asyncio.timeout(60):
            await serving


@asynccontextmanager
async def _in_front(outside: Any, port: int, tls: ssl.SSLContext) -> AsyncIterator[None]:
    """What takes TLS off and passes everything on, to this port of this machine."""
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(task := asyncio.ensure_future(_both_ways(reader, writer, port)))
        task.add_done_callback(connections.discard)
        await asyncio.wait({task})

    front = await asyncio.start_server(connected, sock=outside, ssl=tls)
    try:
        yield
    finally:
        front.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await front.wait_closed()


async def _both_ways(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        ways = {
            asyncio.ensure_future(_pass_on(reader, inner_writer)),
            asyncio.ensure_future(_pass_on(inner_reader, writer)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
    finally:
        for each in (writer, inner_writer):
            each.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
