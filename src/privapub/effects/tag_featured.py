"""A persona shows a hashtag in its profile, or no more: its followers' servers are told."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.facts import TagFeatured
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_featured import add, hashtag, remove


async def tag_featured(tx: Transaction, fact: TagFeatured, addresses: Addresses, now: float) -> None:
    """As Mastodon tells it. The Remove never overtakes the Add at any inbox."""
    tell = add if fact.shown else remove
    persona = await known(tx, fact.persona_id)
    await deliver(
        tx,
        persona.id,
        tell(addresses.activity(identifiers.token()), persona, hashtag(fact.name, addresses.tag(fact.name))),
        await inboxes.of_followers(tx, persona.id),
        about=f"{persona.uri} features {addresses.tag(fact.name)}",
        now=now,
    )
