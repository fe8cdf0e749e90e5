"""A persona let somebody follow it, or did not: the answer goes to their own inbox."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents import write_activity
from privapub.follows.facts import FollowAnswered


async def follow_answered(tx: Transaction, fact: FollowAnswered, addresses: Addresses, now: float) -> None:
    """The Accept or Reject embeds the Follow that it answers, by the id that the asker gave it."""
    follower, followed = await known(tx, fact.follower_id), await known(tx, fact.followed_id)
    answer = write_activity.accept if fact.accepted else write_activity.reject
    asked = write_activity.follow(fact.uri, follower.uri, followed.uri)
    await deliver(
        tx,
        followed.id,
        answer(addresses.activity(identifiers.token()), followed.uri, asked),
        await inboxes.of_actors(tx, [follower.id], shared=False),
        about=f"{follower.uri} follows {followed.uri}",
        now=now,
    )
