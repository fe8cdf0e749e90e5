"""The admin subscribed to a relay: the application actor follows it, and no persona."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import by_uri
from privapub.database.transaction import Transaction
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.federation.documents import write_activity
from privapub.follows import relays
from privapub.follows.facts import RelayAsked


async def relay_asked(tx: Transaction, fact: RelayAsked, addresses: Addresses, now: float) -> None:
    """Unless it was left meanwhile."""
    relay, us = await relays.by_id(tx, fact.relay_id), await by_uri(tx, addresses.application)
    if relay is None or us is None:
        return
    await deliver(
        tx,
        us.id,
        write_activity.follow(relay.follow_uri, us.uri, relay.object),
        [Target(relay.inbox, relay.actor_uri or "")],
        about=f"{us.uri} follows {relay.inbox}",
        now=now,
    )
