"""Putting a post, or the boost that brings it, into the home timelines of those who receive it here.

An entry is put for whoever follows; whether it is shown (an answer to strangers, a mute) is decided when it is read, so
that nothing depends on the order in which things came.
"""

from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    bindparam,
    cast,
    delete,
    exists,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.sql import Select

from privapub.actors import blocks
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction, insert_into
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.audience import Recipients
from privapub.posts.read import PUBLIC, Post
from privapub.posts.tables import boost, post_tag
from privapub.posts.tables import post as posts
from privapub.timelines.tables import followed_tag, timeline_entry

# Within this much of the numbers of entries (`identifiers.sortable`: milliseconds, 20 bits) a post is boosted once.
DAY = 86_400_000 << 20
_COLUMNS = ["persona_id", "entry_id", "post_id", "boost_id"]


async def fill(tx: Transaction, post: Post, now: float, to: Recipients | None = None) -> int:  # noqa: ARG001 - as all verbs
    """The post stands in the timelines of its recipients here, of its author and of who follows a hashtag of it.

    Twice is as good as once.

    `to`: its recipients, where they have just been asked for. Returns how many timelines it is new in. A deleted post
    goes nowhere.
    """
    if post.deleted_at is not None:
        return 0
    if to is None:
        to = await audience.recipients(tx, post)
    who = {"readers": [post.author_id, *to.actor_ids]} | ({"author": post.author_id} if to.followers else {})
    new = await tx.change(_entries(tx.dialect, followers=to.followers), post=post.id, **who)
    return new + (await tx.change(_tagged(tx.dialect), post=post.id, author=post.author_id) if _is_tagged(post) else 0)


async def fill_boost(tx: Transaction, boost_id: int, now: float) -> int:  # noqa: ARG001 - as all verbs
    """The boosted post stands in the timelines of the booster's followers here, and in its own if it is ours.

    Not where it came within a day, by itself or with another boost; nor where the reader may not see it. Returns how
    many timelines it is new in.
    """
    found = await tx.first(
        select(boost.c.actor_id, posts).join(posts, posts.c.id == boost.c.post_id).where(boost.c.id == boost_id)
    )
    if found is None or found.deleted_at is not None:
        return 0
    await tx.alone(f"boosts {found.id}")  # two boosts of one post may be handled at once
    brought = literal(boost_id), literal(found.id), literal(boost_id)
    to_followers = _new_to(_followers(found.actor_id, brought), follow.c.follower_id, found, boost_id)
    own = select(actor.c.id, *brought).where(actor.c.id == found.actor_id, actor.c.local)
    return await _add(tx, to_followers) + await _add(tx, _new_to(own, actor.c.id, found, boost_id))


async def forget(tx: Transaction, post_id: int) -> int:
    """Take a post (one that was deleted) out of every timeline; returns of how many."""
    forgotten = await tx.execute(delete(timeline_entry).where(timeline_entry.c.post_id == post_id))
    return forgotten.rowcount


def _followers(followed_id: Any, entry: tuple[Any, ...]) -> Select[Any]:
    """This entry for each follower that is ours."""
    return (
        select(follow.c.follower_id, *entry)
        .join(actor, actor.c.id == follow.c.follower_id)
        .where(
            follow.c.followed_id == followed_id,
            follow.c.state == ACCEPTED,
            actor.c.local,
            ~blocks.between(follow.c.followed_id, follow.c.follower_id),
        )
    )


def _new_to(readers: Select[Any], reader: ColumnElement[int], boosted: Any, boost_id: int) -> Select[Any]:
    """Those of the readers to whom the post did not come within a day; an answer that did may have been passed over."""
    shown = timeline_entry.alias()
    came = exists().where(
        shown.c.post_id == boosted.id,
        shown.c.persona_id == reader,
        shown.c.entry_id.between(boost_id - DAY, boost_id + DAY),
    )
    if boosted.in_reply_to is not None:
        came = came.where(shown.c.boost_id.is_not(None))
    return readers.where(~came.correlate_except(shown), ~blocks.between(boosted.author_id, reader))


@cache
def _entries(dialect: str, *, followers: bool) -> Executable:
    """An entry for each of the `readers` that is ours; with `followers`, for those of the `author` too."""
    number = bindparam("post", type_=BigInteger)
    entry = number, number, cast(null(), BigInteger)
    readers = bindparam("readers", type_=BigInteger, expanding=True)
    named = select(actor.c.id, *entry).where(actor.c.id.in_(readers), actor.c.local)
    if not followers:
        return _adding(dialect, named)
    return _adding(dialect, union_all(named, _followers(bindparam("author", type_=BigInteger), entry)))


def _is_tagged(post: Post) -> bool:
    return post.audience == PUBLIC and any(tag.get("type") == "Hashtag" for tag in post.tags)


@cache
def _tagged(dialect: str) -> Executable:
    """An entry for each who follows one of its hashtags, where no block parts them from its author."""
    number, author = bindparam("post", type_=BigInteger), bindparam("author", type_=BigInteger)
    entry = number, number, cast(null(), BigInteger)
    who = (
        select(followed_tag.c.persona_id, *entry)
        .join(post_tag, post_tag.c.tag == followed_tag.c.tag)
        .where(post_tag.c.post_id == number, ~blocks.between(author, followed_tag.c.persona_id))
    )
    return _adding(dialect, who)


async def _add(tx: Transaction, who: Select[Any]) -> int:
    added = await tx.execute(_adding(tx.dialect, who))
    return added.rowcount


def _adding(dialect: str, who: Any) -> Executable:
    insert = insert_into(timeline_entry, dialect).from_select(_COLUMNS, who)
    adding: Executable = insert.on_conflict_do_nothing(
        index_elements=[timeline_entry.c.persona_id, timeline_entry.c.entry_id]
    )
    return adding
