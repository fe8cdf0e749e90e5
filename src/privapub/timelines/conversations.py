"""Conversations: the direct posts of a persona, those that answer each other together.

Each persona has its own: what one reads, forgets or answers changes nothing for the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, delete, exists, func, select, update

from privapub import identifiers
from privapub.actors import blocks
from privapub.actors.tables import actor
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.posts import audience, read
from privapub.posts.audience import Recipients
from privapub.posts.read import DIRECT, Post
from privapub.posts.tables import post as posts
from privapub.stream import events
from privapub.timelines.tables import conversation_post

_LOCAL = select(actor.c.id).where(actor.c.id.in_(bindparam("ids", expanding=True)), actor.c.local)


@dataclass(frozen=True)
class Conversation:
    """`last` is its newest post that the persona may see; `actor_ids` are who else is in it."""

    id: int
    last: Post
    actor_ids: tuple[int, ...]
    unread: bool


async def keep(tx: Transaction, post: Post, to: Recipients, now: float) -> None:
    """A direct post belongs to a conversation of its author and of each whom it names, as far as they are ours.

    To that of the post that it answers, else to a new one. Twice is as good as once.
    """
    if post.audience != DIRECT or post.deleted_at is not None:
        return
    ours = [row.id for row in await tx.all(_LOCAL, ids=sorted({post.author_id, *to.actor_ids}))]
    known = await _of_post(tx, post.in_reply_to_id) if post.in_reply_to_id is not None else {}
    for persona_id in ours:
        number = known.get(persona_id) or identifiers.sortable(now)
        new = tx.insert(conversation_post).values(
            persona_id=persona_id, post_id=post.id, conversation_id=number, unread=persona_id != post.author_id
        )
        if (await tx.execute(new.on_conflict_do_nothing())).rowcount:
            await events.say(tx, events.CONVERSATION, number, persona_id)


async def of(tx: Transaction, persona_id: int, window: Window) -> Page[Conversation]:
    """The conversations of a persona; the one with the newest post first. Its numbers are those of the newest posts."""
    statement = _newest(persona_id)

    async def look(part: Window) -> list[tuple[int, Conversation | None]]:
        rows = await tx.all(part.of(statement, conversation_post.c.post_id))
        shown = await _shown(tx, persona_id, rows)
        return [(row.post_id, shown.get(row.conversation_id)) for row in rows]

    return await gather(window, look)


async def one(tx: Transaction, persona_id: int, conversation_id: int) -> Conversation:
    """A conversation of this persona; NotFound."""
    rows = await tx.all(_newest(persona_id).where(conversation_post.c.conversation_id == conversation_id))
    shown = await _shown(tx, persona_id, rows)
    if conversation_id not in shown:
        raise NotFound
    return shown[conversation_id]


async def mark(tx: Transaction, persona_id: int, conversation_id: int, *, unread: bool) -> None:
    """It is read, or (its newest post) unread again. NotFound where there is none of this persona."""
    which = _which(persona_id, conversation_id)
    last = await tx.scalar(select(func.max(conversation_post.c.post_id)).where(*which))
    if last is None:
        raise NotFound
    changed = update(conversation_post).where(*which)
    if unread:
        changed = changed.where(conversation_post.c.post_id == last)
    await tx.execute(changed.values(unread=unread))


async def forget(tx: Transaction, persona_id: int, conversation_id: int) -> None:
    """The persona does not want to see it any more: an answer begins another. NotFound where there is none."""
    if not (await tx.execute(delete(conversation_post).where(*_which(persona_id, conversation_id)))).rowcount:
        raise NotFound


def _which(persona_id: int, conversation_id: int) -> tuple[ColumnElement[bool], ...]:
    return conversation_post.c.persona_id == persona_id, conversation_post.c.conversation_id == conversation_id


async def _of_post(tx: Transaction, post_id: int) -> Mapping[int, int]:
    rows = await tx.all(
        select(conversation_post.c.persona_id, conversation_post.c.conversation_id).where(
            conversation_post.c.post_id == post_id
        )
    )
    return {row.persona_id: row.conversation_id for row in rows}


def _newest(persona_id: int) -> Select[Any]:
    """The newest post of each conversation that the persona may see."""
    newer, theirs, any_of = conversation_post.alias(), posts.alias(), conversation_post.alias()
    this = conversation_post.c
    later = (
        exists()
        .where(
            newer.c.persona_id == persona_id,
            newer.c.conversation_id == this.conversation_id,
            newer.c.post_id > this.post_id,
            theirs.c.id == newer.c.post_id,
            audience.visible(persona_id, theirs),
        )
        .correlate(conversation_post)
    )
    unread = exists().where(
        any_of.c.persona_id == persona_id, any_of.c.conversation_id == this.conversation_id, any_of.c.unread
    )
    return (
        select(this.conversation_id, this.post_id, unread.correlate(conversation_post).label("unread"))
        .join(posts, posts.c.id == this.post_id)
        .where(this.persona_id == bindparam("me", persona_id, type_=BigInteger), audience.visible(persona_id), ~later)
    )


async def _shown(tx: Transaction, persona_id: int, rows: Any) -> dict[int, Conversation]:
    found = await read.by_ids(tx, {row.post_id for row in rows})
    visible = {each.id: each for each in await audience.visible_to(tx, list(found.values()), persona_id)}
    named = await read.recipient_ids(tx, list(visible))

    def who(post: Post) -> tuple[int, ...]:
        return tuple(each for each in dict.fromkeys((post.author_id, *named[post.id])) if each != persona_id)

    people = {number: who(post) for number, post in visible.items()}
    blocked = await blocks.either_way(tx, persona_id, {each for some in people.values() for each in some})
    return {
        row.conversation_id: Conversation(
            row.conversation_id, visible[row.post_id], people[row.post_id], bool(row.unread)
        )
        for row in rows
        # With nobody left in it but those whom a block parts from the persona, it is over.
        if row.post_id in visible and not (people[row.post_id] and set(people[row.post_id]) <= blocked)
    }
