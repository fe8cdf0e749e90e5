"""Who has signed up and may not come in yet: for the letter to be answered, or for the operator.

The persona that was asked for does not exist until then; its handle is kept.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, or_, select, update

from privapub.accounts.tables import account, token, waiting
from privapub.database.transaction import Transaction

FOR_EMAIL = "Your login is missing a confirmed e-mail address"
FOR_APPROVAL = "Your login is currently pending approval"
DAY = 86_400.0
UNCONFIRMED = 2 * DAY
UNANSWERED = 60 * DAY
MOST = 10_000
AT_ONCE = 500  # accounts that go in one run


@dataclass(frozen=True)
class Waiting:
    """One who waits; `handle` as it was typed, and the number that the persona will have."""

    account_id: int
    email: str
    handle: str
    persona_id: int
    for_email: bool
    for_approval: bool
    reason: str
    created_at: float

    @property
    def why(self) -> str:
        """What is waited for, in Mastodon's words."""
        return FOR_EMAIL if self.for_email else FOR_APPROVAL


async def why(tx: Transaction, account_id: int) -> str | None:
    """Why this account may not come in yet; None where it may."""
    found = await of_account(tx, account_id)
    return None if found is None else found.why


async def put(
    tx: Transaction,
    account_id: int,
    handle: str,
    persona_id: int,
    *,
    for_email: bool,
    for_approval: bool,
    reason: str,
    now: float,
) -> bool:
    """From now on this account waits; False where another waits for this handle."""
    made = await tx.scalar(
        tx.insert(waiting)
        .values(
            account_id=account_id,
            handle=handle.lower(),
            typed_handle=handle,
            persona_id=persona_id,
            for_email=for_email,
            for_approval=for_approval,
            reason=reason,
            created_at=now,
        )
        .on_conflict_do_nothing(index_elements=[waiting.c.handle])
        .returning(waiting.c.account_id)
    )
    return made is not None


async def of_account(tx: Transaction, account_id: int, *, lock: bool = False) -> Waiting | None:
    """How this account waits; with `lock` nobody else changes that until the transaction is over."""
    if lock:
        await tx.first(select(waiting.c.account_id).where(waiting.c.account_id == account_id).with_for_update())
    return await _one(tx, waiting.c.account_id == account_id)


async def of_persona(tx: Transaction, persona_id: int) -> Waiting | None:
    """Who waits for the persona that will have this number."""
    return await _one(tx, waiting.c.persona_id == persona_id)


async def keeps(tx: Transaction, handle: str) -> bool:
    """Whether somebody who waits has asked for this handle, in any case."""
    return await _one(tx, waiting.c.handle == handle.lower()) is not None


async def everyone(tx: Transaction) -> list[Waiting]:
    """All who wait, the first first (for the operator)."""
    rows = await tx.all(_COLUMNS.order_by(waiting.c.created_at))
    return [_waiting(row) for row in rows]


async def lift(tx: Transaction, account_id: int, *, email: bool = False, approval: bool = False) -> None:
    """One of what is waited for is there."""
    values = {"for_email": False} if email else {}
    values |= {"for_approval": False} if approval else {}
    await tx.execute(update(waiting).where(waiting.c.account_id == account_id).values(values))


async def over(tx: Transaction, account_id: int) -> None:
    """It waits no more."""
    await tx.execute(delete(waiting).where(waiting.c.account_id == account_id))


async def turn_away(tx: Transaction, account_id: int) -> bool:
    """Whoever waits is not let in: nothing of the account stays. False where this account does not wait."""
    found = await of_account(tx, account_id, lock=True)
    if found is None:
        return False
    await tx.execute(delete(token).where(token.c.persona_id == found.persona_id))
    await tx.execute(delete(account).where(account.c.id == account_id))
    return True


async def prune(tx: Transaction, now: float) -> None:
    """Who does not answer the letter is forgotten after two days, who is not answered after two months."""
    late = or_(
        waiting.c.for_email & (waiting.c.created_at < now - UNCONFIRMED), waiting.c.created_at < now - UNANSWERED
    )
    rows = await tx.all(select(waiting.c.account_id).where(late).limit(AT_ONCE))
    newest = select(waiting.c.account_id).order_by(waiting.c.created_at.desc())
    rows = [*rows, *await tx.all(newest.offset(MOST).limit(AT_ONCE))]
    for account_id in {row.account_id for row in rows}:
        await turn_away(tx, account_id)


_COLUMNS = select(waiting, account.c.email).join(account, account.c.id == waiting.c.account_id)


async def _one(tx: Transaction, where: Any) -> Waiting | None:
    row = await tx.first(_COLUMNS.where(where))
    return None if row is None else _waiting(row)


def _waiting(row: Any) -> Waiting:
    return Waiting(
        row.account_id,
        row.email,
        row.typed_handle,
        row.persona_id,
        row.for_email,
        row.for_approval,
        row.reason,
        row.created_at,
    )
