"""Putting a post into the home timelines of those who receive it here."""

from sqlalchemy import delete, literal, select
from sqlalchemy.sql import Select

from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.read import Post
from privapub.posts.tables import boost
from privapub.posts.tables import post as post_table
from privapub.timelines.tables import timeline_entry


async def fill(tx: Transaction, post: Post, now: float) -> int:  # noqa: ARG001 - as all verbs
    """The post stands in the timelines of its recipients here and of its author; twice is as good as once.

    Returns how many timelines it is new in. A deleted post goes nowhere.
    """
    if post.deleted_at is not None:
        return 0
    to = await audience.recipients(tx, post)
    new = await _add(
        tx,
        select(actor.c.id, literal(post.id), literal(post.id)).where(
            actor.c.id.in_([post.author_id, *to.actor_ids]), actor.c.local
        ),
    )
    if to.followers:
        followers = select(follow.c.follower_id, literal(post.id), literal(post.id)).join(
            actor, actor.c.id == follow.c.follower_id
        )
        new += await _add(
            tx, followers.where(follow.c.followed_id == post.author_id, follow.c.state == ACCEPTED, actor.c.local)
        )
    return new


async def forget(tx: Transaction, post_id: int) -> int:
    """Take a post (one that was deleted) out of every timeline; returns of how many."""
    forgotten = await tx.execute(delete(timeline_entry).where(timeline_entry.c.post_id == post_id))
    return forgotten.rowcount


async def _add(tx: Transaction, who: Select[tuple[int, int, int]]) -> int:
    added = await tx.execute(
        tx.insert(timeline_entry)
        .from_select(["persona_id", "entry_id", "post_id"], who)
        .on_conflict_do_nothing(index_elements=[timeline_entry.c.persona_id, timeline_entry.c.entry_id])
    )
    return added.rowcount


async def fill_boost(tx: Transaction, boost_id: int, now: float) -> int:  # noqa: ARG001 - as all verbs
    """A boost stands in the timelines of whoever boosted and of their followers here; twice is as good as once.

    Returns how many timelines it is new in. One that was taken back, or of a deleted post, goes nowhere.
    """
    which = select(boost.c.actor_id, boost.c.post_id).join(post_table, post_table.c.id == boost.c.post_id)
    found = await tx.first(which.where(boost.c.id == boost_id, post_table.c.deleted_at.is_(None)))
    if found is None:
        return 0
    entry = (literal(boost_id), literal(found.post_id), literal(boost_id))
    followers = (
        select(follow.c.follower_id, *entry)
        .join(actor, actor.c.id == follow.c.follower_id)
        .where(follow.c.followed_id == found.actor_id, follow.c.state == ACCEPTED, actor.c.local)
    )
    booster = select(actor.c.id, *entry).where(actor.c.id == found.actor_id, actor.c.local)
    new = 0
    for who in (booster, followers):
        added = await tx.execute(
            tx.insert(timeline_entry)
            .from_select(["persona_id", "entry_id", "post_id", "boost_id"], who)
            .on_conflict_do_nothing(index_elements=[timeline_entry.c.persona_id, timeline_entry.c.entry_id])
        )
        new += added.rowcount
    return new
