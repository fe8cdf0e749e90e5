"""Words by which somebody may sign up where not everybody may. What is kept of one is its hash."""

from dataclasses import dataclass

from sqlalchemy import delete, or_, select, update

from privapub import identifiers
from privapub.accounts.secrets import hash_of
from privapub.accounts.tables import invitation
from privapub.database.transaction import Transaction


@dataclass(frozen=True)
class Invitation:
    """One that the operator gave."""

    id: int
    uses_left: int
    created_at: float
    expires_at: float | None


async def create(tx: Transaction, uses: int, expires_at: float | None, now: float) -> tuple[Invitation, str]:
    """A new one, good for so many accounts, and its word, which is told this once."""
    word, number = identifiers.token(), identifiers.sortable(now)
    row = {"id": number, "hash": hash_of(word), "uses_left": uses, "created_at": now, "expires_at": expires_at}
    await tx.execute(invitation.insert().values(row))
    return Invitation(number, uses, now, expires_at), word


async def spend(tx: Transaction, word: str, now: float) -> bool:
    """Whether this is a word that still lets somebody in; it lets in one fewer then."""
    in_time = or_(invitation.c.expires_at.is_(None), invitation.c.expires_at > now)
    used = await tx.execute(
        update(invitation)
        .where(invitation.c.hash == hash_of(word), invitation.c.uses_left > 0, in_time)
        .values(uses_left=invitation.c.uses_left - 1)
    )
    return bool(used.rowcount)


async def everyone(tx: Transaction) -> list[Invitation]:
    """All of them, the oldest first."""
    rows = await tx.all(select(invitation).order_by(invitation.c.id))
    return [Invitation(row.id, row.uses_left, row.created_at, row.expires_at) for row in rows]


async def revoke(tx: Transaction, invitation_id: int) -> bool:
    """It lets nobody in any more; whether there was one."""
    return bool((await tx.execute(delete(invitation).where(invitation.c.id == invitation_id))).rowcount)
