"""One transaction, as every domain verb takes it first."""

import importlib
from collections import namedtuple
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Executable, Row, Table

from privapub.database.prepared import prepared
from privapub.database.seats import Answer, Seat

Made = TypeVar("Made")

_open_here: ContextVar[bool] = ContextVar("transaction_open", default=False)


def is_open_here() -> bool:
    """Whether the running task is inside a transaction: the outbound client refuses to work then."""
    return _open_here.get()


@cache
def _dialect(name: str) -> Any:
    """The module of a dialect, loaded where it is used: the other one would cost a server that never needs it 6 MB."""
    return importlib.import_module(f"sqlalchemy.dialects.{name}")


def insert_into(table: Table, dialect: str) -> Any:
    """As `Transaction.insert`, for a statement that is made once for each dialect."""
    return _dialect(dialect).insert(table)


@cache
def _row_of(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", names, rename=True)  # noqa: PYI024 - its fields are those of a statement


class Transaction:
    """All reads and writes between a BEGIN and its COMMIT.

    `dialect` is "sqlite" or "postgresql".
    """

    def __init__(self, seat: Seat) -> None:
        """Wrap a seat on which a transaction has begun."""
        self._seat = seat
        self.connection = seat.connection
        self.dialect = seat.connection.dialect.name
        self.announced: set[str] = set()
        self.last: dict[str, Callable[[Transaction], Awaitable[None]]] = {}
        self._afterwards: list[Callable[[], None]] = []

    async def execute(self, statement: Executable, rows: Sequence[dict[str, Any]] | None = None) -> CursorResult[Any]:
        """Run a Core statement; with `rows`, once for each of them (executemany)."""
        return await self.connection.execute(statement, rows)

    async def all(self, statement: Executable, **values: Any) -> Sequence[Row[Any]]:
        """Every row.

        With `values` (for its `bindparam`s, or the columns of an INSERT) the statement is one that is made once, and
        short: it is prepared when it is first asked, and costs a small part of what it does without.
        """
        if values:
            return (await self._ask(statement, values))[0]
        return (await self.connection.execute(statement)).all()

    async def first(self, statement: Executable, **values: Any) -> Row[Any] | None:
        """The first row, or None; `values` as for `all`."""
        if values:
            rows, _ = await self._ask(statement, values)
            return rows[0] if rows else None
        return (await self.connection.execute(statement)).first()

    async def first_as(self, statement: Executable, make: Callable[[Row[Any]], Made], **values: Any) -> Made | None:
        """What `make`, a function of that statement alone, makes of the first row, or None; `values` as for `all`.

        While the row stays as it is, the same thing comes back: for what is asked for again and again.
        """
        form = prepared(statement, self.connection.dialect, values)
        sql, given = form.ask(values)
        _names, rows, _changed = await self._driver(sql, given)
        return form.made(given, rows[0], make) if rows else None

    async def scalar(self, statement: Executable, **values: Any) -> Any:
        """The first column of the first row, or None; `values` as for `all`."""
        if values:
            rows, _ = await self._ask(statement, values)
            return rows[0][0] if rows else None
        return (await self.connection.execute(statement)).scalar()

    async def change(self, statement: Executable, **values: Any) -> int:
        """Run an INSERT, UPDATE or DELETE that is made once; how many rows it changed. `values` as for `all`."""
        return (await self._ask(statement, values))[1]

    async def _ask(self, statement: Executable, values: dict[str, Any]) -> tuple[list[Row[Any]], int]:
        form = prepared(statement, self.connection.dialect, values)
        sql, given = form.ask(values)
        _names, rows, changed = await self._driver(sql, given)
        return form.rows(rows), changed

    async def raw(self, sql: str, values: tuple[Any, ...] = (), *, long: bool = False) -> Sequence[Any]:
        """Driver SQL (`?` on SQLite, `$1` on PostgreSQL) and its rows, as named tuples.

        For the hot statements of the queue: it goes to the driver itself, at a fifth of the cost. What the driver
        raises is wrapped as SQLAlchemy wraps it. `long`: it may take more than a few milliseconds.
        """
        told, rows, _ = await self._driver(sql, values, long=long)
        if not rows:
            return ()
        make = _row_of(self._seat.names(told))._make
        return [make(row) for row in rows]

    async def _driver(self, sql: str, values: Sequence[Any], *, long: bool = False) -> Answer:
        return await self._seat.ask(sql, values, long=long)

    def insert(self, table: Table) -> Any:
        """An INSERT of this dialect, so that `on_conflict_do_nothing` and `on_conflict_do_update` are there."""
        return insert_into(table, self.dialect)

    async def alone(self, key: str) -> None:
        """Wait until no other transaction holds this key, and hold it to the end of this one.

        For what rests on a row that is not there yet: such a row cannot be locked. SQLite has one writer at a time and
        needs nothing. Whoever takes several keys takes them in their order.
        """
        if self.dialect == "postgresql":
            await self.raw("SELECT pg_advisory_xact_lock(hashtextextended($1, 7))", (key,))

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
