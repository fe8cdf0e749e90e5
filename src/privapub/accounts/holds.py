"""Which account holds which personas."""

from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError

from privapub.accounts.tables import account, account_persona
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, NotFound

MOST = 20


@dataclass(frozen=True)
class Account:
    """A login. `email` is in lower case, `password` what `passwords.check_password` compares with."""

    id: int
    email: str
    password: str
    created_at: float


async def by_email(tx: Transaction, email: str) -> Account | None:
    """The account with this e-mail address, in any case."""
    row = await tx.first(select(account).where(account.c.email == email.strip().lower()))
    return None if row is None else Account(row.id, row.email, row.password, row.created_at)


async def by_id(tx: Transaction, account_id: int) -> Account | None:
    """The account with this number."""
    row = await tx.first(select(account).where(account.c.id == account_id))
    return None if row is None else Account(row.id, row.email, row.password, row.created_at)


async def change_password(tx: Transaction, account_id: int, password_hash: str) -> None:
    """From now on this is what a password is compared with."""
    await tx.execute(update(account).where(account.c.id == account_id).values(password=password_hash))


async def change_email(tx: Transaction, account_id: int, email: str) -> None:
    """From now on the account is known by this address (`sign_up.normal`); Conflict where another is.

    After a Conflict the transaction is over.
    """
    try:
        await tx.execute(update(account).where(account.c.id == account_id).values(email=email))
    except IntegrityError:
        raise Conflict("Email has already been taken") from None


async def give(tx: Transaction, account_id: int, persona_id: int) -> None:
    """From now on this account holds this persona.

    Raises NotFound for no account, Conflict where it holds as many as it may or the persona is another's.
    """
    # The row is held until the commit, so that two who give at once count one after the other.
    if await tx.scalar(select(account.c.id).where(account.c.id == account_id).with_for_update()) is None:
        raise NotFound("There is no such account.")
    held = await personas_of(tx, account_id)
    if persona_id in held:
        return
    if len(held) >= MOST:
        raise Conflict(f"An account holds up to {MOST} personas.", "Delete one first.")
    given = await tx.scalar(
        tx.insert(account_persona)
        .values(persona_id=persona_id, account_id=account_id)
        .on_conflict_do_nothing(index_elements=[account_persona.c.persona_id])
        .returning(account_persona.c.persona_id)
    )
    if given is None:
        raise Conflict("This persona belongs to another account.")


async def personas_of(tx: Transaction, account_id: int) -> tuple[int, ...]:
    """The numbers of the personas that this account holds, in the order they were made."""
    rows = await tx.all(
        select(account_persona.c.persona_id)
        .where(account_persona.c.account_id == account_id)
        .order_by(account_persona.c.persona_id)
    )
    return tuple(row.persona_id for row in rows)


async def together(tx: Transaction, one_id: int, other_id: int) -> bool:
    """Whether one account holds both personas."""
    owner = select(account_persona.c.account_id)
    of_one = owner.where(account_persona.c.persona_id == one_id).scalar_subquery()
    return (
        await tx.first(owner.where(account_persona.c.persona_id == other_id, account_persona.c.account_id == of_one))
        is not None
    )


async def everyone(tx: Transaction) -> list[tuple[str, tuple[int, ...]]]:
    """Each account's e-mail address and the numbers of its personas, by address (for the operator alone)."""
    found: dict[str, tuple[int, ...]] = {}
    rows = await tx.all(
        select(account.c.email, account_persona.c.persona_id)
        .outerjoin(account_persona, account_persona.c.account_id == account.c.id)
        .order_by(account.c.email, account_persona.c.persona_id)
    )
    for row in rows:
        found[row.email] = found.get(row.email, ()) + (() if row.persona_id is None else (row.persona_id,))
    return list(found.items())


async def count(tx: Transaction) -> int:
    """How many accounts there are (for the operator alone)."""
    number: int = await tx.scalar(select(func.count()).select_from(account))
    return number
