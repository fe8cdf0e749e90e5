"""Hearing of jobs that other processes have put.

On PostgreSQL a connection of its own listens; it probes itself at the start, since a pooler in between may swallow
notifications, and connects again when it is lost. On SQLite a reader asks every tenth of a second whether the file was
changed by another connection, which costs some microseconds and works wherever SQLite does. Whoever waits polls as
well, so that nothing depends on it. A topic may be told of more often than it was announced.
"""

import asyncio
import importlib
import logging
import sqlite3
from typing import Any

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.postgresql import CHANNEL

LOOK_EVERY = 0.1
PROBE_WITHIN = 2.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
_log = logging.getLogger(__name__)


async def hear_others(database: Database, topic: str, ready: asyncio.Event) -> None:
    """Pass on what other processes announce to this process' listeners, until cancelled.

    `ready` is set while it listens. A connection that is lost is opened again, however long that takes.
    """
    hear = _watch_file if database.is_sqlite else _listen
    pause = FIRST_PAUSE
    while True:
        try:
            await hear(database, topic, ready)
        except Exception as error:  # noqa: BLE001 - whatever it is, jobs are polled for meanwhile, and it is tried again
            _log.warning("does not hear of jobs that other processes put, tries again: %s", type(error).__name__)
        pause = FIRST_PAUSE if ready.is_set() else min(pause * 2, LONGEST_PAUSE)
        ready.clear()
        await clock.sleep(pause * identifiers.uniform(0.5, 1.0))


async def _watch_file(database: Database, topic: str, ready: asyncio.Event) -> None:
    connection = sqlite3.connect(str(database.path), isolation_level=None)
    try:
        seen = _version(connection)
        ready.set()
        database.tell(topic)  # for what was put before
        while True:
            await clock.sleep(LOOK_EVERY)
            found = _version(connection)
            if found != seen:
                seen = found
                database.tell(topic)
    finally:
        connection.close()


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


async def _listen(database: Database, topic: str, ready: asyncio.Event) -> None:
    # Loaded where it is used: a server on SQLite needs 4 MB less.
    asyncpg = importlib.import_module("asyncpg")
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
        await connection.add_listener(CHANNEL, heard)
        async with database.write() as tx:
            await tx.raw("SELECT pg_notify($1, $2)", (CHANNEL, probe))
        try:
            await asyncio.wait_for(probed.wait(), PROBE_WITHIN)
        except TimeoutError:
            _log.warning("notifications of PostgreSQL do not arrive (a pooler in between?): jobs are polled for only")
        ready.set()
        database.tell(topic)  # for what was put before
        await lost.wait()
    finally:
        connection.terminate()
    raise ConnectionError
