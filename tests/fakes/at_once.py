"""Two transactions at once: the one is under way when the other begins."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import text

from privapub.database.connect import Database
from privapub.database.transaction import Transaction

Verb = Callable[[Transaction], Awaitable[Any]]

_WAITS = text(
    "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database OR pg_locks.database IS NULL"
    " WHERE NOT granted AND datname = current_database()"
)


async def at_once(database: Database, first: Verb, second: Verb) -> None:
    """The second begins when the first has done its part, which is committed once the second waits for it, or is done.

    On SQLite the second waits from its beginning.
    """

    async def then() -> None:
        async with database.write() as tx:
            await second(tx)

    async with database.write() as tx:
        await first(tx)
        other = asyncio.create_task(then())
        if not database.is_sqlite:
            await _waits_or_is_done(database, other)
    await other


async def _waits_or_is_done(database: Database, task: asyncio.Task[None]) -> None:
    async with database.read() as looking:
        while not task.done() and not await looking.scalar(_WAITS):
            pass
