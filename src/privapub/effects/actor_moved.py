"""Somebody elsewhere has another actor now: those of ours who follow them go along, and are told of it."""

from privapub.actors.addresses import Addresses
from privapub.actors.facts import ActorMoved
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.follows.move import move_followers
from privapub.notifications.notify import MOVE, notify


async def actor_moved(tx: Transaction, fact: ActorMoved, addresses: Addresses, now: float) -> None:
    """Unless the actor says by now that it moved elsewhere."""
    old, new = await known(tx, fact.old_id), await known(tx, fact.new_id)
    if old.moved_to != new.uri:
        return
    for follower_id in await move_followers(tx, old.id, new.id, addresses, now):
        await notify(tx, follower_id, MOVE, old.id, about=new.uri, now=now)
