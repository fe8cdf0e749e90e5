"""A persona blocks somebody elsewhere: the Block goes to their own inbox."""

from privapub.actors.addresses import Addresses
from privapub.actors.facts import ActorBlocked
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_block import block


async def actor_blocked(tx: Transaction, fact: ActorBlocked, _addresses: Addresses, now: float) -> None:
    """So that their server hides each from the other too."""
    blocker, blocked = await known(tx, fact.blocker_id), await known(tx, fact.blocked_id)
    await deliver(
        tx,
        blocker.id,
        block(fact.uri, blocker.uri, blocked.uri),
        await inboxes.of_actors(tx, [blocked.id], shared=False),
        about=f"{blocker.uri} blocks {blocked.uri}",
        part="first",
        now=now,
    )
