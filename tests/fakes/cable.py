"""A way to the database that a test can cut."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import make_url

from fakes import ports


@asynccontextmanager
async def cable(url: str) -> AsyncIterator[Any]:
    """A way to the database that can be cut: its URL, and a context in which it is."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        yield url, lambda: _locked(address.database or "")
        return
    open_ends: set[asyncio.StreamWriter] = set()
    is_cut = False

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_cut:
            writer.transport.abort()
            return
        folder = str(address.query["host"])
        far_reader, far_writer = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        open_ends.update((writer, far_writer))
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        open_ends.difference_update((writer, far_writer))

    @asynccontextmanager
    async def cut() -> AsyncIterator[None]:
        nonlocal is_cut
        is_cut = True
        for end in list(open_ends):
            end.transport.abort()
        yield
        is_cut = False

    server = await asyncio.start_server(accept, sock=ports.bound())
    port = server.sockets[0].getsockname()[1]
    async with server:
        near = address.set(host="127.0.0.1", port=port, query={})
        yield near.render_as_string(hide_password=False), cut
        for end in list(open_ends):
            end.transport.abort()


@asynccontextmanager
async def _locked(path: str) -> AsyncIterator[None]:
    """On SQLite another holds the one lock."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=20, check_same_thread=False)
    try:
        await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
    finally:
        connection.close()
