"""A persona follows somebody elsewhere no more: the Undo goes to their own inbox."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents import write_activity
from privapub.follows.facts import FollowWithdrawn


async def follow_withdrawn(tx: Transaction, fact: FollowWithdrawn, addresses: Addresses, now: float) -> None:
    """What is undone is named by the id that its Follow had."""
    follower, followed = await known(tx, fact.follower_id), await known(tx, fact.followed_id)
    undone = write_activity.follow(fact.uri, follower.uri, followed.uri)
    await deliver(
        tx,
        follower.id,
        write_activity.undo(addresses.activity(identifiers.token()), follower.uri, undone),
        await inboxes.of_actors(tx, [followed.id], shared=False),
        about=f"{follower.uri} follows {followed.uri}",
        part="last",
        now=now,
    )
