"""A persona changed its profile: its followers' servers get the new one, and its links are checked."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import keys_of, known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents import write_activity, write_actor
from privapub.personas import links_back
from privapub.personas.facts import PersonaEdited


async def persona_edited(tx: Transaction, fact: PersonaEdited, addresses: Addresses, now: float) -> None:
    """One Update to each server that has a follower, and a look at each page that its fields name."""
    await tell_profile(tx, fact.persona_id, addresses, now)
    await links_back.plan(tx, fact.persona_id, now)


async def tell_profile(
    tx: Transaction, persona_id: int, addresses: Addresses, now: float, former_key: str | None = None
) -> None:
    """The persona's document as it is now; `former_key` signs it for who does not know its new key."""
    actor = await known(tx, persona_id)
    document = write_actor.person(actor, await keys_of(tx, actor.id), addresses)
    await deliver(
        tx,
        actor.id,
        write_activity.update(document, addresses.activity(identifiers.token())),
        await inboxes.of_followers(tx, actor.id),
        about=actor.uri,
        former_key=former_key,
        now=now,
    )
