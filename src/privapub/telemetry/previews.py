"""How looking for previews of links ended: a count for each day and outcome."""

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
