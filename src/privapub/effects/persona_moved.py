"""A persona has another actor now: its followers elsewhere are told, those here go along and are told of it."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_move import move
from privapub.follows.move import move_followers
from privapub.notifications.notify import MOVE, notify
from privapub.personas.facts import PersonaMoved


async def persona_moved(tx: Transaction, fact: PersonaMoved, addresses: Addresses, now: float) -> None:
    """The Move comes after the Update of the profile at every inbox, unless the persona moved elsewhere meanwhile."""
    persona, target = await known(tx, fact.persona_id), await known(tx, fact.target_id)
    if persona.moved_to != target.uri:
        return
    await deliver(
        tx,
        persona.id,
        move(addresses.activity(identifiers.token()), persona, target.uri),
        await inboxes.of_followers(tx, persona.id),
        about=persona.uri,
        now=now,
    )
    for follower_id in await move_followers(tx, persona.id, target.id, addresses, now):
        await notify(tx, follower_id, MOVE, persona.id, about=target.uri, now=now)
