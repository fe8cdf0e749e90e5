"""How looking for previews of links ended: a count for each day and outcome."""

from collections.abc import Sequence

from sqlalchemy import select

from privapub import clock
from privapub.database.transaction import Transaction
from privapub.telemetry.tables import preview_count

CARD, NO_CARD, FAILED = "card", "no-card", "failed"


async def count(tx: Transaction, outcome: str, now: float) -> None:
    """One more of this outcome, in the transaction that keeps it."""
    new = tx.insert(preview_count).values(day=clock.iso_day(now), outcome=outcome, count=1)
    await tx.execute(
        new.on_conflict_do_update(index_elements=["day", "outcome"], set_={"count": preview_count.c.count + 1})
    )


async def by_day(tx: Transaction, since: str) -> Sequence[tuple[str, str, int]]:
    """Day, outcome and how often, on this day (as clock.iso_day writes it) and later."""
    columns = preview_count.c.day, preview_count.c.outcome, preview_count.c.count.label("number")
    rows = await tx.all(select(*columns).where(preview_count.c.day >= since).order_by(*columns[:2]))
    return [(row.day, row.outcome, row.number) for row in rows]
