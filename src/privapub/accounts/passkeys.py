"""Passkeys: key pairs of which people's devices keep the private half (WebAuthn).

A device knows an account by a random word, and a passkey by another. Which passkeys an account has is told to nobody
but who is signed in to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, select, update

from privapub import identifiers
from privapub.accounts.tables import account, passkey, passkey_owner
from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.markup.clean import plain

MOST = 20  # of one account
LONGEST_NAME = 50  # characters
_HANDLE = 32  # bytes


@dataclass(frozen=True)
class Passkey:
    """One of an account. `handle` is by what its device knows the account; `public_key` is as COSE has it."""

    id: int
    account_id: int
    credential_id: bytes
    handle: bytes
    public_key: bytes
    name: str
    created_at: float


async def handle_of(tx: Transaction, account_id: int) -> bytes:
    """By what devices know this account, drawn when it is asked for first."""
    row = {"account_id": account_id, "handle": identifiers.octets(_HANDLE)}
    await tx.execute(tx.insert(passkey_owner).values(row).on_conflict_do_nothing())
    found: bytes = await tx.scalar(select(passkey_owner.c.handle).where(passkey_owner.c.account_id == account_id))
    return bytes(found)


async def of_account(tx: Transaction, account_id: int) -> Sequence[Passkey]:
    """Those of an account, in the order they were made."""
    return await _found(tx, passkey.c.account_id == account_id)


async def find(tx: Transaction, credential_id: bytes) -> Passkey | None:
    """The one that a device knows by this."""
    return next(iter(await _found(tx, passkey.c.credential_id == credential_id)), None)


async def add(
    tx: Transaction, account_id: int, credential_id: bytes, public_key: bytes, counter: int, name: str, now: float
) -> None:
    """The account has it from now on. Conflict where it has as many as it may, or the passkey is somebody's already."""
    # The row is held until the commit, so that two who add at once count one after the other.
    await tx.scalar(select(account.c.id).where(account.c.id == account_id).with_for_update())
    held = await tx.scalar(select(func.count()).select_from(passkey).where(passkey.c.account_id == account_id))
    if held >= MOST:
        raise Conflict(f"An account has up to {MOST} passkeys.", "Remove one first.")
    row = {
        "id": identifiers.sortable(now),
        "account_id": account_id,
        "credential_id": credential_id,
        "public_key": public_key,
        "counter": counter,
        "name": plain(name)[:LONGEST_NAME].strip() or "Passkey",
        "created_at": now,
    }
    new = tx.insert(passkey).values(row).on_conflict_do_nothing(index_elements=[passkey.c.credential_id])
    if not (await tx.execute(new)).rowcount:
        raise Conflict("This passkey is known already.")


async def count_on(tx: Transaction, passkey_id: int, counter: int) -> bool:
    """Its device has counted so many signatures by now. False where that is no progress: then there are two of it.

    A device that does not count says 0 each time (section 6.1.1).
    """
    forward = passkey.c.counter < counter if counter else passkey.c.counter == 0
    done = await tx.execute(update(passkey).where(passkey.c.id == passkey_id, forward).values(counter=counter))
    return bool(done.rowcount)


async def remove(tx: Transaction, account_id: int, passkey_id: int) -> bool:
    """It lets nobody in any more; whether there was such a one of the account."""
    gone = await tx.execute(delete(passkey).where(passkey.c.account_id == account_id, passkey.c.id == passkey_id))
    return bool(gone.rowcount)


async def remove_all(tx: Transaction, account_id: int) -> int:
    """None of an account lets anybody in any more; how many there were."""
    gone: int = (await tx.execute(delete(passkey).where(passkey.c.account_id == account_id))).rowcount
    return gone


async def _found(tx: Transaction, which: ColumnElement[bool]) -> Sequence[Passkey]:
    rows = await tx.all(
        select(passkey, passkey_owner.c.handle)
        .join(passkey_owner, passkey_owner.c.account_id == passkey.c.account_id)
        .where(which)
        .order_by(passkey.c.id)
    )
    return [
        Passkey(
            row.id,
            row.account_id,
            bytes(row.credential_id),
            bytes(row.handle),
            bytes(row.public_key),
            row.name,
            row.created_at,
        )
        for row in rows
    ]
