"""Opening SQLite and PostgreSQL, and beginning transactions on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import URL, NullPool, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from privapub import clock
from privapub.database.postgresql import READ_ONLY, PostgresqlSeat
from privapub.database.seats import Seats, Turn
from privapub.database.sqlite import BUSY, Connection
from privapub.database.transaction import Transaction, _open_here
from privapub.database.turns import SqliteSeat, Writer

READERS = 4
# What was acknowledged is on the disk. (Tests that pull no plug turn it off.)
SYNCHRONOUS = "FULL"


# Loaded where a database is SQLite, and only there.
registry.register("sqlite.visits", "privapub.database.visits", "Dialect")


class Database:
    """The application's database, open for the life of the process."""

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        """Prepare to use `sqlite:///path` or `postgresql://…`; nothing is opened before the first transaction."""
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.listeners: dict[str, list[Callable[[], None]]] = {}
        self.turns: Writer | Seats
        if self.is_sqlite:
            self.path: Path | None = Path(self.url.database or "")
            self._writer = _sqlite(str(self.path), writer=True)
            self._reader = _sqlite(str(self.path), writer=False)
            self.turns = Writer(self._writer)
            self._readers = Seats(SqliteSeat, self._reader, READERS, READERS)
        else:
            self.path = None
            self._writer = self._reader = _postgresql(self.url)
            self.turns = self._readers = Seats(PostgresqlSeat, self._writer, 2 * pool_size, pool_size)

    @property
    def engine(self) -> AsyncEngine:
        """The engine that may write (for the queue and for migrations)."""
        return self._writer

    def listen(self, topic: str, call: Callable[[], None]) -> None:
        """Call this after each commit in this process that announced the topic."""
        self.listeners.setdefault(topic, []).append(call)

    def deaf(self, topic: str, call: Callable[[], None]) -> None:
        """Undo `listen`."""
        self.listeners[topic].remove(call)

    def tell(self, topic: str) -> None:
        """Call the listeners of a topic in this process."""
        for call in self.listeners.get(topic, ()):
            call()

    def write(self) -> "Opening":
        """A transaction that may write: committed at the end of the block, rolled back if it raises."""
        return Opening(self, self.turns if isinstance(self.turns, Writer) else self.turns.turn("BEGIN"))

    def read(self) -> "Opening":
        """A transaction that cannot write, on a snapshot of its own."""
        return Opening(self, self._readers.turn("BEGIN" if self.is_sqlite else READ_ONLY))

    def look(self) -> "Opening":
        """For a single short statement that reads, or a few that need not see the same moment: each stands alone."""
        return Opening(self, self._readers.turn(""))

    def doubt(self) -> None:
        """One connection failed: the others may have gone with it."""
        self._readers.doubted_at = clock.monotonic()

    async def close(self) -> None:
        """Let go of every connection."""
        await self.turns.close()
        await self._readers.close()
        await self._writer.dispose()
        await self._reader.dispose()


class Opening:
    """`async with`: a transaction, from its beginning to its end."""

    def __init__(self, database: Database, turn: Turn) -> None:
        """It begins with the block."""
        self._database = database
        self._turn = turn

    async def __aenter__(self) -> Transaction:
        """Begin."""
        self._mark = _open_here.set(True)
        try:
            self._tx = Transaction(await self._turn.begin())
        except BaseException as error:
            self._over(error)
            raise
        return self._tx

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Commit, or undo; where it was committed, those are told who wait for that."""
        try:
            if error is None:
                await self._commit()
            else:
                await self._turn.undo()
        except BaseException as worse:
            error = worse
            raise
        finally:
            self._over(error)
        if error is None:
            self._tx.committed()
            for topic in self._tx.announced:
                self._database.tell(topic)

    async def _commit(self) -> None:
        try:
            await self._tx.finish()
        except BaseException:
            await self._turn.undo()
            raise
        await self._turn.commit(self._tx.announced)

    def _over(self, error: BaseException | None) -> None:
        if isinstance(error, DBAPIError):
            self._database.doubt()
        _open_here.reset(self._mark)


def _postgresql(url: URL) -> AsyncEngine:
    # Connections are kept by `seats`.
    return create_async_engine(
        url.set(drivername="postgresql+asyncpg"), poolclass=NullPool,
        json_deserializer=msgspec.json.decode, connect_args={"statement_cache_size": 512},
    )  # fmt: skip


def _sqlite(path: str, *, writer: bool) -> AsyncEngine:
    engine = create_async_engine(
        f"sqlite+visits:///{path}",
        # Those of `turns` stay open; migrations and the like use one more.
        pool_size=2 if writer else READERS,
        max_overflow=0,
        pool_timeout=60,
        json_deserializer=msgspec.json.decode,
        connect_args={"timeout": BUSY, "isolation_level": None, "cached_statements": 256, "factory": Connection},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={SYNCHRONOUS}",
            "foreign_keys=ON",
            f"busy_timeout={BUSY * 1000}",
            "temp_store=MEMORY",
            # Pages are read where the system holds them anyway, up to a gigabyte of the file: a copy of them in each
            # connection's own cache would grow with the table, and the memory of an idle server with it.
            "mmap_size=1073741824",
            "journal_size_limit=67108864",
            "cache_size=-2048",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        if not writer:
            cursor.execute("PRAGMA query_only=ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Any) -> None:
        # A deferred transaction that turns into a writer later meets lock errors that no timeout heals.
        driver = connection.connection.driver_connection._conn  # noqa: SLF001 - its class is our own
        if not driver.in_transaction:  # else it has been begun by `turns`
            driver.beginning = "BEGIN IMMEDIATE" if writer else "BEGIN"

    @event.listens_for(engine.sync_engine, "invalidate")
    def on_invalidate(connection: Any, _record: Any, _error: BaseException | None) -> None:
        # Given up in the middle of a statement: it is closed later, and held SQLite's one lock until then.
        driver = connection.driver_connection
        driver._tx.put_nowait((None, driver._conn.rollback))  # noqa: SLF001 - see above

    return engine
