"""Making an account."""

import re

from privapub import identifiers
from privapub.accounts.tables import account
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput

_EMAIL = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+")
EMAIL_LENGTH = 254  # RFC 5321, section 4.5.3.1.3, without the angle brackets


def normal(email: str) -> str:
    """The form by which an address is unique: trimmed, lower case. InvalidInput where it is no address."""
    tidy = email.strip().lower()
    if len(tidy) > EMAIL_LENGTH or not _EMAIL.fullmatch(tidy) or not tidy.isprintable():
        raise InvalidInput("This is not an e-mail address.", "It looks like name@example.org.")
    return tidy


async def create(tx: Transaction, email: str, password_hash: str, now: float) -> int:
    """A new account's number. The hash comes from `passwords.hash_password`, called before the transaction.

    Raises InvalidInput for what is no e-mail address, Conflict where there is an account with it.
    """
    account_id = identifiers.sortable(now)
    made = await tx.scalar(
        tx.insert(account)
        .values(id=account_id, email=normal(email), password=password_hash, created_at=now)
        .on_conflict_do_nothing(index_elements=[account.c.email])
        .returning(account.c.id)
    )
    if made is None:
        raise Conflict("There is an account with this e-mail address already.")
    return account_id
