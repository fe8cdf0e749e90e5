"""A persona shows a hashtag in its profile no more: its followers' servers are told."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.facts import TagUnfeatured
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_featured import hashtag, remove


async def tag_unfeatured(tx: Transaction, fact: TagUnfeatured, addresses: Addresses, now: float) -> None:
    """The Remove never overtakes the Add at any inbox."""
    persona = await known(tx, fact.persona_id)
    await deliver(
        tx,
        persona.id,
        remove(addresses.activity(identifiers.token()), persona, hashtag(fact.name, addresses.tag(fact.name))),
        await inboxes.of_followers(tx, persona.id),
        about=f"{persona.uri} features {addresses.tag(fact.name)}",
        now=now,
    )
