"""A persona blocks somebody elsewhere no more: the Undo goes to their own inbox."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.facts import ActorUnblocked
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_activity import undo
from privapub.federation.documents.write_block import block


async def actor_unblocked(tx: Transaction, fact: ActorUnblocked, addresses: Addresses, now: float) -> None:
    """What is undone is named by the id that its Block had."""
    blocker, blocked = await known(tx, fact.blocker_id), await known(tx, fact.blocked_id)
    await deliver(
        tx,
        blocker.id,
        undo(addresses.activity(identifiers.token()), blocker.uri, block(fact.uri, blocker.uri, blocked.uri)),
        await inboxes.of_actors(tx, [blocked.id], shared=False),
        about=f"{blocker.uri} blocks {blocked.uri}",
        part="last",
        now=now,
    )
