"""Connections that stay open, and transactions on them.

SQLAlchemy executes on the connections, and neither begins nor commits: by its way the beginning and the end of a
transaction take several times as long as a statement does. Each database has a kind of its own: SQLite's stands in
`turns`, the other in `postgresql`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar, Protocol, Self

from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from privapub import clock

PATIENCE = 60.0  # seconds in which a connection must be free
BELIEVED = 5.0  # seconds for which a connection that was used is taken to be there

# What the driver tells of the columns (`Seat.names` reads it), rows, and how many rows were changed.
Answer = tuple[Any, Sequence[Any], int]


class Seat(ABC):
    """A connection that stays open; `driver` is that of the database's own library."""

    OPTIONS: ClassVar[dict[str, Any]] = {}  # that SQLAlchemy takes for a connection

    def __init__(self, connection: AsyncConnection, driver: Any) -> None:
        """Whoever opens it says when it was last used."""
        self.connection = connection
        self.driver = driver
        self.used_at = clock.monotonic()

    @classmethod
    async def open(cls, engine: AsyncEngine) -> Self:
        """A new one."""
        connection = await engine.connect()
        try:
            await connection.execution_options(**cls.OPTIONS)
            return cls(connection, (await connection.get_raw_connection()).driver_connection)
        except BaseException:
            await connection.close()
            raise

    @property
    def lost(self) -> bool:
        """Whether SQLAlchemy has given it up, as it does when a task is cancelled in the middle of a statement."""
        return self.connection.closed or self.connection.invalidated

    async def answers(self) -> bool:
        """Whether the database is still there."""
        return True

    @abstractmethod
    async def ask(self, sql: str, values: Sequence[Any], *, long: bool = False) -> Answer:
        """What the driver says to a statement of its own; what it raises is wrapped as SQLAlchemy wraps it.

        `long`: it may take more than a few milliseconds.
        """

    @abstractmethod
    def names(self, told: Any) -> tuple[str, ...]:
        """The names of the columns of an answer that has rows."""

    @abstractmethod
    async def begin(self, words: str) -> None:
        """Begin a transaction by this statement; with none, each statement stands alone."""

    @abstractmethod
    async def commit(self, topics: Collection[str]) -> None:
        """Keep what was done; who listens to these topics in other processes hears of it."""

    @abstractmethod
    async def undo(self) -> None:
        """Undo what was done."""

    async def leave(self) -> None:
        """Close it; what it had not committed is undone."""
        with suppress(Exception):
            if not self.lost:
                await self.connection.invalidate()
        with suppress(Exception):
            await self.connection.close()


class Turn(Protocol):
    """A transaction, from its beginning to one of its two ends."""

    async def begin(self) -> Seat:
        """Where its statements are asked."""
        ...

    async def commit(self, topics: Collection[str]) -> None:
        """Keep it; where that raises, it is over too."""
        ...

    async def undo(self) -> None:
        """Undo it."""
        ...


class Seats:
    """So many transactions at once, each on a seat; `kept` seats stay open while nobody uses them."""

    def __init__(self, kind: type[Seat], engine: AsyncEngine, most: int, kept: int) -> None:
        """Nothing is opened before the first."""
        self._kind = kind
        self._engine = engine
        self._kept = kept
        self._room = asyncio.Semaphore(most)
        self._idle: list[Seat] = []
        self.doubted_at = 0.0  # seats that were last used before are asked whether they are there

    def turn(self, words: str) -> Turn:
        """A transaction that begins by this statement."""
        return _Seated(self, words)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Any]:
        """A driver's connection, outside of any transaction."""
        seat = await self.take()
        good = False
        try:
            yield seat.driver
            good = True
        except BaseException:
            self.doubted_at = clock.monotonic()
            raise
        finally:  # where it failed, whatever it was: nobody shall meet it again
            await self.give_back(seat, good)

    async def take(self) -> Seat:
        """A seat that nobody else has; `give_back` must follow."""
        if self._room.locked():
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._room.acquire()
            except TimeoutError:
                raise NoConnectionFree(f"No connection was free for {PATIENCE:.0f} seconds.") from None
        else:
            await self._room.acquire()
        try:
            while self._idle:
                seat = self._idle.pop()
                sure = seat.used_at >= max(clock.monotonic() - BELIEVED, self.doubted_at)
                if not seat.lost and (sure or await seat.answers()):
                    return seat
                await seat.leave()
            return await self._kind.open(self._engine)
        except BaseException:
            self._room.release()
            raise

    async def give_back(self, seat: Seat, good: bool) -> None:
        """Let others have it, unless it is of no use to them."""
        try:
            if good and not seat.lost and len(self._idle) < self._kept:
                seat.used_at = clock.monotonic()
                self._idle.append(seat)
            else:
                await seat.leave()
        finally:
            self._room.release()

    async def close(self) -> None:
        """Let go of those that nobody uses."""
        while self._idle:
            await self._idle.pop().leave()


class _Seated:
    """A transaction on one of the seats."""

    def __init__(self, seats: Seats, words: str) -> None:
        self._seats = seats
        self._words = words

    async def begin(self) -> Seat:
        self._seat = seat = await self._seats.take()
        try:
            await seat.begin(self._words)
        except BaseException:
            await self._seats.give_back(seat, good=False)
            raise
        return seat

    async def commit(self, topics: Collection[str]) -> None:
        try:
            await self._seat.commit(topics)
        except BaseException:
            await self.undo()
            raise
        await self._seats.give_back(self._seat, good=True)

    async def undo(self) -> None:
        good = False
        try:
            with suppress(Exception):
                await self._seat.undo()
                good = True
        finally:
            await self._seats.give_back(self._seat, good)


async def to_its_end(doing: Any) -> Any:
    """Await it; whoever is cancelled meanwhile still waits until it is done.

    Where it fails it raises that and not the cancellation: others may have to be told.
    """
    task = asyncio.ensure_future(doing)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    found = task.result()
    if cancelled is not None:
        raise cancelled
    return found
