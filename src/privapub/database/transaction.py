"""One transaction, as every domain verb takes it first."""

import importlib
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any

from sqlalchemy import CursorResult, Executable, Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection

_open_here: ContextVar[bool] = ContextVar("transaction_open", default=False)


def is_open_here() -> bool:
    """Whether the running task is inside a transaction: the outbound client refuses to work then."""
    return _open_here.get()


@cache
def _dialect(name: str) -> Any:
    """The module of a dialect, loaded where it is used: the other one would cost a server that never needs it 6 MB."""
    return importlib.import_module(f"sqlalchemy.dialects.{name}")


class Transaction:
    """All reads and writes between a BEGIN and its COMMIT.

    `dialect` is "sqlite" or "postgresql".
    """

    def __init__(self, connection: AsyncConnection) -> None:
        """Wrap a connection on which a transaction has begun."""
        self.connection = connection
        self.dialect = connection.dialect.name
        self.announced: set[str] = set()
        self.last: dict[str, Callable[[Transaction], Awaitable[None]]] = {}
        self._afterwards: list[Callable[[], None]] = []

    async def execute(self, statement: Executable, rows: Sequence[dict[str, Any]] | None = None) -> CursorResult[Any]:
        """Run a Core statement; with `rows`, once for each of them (executemany)."""
        return await self.connection.execute(statement, rows)

    async def all(self, statement: Executable) -> Sequence[Row[Any]]:
        """Every row."""
        return (await self.connection.execute(statement)).all()

    async def first(self, statement: Executable) -> Row[Any] | None:
        """The first row, or None."""
        return (await self.connection.execute(statement)).first()

    async def scalar(self, statement: Executable) -> Any:
        """The first column of the first row, or None."""
        return (await self.connection.execute(statement)).scalar()

    async def raw(self, sql: str, values: tuple[Any, ...] = ()) -> Sequence[Any]:
        """Driver SQL (`?` on SQLite, `$1` on PostgreSQL) and its rows, for the hot statements of the queue."""
        result = await self.connection.exec_driver_sql(sql, values)
        return result.all() if result.returns_rows else ()

    def insert(self, table: Table) -> Any:
        """An INSERT of this dialect, so that `on_conflict_do_nothing` and `on_conflict_do_update` are there."""
        return _dialect(self.dialect).insert(table)

    def after_commit(self, what: Callable[[], None]) -> None:
        """Call this when, and only if, the transaction has been committed."""
        self._afterwards.append(what)

    def announce(self, topic: str) -> None:
        """Tell every listener of this topic, here and in other processes, once the transaction is committed."""
        self.announced.add(topic)

    def do_last(self, name: str, what: "Callable[[Transaction], Awaitable[None]]") -> None:
        """Await this just before the commit: for what takes locks that many wait for. One a name, kept in `last`."""
        self.last[name] = what

    async def finish(self) -> None:
        """Do what was left for last (called by the database before it commits)."""
        for what in list(self.last.values()):
            await what(self)

    def committed(self) -> None:
        """Run what was left for after the commit, in order (called by the database)."""
        for what in self._afterwards:
            what()
