"""Opening SQLite and PostgreSQL, and beginning transactions on them."""

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import URL, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from privapub import clock
from privapub.database.sqlite import BUSY, Connection
from privapub.database.transaction import Transaction, _open_here
from privapub.database.turns import Readers, Writer

READERS = 4
# What was acknowledged is on the disk. (Tests that pull no plug turn it off.)
SYNCHRONOUS = "FULL"
PG_CHANNEL = "privapub"
BELIEVED = 5.0  # seconds for which a connection that was used is taken to be there


# Loaded where a database is SQLite, and only there.
registry.register("sqlite.visits", "privapub.database.visits", "Dialect")


class Database:
    """The application's database, open for the life of the process."""

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        """Prepare to use `sqlite:///path` or `postgresql://…`; nothing is opened before the first transaction."""
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.doubted_at = 0.0  # connections that were last used before are asked whether they are there
        self.listeners: dict[str, list[Callable[[], None]]] = {}
        if self.is_sqlite:
            self.path: Path | None = Path(self.url.database or "")
            self._writer = _sqlite(str(self.path), writer=True)
            self._reader = _sqlite(str(self.path), writer=False)
            self.turns = Writer(self._writer)
            self._readers = Readers(self._reader, READERS)
        else:
            self.path = None
            self._writer = _postgresql(self.url, pool_size, self)
            self._reader = self._writer

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

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction that may write: committed at the end of the block, rolled back if it raises."""
        mark = _open_here.set(True)
        try:
            async with self._doubting(), self._writing() as connection:
                tx = Transaction(connection)
                yield tx
                await tx.finish()
                if not self.is_sqlite:
                    for topic in sorted(tx.announced):
                        await tx.raw("SELECT pg_notify($1, $2)", (PG_CHANNEL, topic))
        finally:
            _open_here.reset(mark)
        tx.committed()
        for topic in tx.announced:
            self.tell(topic)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction that cannot write, on a snapshot of its own."""
        mark = _open_here.set(True)
        try:
            async with self._doubting(), self._reading() as connection:
                yield Transaction(connection)
        finally:
            _open_here.reset(mark)

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        if self.is_sqlite:
            async with self.turns.transaction() as connection:
                yield connection
        else:
            async with self._writer.connect() as connection, connection.begin():
                yield connection

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        if self.is_sqlite:
            async with self._readers.transaction() as connection:
                yield connection
        else:
            async with self._reader.connect() as connection:
                await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                async with connection.begin():
                    yield connection

    @asynccontextmanager
    async def _doubting(self) -> AsyncIterator[None]:
        try:
            yield
        except DBAPIError:
            self.doubt()
            raise

    def doubt(self) -> None:
        """One connection failed: the others may have gone with it."""
        self.doubted_at = clock.monotonic()

    async def close(self) -> None:
        """Let go of every connection."""
        if self.is_sqlite:
            await self.turns.close()
            await self._readers.close()
        await self._writer.dispose()
        await self._reader.dispose()


def _postgresql(url: URL, pool_size: int, database: Database) -> AsyncEngine:
    engine = create_async_engine(
        url.set(drivername="postgresql+asyncpg"), pool_size=pool_size, max_overflow=pool_size,
        json_deserializer=msgspec.json.decode, connect_args={"statement_cache_size": 512},
    )  # fmt: skip

    @event.listens_for(engine.sync_engine, "checkin")
    def on_checkin(_connection: Any, record: Any) -> None:
        record.info["used_at"] = clock.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def on_checkout(connection: Any, record: Any, _proxy: Any) -> None:
        # Whether the server is still there costs three questions: one that was just used is believed.
        used_at = record.info.get("used_at", math.inf)
        if used_at < max(clock.monotonic() - BELIEVED, database.doubted_at):
            try:
                engine.sync_engine.dialect.do_ping(connection)
            except Exception as error:
                raise InvalidatePoolError from error

    return engine


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
