"""A persona asks somebody elsewhere to be their follower: the Follow goes to their own inbox."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents import write_activity
from privapub.follows.facts import FollowAsked
from privapub.follows.read import by_id as follow_by_id


async def follow_asked(tx: Transaction, fact: FollowAsked, _addresses: Addresses, now: float) -> None:
    """Unless it was withdrawn meanwhile."""
    follow = await follow_by_id(tx, fact.follow_id)
    if follow is None:
        return
    follower, followed = await known(tx, follow.follower_id), await known(tx, follow.followed_id)
    await deliver(
        tx,
        follower.id,
        write_activity.follow(follow.uri, follower.uri, followed.uri),
        await inboxes.of_actors(tx, [followed.id], shared=False),
        about=f"{follower.uri} follows {followed.uri}",
        part="first",
        now=now,
    )
