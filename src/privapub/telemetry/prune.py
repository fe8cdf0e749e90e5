"""How long telemetry is kept."""

from sqlalchemy import delete

from privapub import clock
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import fetch, reader_fetch

DAY = 86_400.0
FETCHES_KEPT = 30 * DAY
COUNTS_KEPT = 365 * DAY


async def prune(tx: Transaction, now: float) -> None:
    """Delete fetches older than 30 days, and the counts per server and day that are older than a year."""
    await tx.execute(delete(fetch).where(fetch.c.at < now - FETCHES_KEPT))
    await tx.execute(delete(reader_fetch).where(reader_fetch.c.day < clock.iso_day(now - COUNTS_KEPT)))
