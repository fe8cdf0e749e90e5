"""Which fetches left the house, to which host, and what came of them."""

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import BigInteger, cast, func, insert, literal_column, select

from privapub import clock, scope
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import fetch, reader_fetch

log = structlog.get_logger(__name__)

PAUSE = 1.5  # seconds between two writes, so that many fetches share one
KEPT_IN_MEMORY = 10_000  # while the database cannot be written; beyond it the oldest are lost


@dataclass(frozen=True)
class FetchCount:
    """How often fetches for a purpose ended with this outcome and reason on a day."""

    day: str
    purpose: str
    outcome: str
    reason: str
    count: int


class FetchRecorder:
    """Collects what the one HTTP client tells, and writes it down every second or two."""

    def __init__(self, database: Database) -> None:
        """Collect for this database; nothing is written before `flush` or `run`."""
        self._database = database
        self._rows: deque[dict[str, Any]] = deque(maxlen=KEPT_IN_MEMORY)
        self._readers: Counter[tuple[str, str]] = Counter()
        self._something = asyncio.Event()

    def note(
        self,
        *,
        host: str,
        purpose: str,
        trigger: str,
        outcome: str,
        reason: str,
        status: int | None,
        seconds: float,
        bytes: int,  # noqa: A002  # the name of the column
        hops: int,
        at: float,
    ) -> None:
        """Remember one fetch. One that a reader caused only adds to the count of its host and day."""
        if trigger == scope.READER:
            self._count(clock.iso_day(at), host, 1)
        else:
            self._rows.append(
                {
                    "at": at,
                    "host": host,
                    "purpose": purpose,
                    "trigger": trigger,
                    "outcome": outcome,
                    "reason": reason,
                    "status": status,
                    "seconds": seconds,
                    "bytes": bytes,
                    "hops": hops,
                }
            )
        self._something.set()

    def _count(self, day: str, host: str, count: int) -> None:
        if (day, host) in self._readers or len(self._readers) < KEPT_IN_MEMORY:
            self._readers[day, host] += count

    async def flush(self) -> None:
        """Write what was collected, in one transaction; if that fails it is collected still."""
        self._something.clear()
        rows, readers = list(self._rows), dict(self._readers)
        if not rows and not readers:
            return
        self._rows.clear()
        self._readers.clear()
        try:
            async with self._database.write() as tx:
                await _write(tx, rows, readers)
        except BaseException:
            room = KEPT_IN_MEMORY - len(self._rows)
            self._rows.extendleft(reversed(rows[-room:] if room else []))
            for (day, host), count in readers.items():
                self._count(day, host, count)
            self._something.set()
            raise

    async def run(self) -> None:
        """Write whenever there is something, until cancelled; then write what is left."""
        try:
            while True:
                await self._something.wait()
                await clock.sleep(PAUSE)
                try:
                    await self.flush()
                except Exception as error:  # noqa: BLE001  # a database that is away must not end the record
                    log.warning("fetches not recorded", error=type(error).__name__)
        finally:
            await self.flush()


async def _write(tx: Transaction, rows: Sequence[dict[str, Any]], readers: dict[tuple[str, str], int]) -> None:
    if rows:
        await tx.execute(insert(fetch), rows)
    if readers:
        # Sorted, so that two processes that count the same hosts cannot wait for each other.
        counts = [{"day": day, "host": host, "count": n} for (day, host), n in sorted(readers.items())]
        new = tx.insert(reader_fetch)
        await tx.execute(
            new.on_conflict_do_update(
                index_elements=["day", "host"],
                set_={"count": reader_fetch.c.count + new.excluded.count},
            ),
            counts,
        )


async def outcomes(tx: Transaction, *, since: float, host: str | None = None) -> Sequence[FetchCount]:
    """How the fetches since a moment ended, of one host or of any, for each day in UTC."""
    days = fetch.c.at / literal_column("86400.0")
    # Casting rounds in PostgreSQL and cuts off in SQLite, which need not have a `floor`.
    day = cast(days if tx.dialect == "sqlite" else func.floor(days), BigInteger).label("day")
    columns = day, fetch.c.purpose, fetch.c.outcome, fetch.c.reason
    rows = await tx.all(
        select(*columns, func.count().label("number"))
        .where(fetch.c.at >= since, *(() if host is None else (fetch.c.host == host,)))
        .group_by(*columns)
        .order_by(*columns)
    )
    return [
        FetchCount(clock.iso_day(row.day * 86400.0), row.purpose, row.outcome, row.reason, row.number) for row in rows
    ]


async def of_readers(tx: Transaction, *, since: str, host: str | None = None) -> Sequence[tuple[str, int]]:
    """How many fetches readers caused on this day (as clock.iso_day writes it) and later: days and counts."""
    total = cast(func.sum(reader_fetch.c.count), BigInteger).label("total")
    rows = await tx.all(
        select(reader_fetch.c.day, total)
        .where(reader_fetch.c.day >= since, *(() if host is None else (reader_fetch.c.host == host,)))
        .group_by(reader_fetch.c.day)
        .order_by(reader_fetch.c.day)
    )
    return [(row.day, row.total) for row in rows]
