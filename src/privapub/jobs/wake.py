"""Hearing of jobs that other processes have put.

On PostgreSQL a connection of its own listens; it probes itself at the start, since a pooler in between may swallow
notifications, and connects again when it is lost. On SQLite a reader asks every tenth of a second whether the file was
changed by another connection, which costs some microseconds. Whoever waits polls as well, so that nothing depends on
it. A topic may be told of more often than it was announced.
"""

import asyncio
import logging
import sqlite3
from typing import Any

import asyncpg

from privapub import identifiers
from privapub.database.connect import PG_CHANNEL, Database

LOOK_EVERY = 0.1
PROBE_WITHIN = 2.0
_log = logging.getLogger(__name__)


async def hear_others(database: Database, topic: str, ready: asyncio.Event | None = None) -> None:
    """Pass on what other processes announce to this process' listeners, until cancelled.

    `ready` is set once it listens.
    """
    if database.is_sqlite:
        await _watch_file(database, topic, ready)
        return
    pause = 1.0
    while True:
        try:
            await _listen(database, ready)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            _log.warning("lost the connection that listens for jobs, connecting again: %s", type(error).__name__)
        await asyncio.sleep(pause)
        pause = min(pause * 2, 30.0)
        database.tell(topic)


async def _watch_file(database: Database, topic: str, ready: asyncio.Event | None) -> None:
    connection = sqlite3.connect(str(database.path), isolation_level=None)
    try:
        seen = _version(connection)
        if ready is not None:
            ready.set()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            found = _version(connection)
            if found != seen:
                seen = found
                database.tell(topic)
    finally:
        connection.close()


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


async def _listen(database: Database, ready: asyncio.Event | None) -> None:
    url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(url, timeout=10)
    lost, probed = asyncio.Event(), asyncio.Event()
    probe = f"probe {identifiers.token()}"

    def heard(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
        if payload == probe:
            probed.set()
        else:
            database.tell(payload)

    connection.add_termination_listener(lambda _connection: lost.set())
    try:
        await connection.add_listener(PG_CHANNEL, heard)
        async with database.write() as tx:
            await tx.raw("SELECT pg_notify($1, $2)", (PG_CHANNEL, probe))
        try:
            await asyncio.wait_for(probed.wait(), PROBE_WITHIN)
        except TimeoutError:
            _log.warning("notifications of PostgreSQL do not arrive (a pooler in between?): jobs are polled for only")
        if ready is not None:
            ready.set()
        await lost.wait()
    finally:
        await connection.close(timeout=5)
    raise ConnectionError
