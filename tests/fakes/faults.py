"""A database whose connection fails at a statement of the test's choice, before or after it is executed.

The real drivers, subclassed: what is lost is lost as it is when a process or a connection dies, so SQLite's file is
closed with its transaction open, and PostgreSQL sees its client hang up.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from privapub.database import sqlite
from privapub.database.connect import Database

# What a caller sees of a connection that died.
GONE = (DBAPIError, sqlite3.Error, asyncpg.PostgresError, asyncpg.InterfaceError)


class Lost(Exception):
    """The fault that was asked for; the drivers say it in their own words."""


def lose() -> None:
    """The connection dies."""
    raise Lost


@dataclass
class Faults:
    """Counts the statements of the connections that write, while it is armed, and strikes at the n-th."""

    n: int = 0  # 0: never
    after: bool = False  # the statement was executed, and nobody heard of it
    act: Callable[[], None] = lose  # what happens; where it raises Lost, the connection dies
    matches: Callable[[str], bool] = field(default=lambda _sql: True)
    statements: list[str] = field(default_factory=list)
    struck: bool = False

    @contextmanager
    def armed(
        self,
        n: int,
        *,
        after: bool = False,
        act: Callable[[], None] = lose,
        matches: Callable[[str], bool] = lambda _sql: True,
    ) -> Iterator[None]:
        """Strike at the n-th statement that matches, within this block."""
        self.n, self.after, self.act, self.matches = n, after, act, matches
        self.statements, self.struck = [], False
        try:
            yield
        finally:
            self.n = 0

    def before_it(self, sql: str) -> bool:
        """Called before a statement is executed; whether it is the one to strike after."""
        if not self.n or self.struck or not self.matches(sql):
            return False
        self.statements.append(sql)
        if len(self.statements) != self.n:
            return False
        self.struck = True
        if not self.after:
            self.act()
        return self.after


def faulty(url: str) -> tuple[Database, Faults]:
    """The database, and what makes the connections that it writes with fail."""
    database, faults = Database(url, pool_size=1), Faults()
    own = {"factory": _sqlite(faults)} if database.is_sqlite else {"connection_class": _postgresql(faults)}

    @event.listens_for(database.engine.sync_engine, "do_connect")
    def on_connect(_dialect: Any, _record: Any, _args: Any, values: dict[str, Any]) -> None:
        values |= own

    return database, faults


def _sqlite(faults: Faults) -> type[sqlite3.Connection]:
    class Connection(sqlite.Connection):
        def around(self, sql: str, execute: Callable[[], Any]) -> Any:
            try:
                strike = faults.before_it(sql)
                result = execute()
                if strike:
                    faults.act()
            except Lost:
                super().rollback()  # as whoever opens the file next would
                self.close()
                raise sqlite3.ProgrammingError("Cannot operate on a closed database.") from None
            return result

        def cursor(self, factory: Any = None) -> sqlite3.Cursor:
            return super().cursor(factory or Cursor)

        def commit(self) -> None:
            self.around("COMMIT", super().commit)

    class Cursor(sqlite.Cursor):
        def execute(self, sql: str, values: Any = ()) -> sqlite3.Cursor:
            execute = super().execute
            found: sqlite3.Cursor = self.connection.around(sql, lambda: execute(sql, values))  # type: ignore[attr-defined]  # it is the one above
            return found

        def executemany(self, sql: str, values: Any) -> sqlite3.Cursor:
            execute = super().executemany
            found: sqlite3.Cursor = self.connection.around(sql, lambda: execute(sql, values))  # type: ignore[attr-defined]  # it is the one above
            return found

    return Connection


def _postgresql(faults: Faults) -> type[asyncpg.Connection]:
    class Connection(asyncpg.Connection):
        def __init__(self, protocol: Any, *rest: Any) -> None:
            super().__init__(protocol, *rest)
            self._protocol = Protocol(protocol, self)

    class Protocol:
        """The driver's own, which is compiled: what executes a statement is looked at, all else is passed on."""

        def __init__(self, real: Any, connection: Connection) -> None:
            self.real, self.connection = real, connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        async def around(self, sql: str, execute: Callable[[], Any]) -> Any:
            try:
                strike = faults.before_it(sql)
                result = await execute()
                if strike:
                    faults.act()
            except Lost:
                self.connection.terminate()
                raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation") from None
            return result

        async def query(self, sql: str, *rest: Any) -> Any:
            return await self.around(sql, lambda: self.real.query(sql, *rest))

        async def bind_execute(self, state: Any, *rest: Any, **named: Any) -> Any:
            return await self.around(state.query, lambda: self.real.bind_execute(state, *rest, **named))

        async def bind_execute_many(self, state: Any, *rest: Any, **named: Any) -> Any:
            return await self.around(state.query, lambda: self.real.bind_execute_many(state, *rest, **named))

    return Connection


async def connect_again(database: Database) -> None:
    """Let go of a connection that died, and have another at hand."""
    await database.engine.dispose()
    async with database.write() as tx:
        await tx.execute(text("SELECT 1"))


async def only_one_is_left(database: Database) -> None:
    """Wait until PostgreSQL has noticed whose clients are gone, and has undone what they had begun."""
    if database.is_sqlite:
        return
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
        " AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    while True:
        async with database.read() as tx:
            if not await tx.scalar(others):
                return
        await asyncio.sleep(0.002)
