"""Whose turn it is to write to SQLite, and what a seat of its is.

A commit waits for the disk, and SQLite has one writer. So who has written while others wait passes the open transaction
on to them and goes on when it is committed: a group of transactions costs one commit. Each has a savepoint of its own,
so that one that fails is undone alone. Where the commit fails, it has failed for all of the group.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from privapub.database.seats import Answer, Seat, to_its_end
from privapub.database.sqlite import Connection

LONG = 16_384  # characters of a value that make a statement a long one


class SqliteSeat(Seat):
    """Its transactions begin with their first statement, and what may wait is done in the thread of its driver."""

    def __init__(self, connection: AsyncConnection, driver: Any) -> None:
        """`driver` is aiosqlite's connection."""
        super().__init__(connection, driver)
        self.raw: Connection = driver._conn  # noqa: SLF001 - its class is our own
        self._cursor = self.raw.cursor()

    @property
    def in_transaction(self) -> bool:
        """Whether there is anything that a commit would keep."""
        try:
            return not self.lost and self.raw.in_transaction
        except sqlite3.ProgrammingError:  # it was closed behind our back
            return False

    async def ask(self, sql: str, values: Sequence[Any], *, long: bool = False) -> Answer:
        """A short statement is executed here and now: a visit to the thread takes many times as long.

        What may wait goes there: for SQLite's one lock, and for what is long.
        """
        for value in values:  # written out: this is done for every statement, and `any` costs as much as some of them
            if type(value) is str and len(value) > LONG:
                long = True
        try:
            if long or not self.raw.begin_at_once():
                away: Answer = await self.driver._execute(_ask, self.raw.cursor(), sql, values)  # noqa: SLF001 - one visit, not three
                return away
            return _ask(self._cursor, sql, values)
        except sqlite3.Error as error:
            raise DBAPIError.instance(sql, values, error, sqlite3.Error) from error

    def names(self, told: Any) -> tuple[str, ...]:
        """As the driver describes the columns."""
        return tuple([column[0] for column in told])

    async def begin(self, words: str) -> None:
        """With the first statement."""
        self.raw.beginning = words

    async def commit(self, topics: Collection[str]) -> None:  # noqa: ARG002 - whoever listens watches the file
        """Of what was only read: it waits for nothing."""
        self.at_once(self.raw.commit)

    async def undo(self) -> None:
        """Roll back, also where the task was cancelled."""
        await self.visit(self.raw.rollback)

    def at_once(self, what: Callable[..., Any], *values: Any) -> Any:
        """Do this here and now."""
        try:
            return what(*values)
        except sqlite3.Error as error:
            raise _wrapped(error) from error

    async def visit(self, what: Callable[..., Any]) -> None:
        """Do this in the thread, and to its end."""
        try:
            await to_its_end(self.driver._execute(what))  # noqa: SLF001 - as aiosqlite's own methods do
        except sqlite3.Error as error:
            raise _wrapped(error) from error


def _ask(cursor: sqlite3.Cursor, sql: str, values: Sequence[Any]) -> Answer:
    cursor.execute(sql, values)
    described = cursor.description
    return described, () if described is None else cursor.fetchall(), cursor.rowcount


def _wrapped(error: sqlite3.Error) -> Exception:
    """As SQLAlchemy tells of it."""
    return DBAPIError.instance(None, None, error, sqlite3.Error)


class _Group:
    """Transactions that are committed together."""

    def __init__(self, seat: SqliteSeat) -> None:
        self.seat = seat
        self.members = 0
        self.broken = False
        self.ends: asyncio.Task[None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def lost(self) -> bool:
        """Whether there is nothing to commit: SQLite has undone it, as it does when the disk is full, the connection is
        gone, or one that failed could not be undone alone.
        """
        return self.broken or not self.seat.in_transaction


class Writer:
    """The one connection that may write, and whose turn it is."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Nothing is opened before the first transaction."""
        self._engine = engine
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._seat: SqliteSeat | None = None
        self._group: _Group | None = None

    async def begin(self) -> Seat:
        """Wait for a turn, and begin a transaction in the group there is, or in a new one."""
        await self._my_turn()
        try:
            seat = (await self._join()).seat
        except BaseException:
            self._turn.release()
            raise
        try:
            seat.at_once(seat.raw.execute, "SAVEPOINT one")
        except BaseException:
            await self.undo()
            raise
        return seat

    async def commit(self, topics: Collection[str]) -> None:  # noqa: ARG002 - whoever listens watches the file
        """Have its part kept, with those of the others."""
        group = self._joined()
        try:
            group.seat.at_once(group.seat.raw.execute, "RELEASE one")
        except BaseException:
            await self.undo()
            raise
        group.members += 1
        try:
            await self._pass_on(group)
        finally:
            self._turn.release()
        await asyncio.shield(group.ended)

    async def undo(self) -> None:
        """Undo its part, and only that."""
        group = self._joined()
        try:
            await group.seat.visit(group.seat.raw.undo_one)
        except Exception:  # noqa: BLE001 - whatever it is, what was half done must not be committed
            group.broken = True
        finally:
            try:
                await self._pass_on(group)
            finally:
                self._turn.release()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Any]:
        """The driver's connection, outside of any transaction."""
        await self._my_turn()
        try:
            if self._group is not None:
                await self._end(self._group)
            yield (await self._here()).driver
        except BaseException:  # whatever it was: nobody shall meet it again
            await self._give_up()
            raise
        finally:
            self._turn.release()

    async def close(self) -> None:
        """Let go of the connection."""
        async with self._turn:
            if self._group is not None:
                await self._end(self._group)
            await self._give_up()

    async def _give_up(self) -> None:
        if self._seat is not None:
            seat, self._seat = self._seat, None
            await seat.leave()

    async def _my_turn(self) -> None:
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1

    async def _here(self) -> SqliteSeat:
        if self._seat is not None and self._seat.lost:
            await self._give_up()
        if self._seat is None:
            self._seat = await SqliteSeat.open(self._engine)
        return self._seat

    async def _join(self) -> _Group:
        if self._group is not None and self._group.lost:
            await self._end(self._group)
        group = self._group
        if group is None:
            seat = await self._here()
            seat.raw.beginning = "BEGIN IMMEDIATE"
            try:
                if not seat.at_once(seat.raw.begin_at_once):
                    await seat.visit(seat.raw.begin)
            except BaseException:
                await self._give_up()
                raise
            group = self._group = _Group(seat)
        return group

    def _joined(self) -> _Group:
        """The group of whose turn it is."""
        assert self._group is not None  # noqa: S101 - nobody else ends it
        return self._group

    async def _pass_on(self, group: _Group) -> None:
        """End the group, or leave it to those who wait for their turn, the last of whom ends it."""
        if group.ends is None and self._waiting and not group.lost:
            group.ends = asyncio.create_task(self._end_in_turn(group))
        elif group.ends is None or group.lost:
            await self._end(group)

    async def _end_in_turn(self, group: _Group) -> None:
        async with self._turn:
            if self._group is group:
                await self._end(group)

    async def _end(self, group: _Group) -> None:
        """Commit it, and tell its members."""
        self._group = None
        try:
            await group.seat.visit(group.seat.raw.commit if not group.lost else _undone)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is that of every member
            if group.members:
                group.ended.set_exception(error)
                group.ended.exception()  # members who were cancelled do not ask
            await self._give_up()
        finally:
            if not group.ended.done():
                group.ended.set_result(None)


def _undone() -> None:
    error = sqlite3.OperationalError("the transaction was undone with another of its group")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    raise error
