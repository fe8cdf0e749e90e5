"""Saying what happened, in the transaction in which it does. Who may hear of it is decided where it is told."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import delete, func, select

from privapub import clock
from privapub.database.transaction import Transaction
from privapub.stream.tables import event

TOPIC = "events"
POST, EDIT, DELETE, BOOST = "post", "edit", "delete", "boost"  # of posts, and of a boost by its own number
NOTIFICATION = "notification"
CONVERSATION, FILTERS = "conversation", "filters"  # of a persona
ANNOUNCEMENT, ANNOUNCEMENT_GONE = "announcement", "announcement-gone"
REVOKED = "revoked"  # of a token
KINDS = frozenset(
    {POST, EDIT, DELETE, BOOST, NOTIFICATION, CONVERSATION, FILTERS, ANNOUNCEMENT, ANNOUNCEMENT_GONE, REVOKED}
)
KEPT = 600.0  # seconds: who did not hear of it by then asks as if it came anew
MOST = 200_000
_NEW = event.insert().inline()  # nobody asks for its number


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    id: int
    kind: str
    ref: int
    persona_id: int | None
    at: float


async def say(tx: Transaction, kind: str, ref: int, persona_id: int | None = None) -> None:
    """This happened; listeners hear of it once the transaction is committed."""
    await say_each(tx, kind, [ref], persona_id)


async def say_each(tx: Transaction, kind: str, refs: Iterable[int], persona_id: int | None = None) -> None:
    """This happened to each of these."""
    if kind not in KINDS:
        raise ValueError(f"no kind of event: {kind}")
    now = clock.now()
    for ref in refs:
        await tx.change(_NEW, kind=kind, ref=ref, persona_id=persona_id, at=now)
        tx.announce(TOPIC)


async def last(tx: Transaction) -> int:
    """The number of the last event that there is."""
    return int(await tx.scalar(select(func.max(event.c.id))) or 0)


async def since(tx: Transaction, number: int, limit: int) -> list[Event]:
    """The events after this one, in their order."""
    rows = await tx.all(select(event).where(event.c.id > number).order_by(event.c.id).limit(limit))
    return [Event(row.id, row.kind, row.ref, row.persona_id, row.at) for row in rows]


async def prune(tx: Transaction, now: float) -> None:
    """Forget what is long told; of very many the last stay."""
    await tx.execute(delete(event).where(event.c.at < now - KEPT))
    await tx.execute(delete(event).where(event.c.id <= await last(tx) - MOST))
