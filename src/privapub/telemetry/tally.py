"""Counts that are kept in memory and added to a table now and then."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy import BigInteger, Table, cast, func, select

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction

log = structlog.get_logger()

Key = tuple[str | int | bool, ...]


class Tally:
    """Counts for a table whose key is what is counted, and whose column `count` says how often.

    What several processes counted, and one before and after a restart, adds up in one row. Only a process that is
    killed loses what it had not written.
    """

    def __init__(self, database: Database, table: Table, every: float) -> None:
        """Count for this table; `run` writes every so many seconds."""
        self._database = database
        self._table = table
        self._every = every
        self._counts: dict[Key, int] = {}
        self._writing = asyncio.Lock()

    def count(self, key: Key, more: int = 1) -> None:
        """One more (or so many) of this key, in the order of the table's own."""
        self._counts[key] = self._counts.get(key, 0) + more

    async def flush(self) -> None:
        """Add what was counted to the table; a failure keeps the counts for the next time."""
        async with self._writing:
            counts, self._counts = self._counts, {}
            if not counts:
                return
            try:
                async with self._database.write() as tx:
                    await self._add(tx, counts)
            except BaseException:
                for key, count in counts.items():
                    self.count(key, count)
                raise

    async def run(self) -> None:
        """Write now and then, until cancelled, and once more then."""
        try:
            while True:
                await clock.sleep(self._every)
                try:
                    # What is being written is not broken off: whether it was written would not be known.
                    await asyncio.shield(self.flush())
                except Exception as error:  # noqa: BLE001 - a database that is away must not end the counting
                    log.warning("counts not written", of=self._table.name, error=type(error).__name__)
        finally:
            await asyncio.shield(self.flush())

    async def _add(self, tx: Transaction, counts: Mapping[Key, int]) -> None:
        names = [column.name for column in self._table.primary_key]
        # Sorted, so that two processes lock the rows in one order.
        rows = [{**dict(zip(names, key, strict=True)), "count": count} for key, count in sorted(counts.items())]
        new = tx.insert(self._table)
        await tx.execute(
            new.on_conflict_do_update(index_elements=names, set_={"count": self._table.c.count + new.excluded.count}),
            rows,
        )


class HostTally(Tally):
    """Counts for days and hosts, which come first in the key; only so many hosts of a day are counted apart."""

    MOST = 5_000  # different hosts of a day, in one process
    OTHERS = "*"  # stands for the hosts beyond them

    def __init__(self, database: Database, table: Table, every: float) -> None:
        """Count for this table, as `Tally`."""
        super().__init__(database, table, every)
        self._day = ""
        self._hosts: set[str] = set()

    def note(self, host: str, outcome: str, reason: str, at: float) -> None:
        """What came from a host, or went to it, ended like this."""
        day = clock.iso_day(at)
        if day != self._day:
            self._day, self._hosts = day, set()
        if host not in self._hosts:
            if len(self._hosts) >= self.MOST:
                host = self.OTHERS
            self._hosts.add(host)
        self.count((day, host, outcome, reason))


@dataclass(frozen=True)
class DayCount:
    """How often something ended with this outcome and reason on a day."""

    day: str
    outcome: str
    reason: str
    count: int


@dataclass(frozen=True)
class HostCount:
    """How often something ended with this outcome and reason for a host."""

    host: str
    outcome: str
    reason: str
    count: int


async def by_day(tx: Transaction, table: Table, since: str, host: str | None = None) -> Sequence[DayCount]:
    """The counts of a `HostTally` on this day (as clock.iso_day writes it) and later, for one host or all together."""
    total = cast(func.sum(table.c.count), BigInteger).label("total")
    columns = table.c.day, table.c.outcome, table.c.reason
    rows = await tx.all(
        select(*columns, total)
        .where(table.c.day >= since, *(() if host is None else (table.c.host == host,)))
        .group_by(*columns)
        .order_by(*columns)
    )
    return [DayCount(row.day, row.outcome, row.reason, row.total) for row in rows]


async def by_host(
    tx: Transaction, table: Table, since: str, host: str | None = None, *, limit: int | None = None
) -> Sequence[HostCount]:
    """As `by_day`, for all days together and each host: the most frequent first, and no more than `limit`."""
    total = cast(func.sum(table.c.count), BigInteger).label("total")
    columns = table.c.host, table.c.outcome, table.c.reason
    rows = await tx.all(
        select(*columns, total)
        .where(table.c.day >= since, *(() if host is None else (table.c.host == host,)))
        .group_by(*columns)
        .order_by(total.desc(), *columns)
        .limit(limit)
    )
    return [HostCount(row.host, row.outcome, row.reason, row.total) for row in rows]


async def by_outcome(tx: Transaction, table: Table, since: str) -> Sequence[tuple[str, str, int]]:
    """Day, outcome and how often, on this day (as clock.iso_day writes it) and later, of what has no host."""
    columns = table.c.day, table.c.outcome, table.c.count.label("number")
    rows = await tx.all(select(*columns).where(table.c.day >= since).order_by(*columns[:2]))
    return [(row.day, row.outcome, row.number) for row in rows]
