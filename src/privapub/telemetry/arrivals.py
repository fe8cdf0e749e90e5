"""What knocked at the inbox, and what became of it: counts for each day, host, outcome and reason.

Nothing else is kept: no path, no actor, no address, no persona. Senders who were not verified count under the host "",
so that a stranger cannot fill the table with names; hosts beyond MAX_HOSTS in one day count under "*".
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy import BigInteger, cast, func, select

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import arrival

FLUSH_EVERY = 5.0  # seconds
MAX_HOSTS = 5_000  # different hosts counted apart in a day, by one process
UNVERIFIED = ""
OTHERS = "*"

log = structlog.get_logger()


@dataclass(frozen=True)
class Arrivals:
    """How often something came from a host with this outcome and reason."""

    host: str
    outcome: str
    reason: str
    count: int


class ArrivalRecorder:
    """Counts in memory; `flush` adds them to the table. A process that dies loses what it had not flushed."""

    def __init__(self, database: Database) -> None:
        """Count for this database."""
        self._database = database
        self._counts: dict[tuple[str, str, str, str], int] = {}
        self._day = ""
        self._hosts: set[str] = set()

    def note(self, host: str, outcome: str, reason: str, at: float) -> None:
        """One more arrival from this host ("" where it is not verified) ended like this."""
        day = clock.iso_day(at)
        if day != self._day:
            self._day, self._hosts = day, set()
        if host not in self._hosts:
            if len(self._hosts) >= MAX_HOSTS:
                host = OTHERS
            self._hosts.add(host)
        key = (day, host, outcome, reason)
        self._counts[key] = self._counts.get(key, 0) + 1

    async def flush(self) -> None:
        """Add what was counted to the table; a failure keeps the counts for the next time."""
        counts, self._counts = self._counts, {}
        if not counts:
            return
        try:
            async with self._database.write() as tx:
                await _add(tx, counts)
        except BaseException:
            for key, count in counts.items():
                self._counts[key] = self._counts.get(key, 0) + count
            raise

    async def run(self) -> None:
        """Flush now and then, until cancelled, and once more then."""
        try:
            while True:
                await clock.sleep(FLUSH_EVERY)
                try:
                    await self.flush()
                except Exception:
                    log.exception("arrivals_not_written")
        finally:
            await asyncio.shield(self.flush())


async def _add(tx: Transaction, counts: dict[tuple[str, str, str, str], int]) -> None:
    # Sorted, so that two processes lock the rows in one order.
    rows = [
        {"day": day, "host": host, "outcome": outcome, "reason": reason, "count": count}
        for (day, host, outcome, reason), count in sorted(counts.items())
    ]
    statement = tx.insert(arrival)
    await tx.execute(
        statement.on_conflict_do_update(
            index_elements=["day", "host", "outcome", "reason"],
            set_={"count": arrival.c.count + statement.excluded.count},
        ),
        rows,
    )


async def since(tx: Transaction, day: str) -> Sequence[Arrivals]:
    """What arrived on this day (as clock.iso_day writes it) and later: most first."""
    total = cast(func.sum(arrival.c.count), BigInteger).label("total")
    rows = await tx.all(
        select(arrival.c.host, arrival.c.outcome, arrival.c.reason, total)
        .where(arrival.c.day >= day)
        .group_by(arrival.c.host, arrival.c.outcome, arrival.c.reason)
        .order_by(total.desc(), arrival.c.host, arrival.c.outcome, arrival.c.reason)
    )
    return [Arrivals(row.host, row.outcome, row.reason, row.total) for row in rows]
