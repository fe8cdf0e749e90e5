"""Somebody asks to follow a persona, or follows it now: it is told."""

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.follows.facts import Followed
from privapub.follows.read import by_id
from privapub.notifications import notify


async def followed(tx: Transaction, fact: Followed, _addresses: Addresses, now: float) -> None:
    """As the follow stands by now; nothing, where it ended meanwhile."""
    follow = await by_id(tx, fact.follow_id)
    if follow is not None:
        await notify.of_follow(tx, follow, now)
