"""Who has signed up and may not come in yet: for the letter to be answered, or for the operator."""

from sqlalchemy import select

from privapub.accounts.tables import waiting
from privapub.database.transaction import Transaction

FOR_EMAIL = "Your login is missing a confirmed e-mail address"
FOR_APPROVAL = "Your login is currently pending approval"


async def why(tx: Transaction, account_id: int) -> str | None:
    """Why this account may not come in yet; None where it may."""
    row = await tx.first(select(waiting.c.for_email).where(waiting.c.account_id == account_id))
    if row is None:
        return None
    return FOR_EMAIL if row.for_email else FOR_APPROVAL
