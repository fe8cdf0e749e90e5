"""What a program says twice is done once: it calls what it says by a key of its own, and may say it again for an hour.

That it was done is kept in the transaction that does it, so that of two that come at once the second finds the first.
"""

import hashlib
from dataclasses import dataclass

from sqlalchemy import delete, select, update

from privapub.composing.tables import said_once
from privapub.database.transaction import Transaction

LIFE = 3600.0  # seconds


@dataclass(frozen=True)
class Once:
    """What a program calls what it says: `token_id` is its token, `key` its own word."""

    token_id: int
    key: str

    @property
    def hash(self) -> str:
        """The key, short whatever it is."""
        return hashlib.sha256(self.key.encode()).hexdigest()


@dataclass(frozen=True)
class Done:
    """What came of it: the number of a post, or of one for later."""

    number: int
    scheduled: bool


async def found(tx: Transaction, said: Once | None, now: float) -> Done | None:
    """What came of it before, if it was said within the hour."""
    if said is None:
        return None
    row = await tx.first(
        select(said_once).where(
            said_once.c.token_id == said.token_id, said_once.c.key == said.hash, said_once.c.at > now - LIFE
        )
    )
    return None if row is None else Done(row.number, row.scheduled)


async def begin(tx: Transaction, said: Once | None, now: float) -> Done | None:
    """The same, for who is about to do it if it was not done: nobody else does it until the transaction is over."""
    if said is not None:
        await tx.alone(f"once {said.token_id} {said.hash}")
    return await found(tx, said, now)


async def remember(tx: Transaction, said: Once | None, done: Done, now: float) -> None:
    """It was done in this transaction, which `begin` began."""
    if said is None:
        return
    row = tx.insert(said_once).values(
        token_id=said.token_id, key=said.hash, number=done.number, scheduled=done.scheduled, at=now
    )
    changed = {name: row.excluded[name] for name in ("number", "scheduled", "at")}
    await tx.execute(row.on_conflict_do_update(index_elements=[said_once.c.token_id, said_once.c.key], set_=changed))


async def became(tx: Transaction, scheduled_id: int, post_id: int) -> None:
    """What was for later is a post now: who says it again is told of that."""
    later = said_once.c.scheduled, said_once.c.number == scheduled_id
    await tx.execute(update(said_once).where(*later).values(number=post_id, scheduled=False))


async def prune(tx: Transaction, now: float) -> None:
    """After an hour it may be said anew."""
    await tx.execute(delete(said_once).where(said_once.c.at < now - LIFE))
