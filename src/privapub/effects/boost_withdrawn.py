"""Somebody took a boost back: it is told no more, and a persona's Undo goes where its Announce went."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.effects.post_boosted import story, targets
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_announce import announce, undo_announce
from privapub.notifications import notify
from privapub.posts.facts import BoostWithdrawn
from privapub.posts.read import by_id as post_by_id


async def boost_withdrawn(tx: Transaction, fact: BoostWithdrawn, addresses: Addresses, now: float) -> None:
    """What is undone is told whole, with the id that its Announce had. The timelines here lost it with its row."""
    post = await post_by_id(tx, fact.post_id)
    if post is None:
        return
    await notify.boost_gone(tx, post, fact.actor_id)
    booster, author = await known(tx, fact.actor_id), await known(tx, post.author_id)
    if not booster.local:
        return
    announced = announce(fact.uri, booster, post.uri, author.uri, fact.audience, fact.boosted_at)
    await deliver(
        tx,
        booster.id,
        undo_announce(addresses.activity(identifiers.token()), announced),
        await targets(tx, booster.id, author.id),
        about=story(booster.uri, post.uri),
        part="last",
        now=now,
    )
