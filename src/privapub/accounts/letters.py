"""Letters: with a link that does something once (an address is confirmed, a password is set anew), or only to tell.

The queue knows the number of a letter and nothing else; what its link says is made when it is sent, and only the hash
of that is kept.
"""

from dataclasses import dataclass

from sqlalchemy import delete, select, update

from privapub import identifiers
from privapub.accounts.secrets import hash_of
from privapub.accounts.tables import letter
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob

LETTER = "letter"
CONFIRM, RESET, CHANGE = "confirm", "reset", "change"
# These tell that it was done, and their link does nothing.
PASSKEY_ADDED, PASSKEY_REMOVED = "passkey-added", "passkey-removed"
HOUR = 3600.0  # seconds
LIVES = {CONFIRM: 48 * HOUR, RESET: HOUR, CHANGE: HOUR, PASSKEY_ADDED: 48 * HOUR, PASSKEY_REMOVED: 48 * HOUR}


@dataclass(frozen=True)
class Letter:
    """One that is to be sent, or whose link was followed."""

    id: int
    account_id: int
    kind: str
    address: str


async def write(tx: Transaction, account_id: int, kind: str, address: str, now: float) -> None:
    """Send a letter of this kind to this address; the one of its kind before it is void."""
    await tx.execute(delete(letter).where(letter.c.account_id == account_id, letter.c.kind == kind))
    number = identifiers.sortable(now)
    row = {"id": number, "account_id": account_id, "kind": kind, "address": address, "created_at": now}
    await tx.execute(letter.insert().values(row))
    await put(tx, [NewJob(LETTER, LETTER, {"letter": str(number)})])


async def seal(tx: Transaction, letter_id: int) -> tuple[Letter, str] | None:
    """The letter and what its link says from now on; None where it is void by now."""
    row = await tx.first(select(letter).where(letter.c.id == letter_id))
    if row is None:
        return None
    secret = identifiers.secret()
    await tx.execute(update(letter).where(letter.c.id == letter_id).values(hash=hash_of(secret)))
    return Letter(row.id, row.account_id, row.kind, row.address), secret


async def find(tx: Transaction, kind: str, secret: str, now: float) -> Letter | None:
    """The letter whose link says this, if it is still good."""
    row = await tx.first(select(letter).where(letter.c.hash == hash_of(secret), letter.c.kind == kind))
    if row is None or row.created_at < now - LIVES[kind]:
        return None
    return Letter(row.id, row.account_id, row.kind, row.address)


async def spend(tx: Transaction, found: Letter) -> bool:
    """It is used up; False where it was already."""
    return bool((await tx.execute(delete(letter).where(letter.c.id == found.id))).rowcount)


async def prune(tx: Transaction, now: float) -> None:
    """Forget those that are no good any more."""
    for kind, lives in LIVES.items():
        await tx.execute(delete(letter).where(letter.c.kind == kind, letter.c.created_at < now - lives))
