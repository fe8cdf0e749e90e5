"""The admin left a relay: the Follow by which it was asked is undone."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import by_uri
from privapub.database.transaction import Transaction
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.federation.documents import write_activity
from privapub.follows.facts import RelayLeft


async def relay_left(tx: Transaction, fact: RelayLeft, addresses: Addresses, now: float) -> None:
    """The row is gone: what is undone stands in the fact."""
    us = await by_uri(tx, addresses.application)
    if us is None:
        return
    undone = write_activity.follow(fact.follow_uri, us.uri, fact.object)
    await deliver(
        tx,
        us.id,
        write_activity.undo(addresses.activity(identifiers.token()), us.uri, undone),
        [Target(fact.inbox, fact.actor_uri)],
        about=f"{us.uri} follows {fact.inbox}",
        now=now,
    )
