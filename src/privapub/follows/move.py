"""Followers go with whom they follow: somebody has another actor now."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.follows import read
from privapub.follows.follow import ask, withdraw


async def move_followers(tx: Transaction, old_id: int, new_id: int, addresses: Addresses, now: float) -> list[int]:
    """Our personas that follow the old actor ask the new one instead; the numbers of those that did.

    Each goes once: it does not follow the old one any more, and whoever follows that one again does so knowingly. One
    that cannot follow the new one (a block parts them) stays where it is; the new one itself only stops to follow.
    """
    moved = []
    for follower_id in await read.follower_ids(tx, old_id):
        if follower_id != new_id:
            try:
                await ask(tx, follower_id, new_id, addresses.activity(identifiers.token()), now)
            except PrivaPubError:
                continue
            moved.append(follower_id)
        await withdraw(tx, follower_id, old_id, now)
    return moved
