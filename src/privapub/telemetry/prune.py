"""How long telemetry is kept."""

from sqlalchemy import delete, func, select

from privapub import clock
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import arrival, fetch, reader_fetch

DAY = 86_400.0
KEPT = 30 * DAY
COUNTS_KEPT = 365 * DAY
MOST_FETCHES = 1_000_000  # strangers can make us fetch: what that leaves is bounded


async def prune(tx: Transaction, now: float) -> None:
    """Delete fetches and arrivals older than 30 days, or beyond a million fetches, and readers' counts after a year."""
    await tx.execute(delete(fetch).where(fetch.c.at < now - KEPT))
    last = await tx.scalar(select(func.max(fetch.c.id)))
    await tx.execute(delete(fetch).where(fetch.c.id <= (last or 0) - MOST_FETCHES))
    await tx.execute(delete(reader_fetch).where(reader_fetch.c.day < clock.iso_day(now - COUNTS_KEPT)))
    await tx.execute(delete(arrival).where(arrival.c.day < clock.iso_day(now - KEPT)))
