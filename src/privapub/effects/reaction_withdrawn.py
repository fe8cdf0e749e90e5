"""Somebody took a like or a reaction back: it is told no more, and a persona's Undo goes where its Like went."""

from privapub import identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.effects.reaction_added import story
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_reaction import like, undo_like
from privapub.notifications import notify
from privapub.posts.facts import ReactionWithdrawn
from privapub.posts.read import by_id as post_by_id


async def reaction_withdrawn(tx: Transaction, fact: ReactionWithdrawn, addresses: Addresses, now: float) -> None:
    """What is undone is told whole, with the id that its Like had; of a deleted post too."""
    post = await post_by_id(tx, fact.post_id)
    if post is None:
        return
    await notify.reaction_gone(tx, post, fact.actor_id, fact.emoji)
    actor, author = await known(tx, fact.actor_id), await known(tx, post.author_id)
    if not actor.local:
        return
    liked = like(fact.uri, actor.uri, post.uri, author.uri, fact.emoji, fact.picture)
    await deliver(
        tx,
        actor.id,
        undo_like(addresses.activity(identifiers.token()), liked),
        await inboxes.of_actors(tx, [author.id], shared=False),
        about=story(actor.uri, post.uri, fact.emoji),
        part="last",
        now=now,
    )
