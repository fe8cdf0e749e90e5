"""Somebody elsewhere is no more: nobody follows them any more, nor they anybody, and their posts go with them."""

from privapub.actors.addresses import Addresses
from privapub.actors.facts import ActorGone
from privapub.database.transaction import Transaction
from privapub.follows.follow import end_all
from privapub.posts.delete import forget_author


async def actor_gone(tx: Transaction, fact: ActorGone, _addresses: Addresses, now: float) -> None:
    """Both are done again without harm."""
    await end_all(tx, fact.actor_id, now)
    await forget_author(tx, fact.actor_id, now)
