"""SQLAlchemy's dialect for SQLite, with one visit to the connection's thread for each statement.

As it comes, a statement takes four: to make a cursor, to execute, to fetch, to close. Each costs more than most of our
statements do.
"""

import sqlite3
from collections import deque
from typing import Any

from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
    SQLiteDialect_aiosqlite,
)
from sqlalchemy.util import EMPTY_DICT


class _Cursor(AsyncAdapt_aiosqlite_cursor):
    """Holds what a statement brought; there is nothing of it left in the thread."""

    __slots__ = ("_told",)
    _told: tuple[Any, int, int | None]

    def __init__(self, adapt_connection: Any) -> None:  # as its parent, without the visit
        self._adapt_connection = adapt_connection
        self._connection = adapt_connection._connection  # noqa: SLF001 - as its parent does
        self._rows = deque()
        self._soft_closed_memoized = EMPTY_DICT
        self._told = (None, -1, None)

    @property
    def description(self) -> Any:
        return self._told[0]

    @property
    def rowcount(self) -> int:
        return self._told[1]

    @property
    def lastrowid(self) -> Any:
        return self._told[2]

    async def _execute_async(self, operation: Any, parameters: Any) -> Any:
        await self._visit(_execute, operation, parameters or ())

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> Any:
        await self._visit(_execute_many, operation, seq_of_parameters)

    async def _visit(self, what: Any, operation: Any, parameters: Any) -> None:
        async with self._adapt_connection._execute_mutex:  # noqa: SLF001 - as its parent does
            driver: Any = self._connection
            rows, *told = await driver._execute(what, driver._conn, operation, parameters)  # noqa: SLF001 - the one visit
            self._rows, self._told = deque(rows), tuple(told)

    async def _async_soft_close(self) -> None:
        """There is nothing to close."""

    def close(self) -> None:
        self._rows.clear()


def _execute(connection: sqlite3.Connection, operation: str, parameters: Any) -> tuple[Any, ...]:
    cursor = connection.execute(operation, parameters)
    rows = cursor.fetchall() if cursor.description else ()
    return rows, cursor.description, cursor.rowcount, cursor.lastrowid


def _execute_many(connection: sqlite3.Connection, operation: str, parameters: Any) -> tuple[Any, ...]:
    cursor = connection.executemany(operation, parameters)
    return (), None, cursor.rowcount, cursor.lastrowid


class _Connection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ()
    _cursor_cls = _Cursor


class _Driver(AsyncAdapt_aiosqlite_dbapi):
    def connect(self, *arg: Any, **kw: Any) -> AsyncAdapt_aiosqlite_connection:
        return _Connection(self, super().connect(*arg, **kw)._connection)  # noqa: SLF001 - the same, adapted by ours


class Dialect(SQLiteDialect_aiosqlite):
    """The dialect of `sqlite+visits://`."""

    supports_statement_cache = True

    @classmethod
    def import_dbapi(cls) -> AsyncAdapt_aiosqlite_dbapi:
        """The driver."""
        return _Driver(__import__("aiosqlite"), sqlite3)
