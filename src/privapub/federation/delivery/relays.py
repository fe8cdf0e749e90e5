"""Where what is for everybody goes besides: to the relays that have let us in."""

from sqlalchemy import select

from privapub.database.transaction import Transaction
from privapub.federation.delivery.inboxes import Target
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import relay


async def of_relays(tx: Transaction) -> list[Target]:
    """Their inboxes."""
    return [Target(row.inbox) for row in await tx.all(_INBOXES)]


_INBOXES = select(relay.c.inbox).where(relay.c.state == ACCEPTED)
