"""Whose turn it is on SQLite: a few who read, and one who writes.

A commit waits for the disk, and SQLite has one writer. So who has written while others wait passes the open transaction
on to them and goes on when it is committed: a group of transactions costs one commit. Each has a savepoint of its own,
so that one that fails is undone alone. Where the commit fails, it has failed for all of the group.

The connections stay open, and SQLAlchemy's own notion of a transaction on them is not used.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from privapub.database.sqlite import Connection


class Seat:
    """A connection that stays open."""

    def __init__(self, connection: AsyncConnection, driver: Any) -> None:
        """`driver` is aiosqlite's connection: what may wait is done in its thread."""
        self.connection = connection
        self.driver = driver
        self.raw: Connection = driver._conn  # noqa: SLF001 - its class is our own

    @classmethod
    async def open(cls, engine: AsyncEngine) -> "Seat":
        """A new one."""
        connection = await engine.connect()
        return cls(connection, (await connection.get_raw_connection()).driver_connection)

    @property
    def lost(self) -> bool:
        """Whether SQLAlchemy has given it up, as it does when a task is cancelled in the middle of a statement."""
        return self.connection.closed or self.connection.invalidated

    @property
    def in_transaction(self) -> bool:
        """Whether there is anything that a commit would keep."""
        try:
            return not self.lost and self.raw.in_transaction
        except sqlite3.ProgrammingError:  # it was closed behind our back
            return False

    def at_once(self, what: Callable[..., Any], *values: Any) -> Any:
        """Do this here and now."""
        try:
            return what(*values)
        except sqlite3.Error as error:
            raise _wrapped(error) from error

    async def visit(self, what: Callable[..., Any]) -> None:
        """Do this in the thread; whoever is cancelled meanwhile still waits until it is done.

        Where it fails it raises that and not the cancellation: others may have to be told.
        """
        visit = asyncio.ensure_future(self.driver._execute(what))  # noqa: SLF001 - as aiosqlite's own methods do
        cancelled: asyncio.CancelledError | None = None
        while not visit.done():
            try:
                await asyncio.wait([visit])
            except asyncio.CancelledError as error:
                cancelled = error
        try:
            visit.result()
        except sqlite3.Error as error:
            raise _wrapped(error) from error
        if cancelled is not None:
            raise cancelled

    async def leave(self) -> None:
        """Close it; what it had not committed is undone."""
        with suppress(Exception):
            if not self.lost:
                await self.connection.invalidate()
        with suppress(Exception):
            await self.connection.close()


def _wrapped(error: sqlite3.Error) -> Exception:
    """As SQLAlchemy tells of it."""
    return DBAPIError.instance(None, None, error, sqlite3.Error)


class Readers:
    """At most so many who read at once, each on a snapshot of its own."""

    def __init__(self, engine: AsyncEngine, most: int) -> None:
        """Nothing is opened before the first."""
        self._engine = engine
        self._room = asyncio.Semaphore(most)
        self._idle: list[Seat] = []

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """A connection that sees the database as it is at the first statement."""
        async with self._room:
            seat = self._idle.pop() if self._idle else await Seat.open(self._engine)
            seat.raw.beginning = "BEGIN"
            good = False
            try:
                yield seat.connection
                seat.at_once(seat.raw.commit)  # of what was only read: it waits for nothing
                good = True
            except BaseException:
                with suppress(Exception):
                    await seat.visit(seat.raw.rollback)
                    good = not seat.lost
                raise
            finally:
                if good:
                    self._idle.append(seat)
                else:
                    await seat.leave()

    async def close(self) -> None:
        """Let go of those that nobody uses."""
        while self._idle:
            await self._idle.pop().leave()


class _Group:
    """Transactions that are committed together."""

    def __init__(self, seat: Seat) -> None:
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
        self._seat: Seat | None = None
        self._group: _Group | None = None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """The connection, within a transaction: committed after the block, undone if the block raises."""
        await self._my_turn()
        try:
            group = await self._join()
            try:
                group.seat.at_once(group.seat.raw.execute, "SAVEPOINT one")
                yield group.seat.connection
                group.seat.at_once(group.seat.raw.execute, "RELEASE one")
                group.members += 1
            except BaseException:
                await self._undo(group)
                raise
            finally:
                await self._pass_on(group)
        finally:
            self._turn.release()
        await asyncio.shield(group.ended)

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

    async def _here(self) -> Seat:
        if self._seat is not None and self._seat.lost:
            await self._give_up()
        if self._seat is None:
            self._seat = await Seat.open(self._engine)
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

    async def _undo(self, group: _Group) -> None:
        try:
            await group.seat.visit(group.seat.raw.undo_one)
        except Exception:  # noqa: BLE001 - whatever it is, what was half done must not be committed
            group.broken = True

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
