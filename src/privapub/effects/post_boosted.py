"""Somebody boosted a post: it goes to the timelines here, and a persona's Announce to the inboxes elsewhere."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.federation.documents.write_announce import announce
from privapub.notifications import notify
from privapub.posts.boost import may_boost
from privapub.posts.boost_read import by_id as boost_by_id
from privapub.posts.facts import PostBoosted
from privapub.posts.read import by_id as post_by_id
from privapub.stream import events
from privapub.timelines.fill import fill_boost


async def post_boosted(tx: Transaction, fact: PostBoosted, _addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile."""
    boost = await boost_by_id(tx, fact.boost_id)
    post = None if boost is None else await post_by_id(tx, boost.post_id)
    if boost is None or post is None or post.deleted_at is not None or not may_boost(post, boost.actor_id):
        return
    await fill_boost(tx, boost.id, now)
    await events.say(tx, events.BOOST, boost.id)
    await notify.of_boost(tx, post, boost.actor_id, now)
    booster = await known(tx, boost.actor_id)
    author = await known(tx, post.author_id)
    if not booster.local:
        return
    await deliver(
        tx,
        booster.id,
        announce(boost.uri, booster, post.uri, author.uri, boost.audience, boost.created_at),
        await targets(tx, booster.id, author.id),
        about=story(booster.uri, post.uri),
        part="first",
        now=now,
    )


async def targets(tx: Transaction, booster_id: int, author_id: int) -> list[Target]:
    """Where the followers of whoever boosts, and the post's author, take it."""
    author = await inboxes.of_actors(tx, [author_id], shared=True)
    return inboxes.unique([*author, *await inboxes.of_followers(tx, booster_id)])


def story(booster: str, post: str) -> str:
    """What an Announce and its Undo are about (pure)."""
    return f"{booster} boosts {post}"
