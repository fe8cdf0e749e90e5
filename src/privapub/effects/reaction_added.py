"""Somebody likes a post or reacted to it: its author is told, and a persona's Like goes to the author's own inbox."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_reaction import like
from privapub.notifications import notify
from privapub.posts.facts import ReactionAdded
from privapub.posts.reaction_read import by_id as reaction_by_id
from privapub.posts.read import by_id as post_by_id


async def reaction_added(tx: Transaction, fact: ReactionAdded, _addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile."""
    reaction = await reaction_by_id(tx, fact.reaction_id)
    post = None if reaction is None else await post_by_id(tx, reaction.post_id)
    if reaction is None or post is None or post.deleted_at is not None:
        return
    actor = await known(tx, reaction.actor_id)
    author = await known(tx, post.author_id)
    await notify.of_reaction(tx, post, actor.id, reaction.emoji, now)
    if not actor.local:
        return
    await deliver(
        tx,
        actor.id,
        like(reaction.uri, actor.uri, post.uri, author.uri, reaction.emoji, reaction.picture),
        await inboxes.of_actors(tx, [author.id], shared=False),
        about=story(actor.uri, post.uri, reaction.emoji),
        part="first",
        now=now,
    )


def story(actor: str, post: str, emoji: str) -> str:
    """What a Like and its Undo are about (pure)."""
    return f"{actor} likes {post} {emoji}".rstrip()
