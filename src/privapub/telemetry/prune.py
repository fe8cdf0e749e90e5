"""How long telemetry is kept."""

from sqlalchemy import delete, func, select

from privapub import clock
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import arrival, departure, fetch, preview_count, proxy_count, reader_fetch, traffic

DAY = 86_400.0
KEPT = 30 * DAY
COUNTS_KEPT = 365 * DAY
MOST_COUNTS = 1_000_000  # of each sort
MOST_FETCHES = 1_000_000  # strangers can make us fetch: what that leaves is bounded


async def prune(tx: Transaction, now: float) -> None:
    """Delete what is over.

    Fetches, arrivals and departures go after 30 days, fetches beyond a million sooner; the counts of what readers
    caused, of what was answered, of previews and of the proxy go after a year. Of counts by host the oldest days go
    where they are too many.
    """
    await tx.execute(delete(fetch).where(fetch.c.at < now - KEPT))
    last = await tx.scalar(select(func.max(fetch.c.id)))
    await tx.execute(delete(fetch).where(fetch.c.id <= (last or 0) - MOST_FETCHES))
    for counts in (reader_fetch, traffic, preview_count, proxy_count):
        await tx.execute(delete(counts).where(counts.c.day < clock.iso_day(now - COUNTS_KEPT)))
    for counts in (arrival, departure):
        await tx.execute(delete(counts).where(counts.c.day < clock.iso_day(now - KEPT)))
    for counts in (reader_fetch, arrival, departure):
        await keep_newest(tx, counts, counts.c.day, MOST_COUNTS, counts.c.day < clock.iso_day(now))
