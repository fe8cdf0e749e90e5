"""Likes, and reactions with an emoji: a state between somebody and a post, not a history of messages.

    (none) --react, receive--> there --withdraw, undo--> (none)

A plain like has the emoji "". Every verb may come twice and in any order.
"""

from typing import Any

from sqlalchemy import delete, false, func, select

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput
from privapub.jobs.enqueue import put_fact
from privapub.markup.reactions import emoji_in, is_short_name
from privapub.posts import audience as audiences
from privapub.posts import reaction_read, read, text_index
from privapub.posts.facts import ReactionAdded, ReactionWithdrawn
from privapub.posts.reaction_read import Reaction
from privapub.posts.tables import reaction

MOST = 20  # emojis of one actor at one post


async def react(tx: Transaction, actor_id: int, post_id: int, emoji: str, uri: str, now: float) -> bool:
    """A persona likes a post (`emoji` "") or reacts to it; fact ReactionAdded. False where it does so already.

    `uri` is a fresh id for the activity. Raises NotFound where the persona may see no such post, InvalidInput for what
    is no emoji and for a `:name:` that nobody has reacted with there (its picture would not be known), Conflict for
    one emoji too many.
    """
    await audiences.seen(tx, post_id, actor_id)
    meant = emoji_in(emoji)
    if meant is None:
        raise InvalidInput(f"“{emoji[:40]}” is no emoji.", "One emoji, or the `:name:` of one that the post has.")
    picture = None
    if is_short_name(meant):
        picture = await reaction_read.picture_of(tx, post_id, meant)
        if picture is None:
            raise InvalidInput(
                f"Nobody has reacted to this post with {meant}.", "Take one emoji, or a `:name:` that the post has."
            )
    if await _too_many(tx, actor_id, post_id, meant):
        raise Conflict(f"One may react to a post with {MOST} emojis, and not with more.")
    insert = _insert(tx, actor_id, post_id, meant, picture, uri, now)
    added = await tx.scalar(insert.on_conflict_do_nothing(index_elements=_KEY).returning(reaction.c.id))
    if added is None:
        return False
    await text_index.keep(tx, post_id)
    await put_fact(tx, ReactionAdded(added), about=_pair(actor_id, post_id))
    return True


async def withdraw(tx: Transaction, actor_id: int, post_id: int, emoji: str, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona takes a like or a reaction back; fact ReactionWithdrawn. False where there is none."""
    gone = await _end(tx, reaction.c.actor_id == actor_id, reaction.c.post_id == post_id, _named(emoji))
    if gone is not None:
        await _tell_gone(tx, gone)
    return gone is not None


async def receive(
    tx: Transaction, actor_id: int, post_id: int, emoji: str, picture: str | None, uri: str, now: float
) -> bool:
    """Somebody elsewhere likes a post, or reacts to it with an emoji (as of `emoji_in`), by the activity `uri`.

    Who does so already is held by the new id from now on. Fact ReactionAdded where it is new and the post is ours.
    False where it is one emoji too many, or the post was deleted meanwhile. Whether they may see the post is for the
    caller to have asked.
    """
    post = await read.held(tx, post_id)
    if post is None or post.deleted_at is not None or await _too_many(tx, actor_id, post_id, emoji):
        return False
    insert = _insert(tx, actor_id, post_id, emoji, picture, uri, now)
    row = await tx.first(
        insert.on_conflict_do_update(
            index_elements=_KEY, set_={"uri": insert.excluded.uri, "picture": insert.excluded.picture}
        ).returning(reaction.c.id, reaction.c.created_at)
    )
    if row is not None and row.created_at == now and post.local:
        await put_fact(tx, ReactionAdded(row.id), about=_pair(actor_id, post_id))
    return True


async def undo(tx: Transaction, actor_id: int, *, uri: str | None, post_id: int | None = None, emoji: str = "") -> bool:
    """Somebody elsewhere takes it back, named by the id of the activity, else by the post and the emoji.

    Fact ReactionWithdrawn where the post is ours. False where there is nothing of theirs to take back.
    """
    mine = reaction.c.actor_id == actor_id
    gone = await _end(tx, mine, reaction.c.uri == uri) if uri else None
    if gone is None and post_id is not None:
        gone = await _end(tx, mine, reaction.c.post_id == post_id, _named(emoji))
    if gone is not None and await _is_ours(tx, gone.post_id):
        await _tell_gone(tx, gone)
    return gone is not None


_KEY = (reaction.c.post_id, reaction.c.actor_id, reaction.c.emoji)


def _insert(tx: Transaction, actor_id: int, post_id: int, emoji: str, picture: str | None, uri: str, now: float) -> Any:
    return tx.insert(reaction).values(
        id=identifiers.sortable(now),
        post_id=post_id,
        actor_id=actor_id,
        emoji=emoji,
        picture=picture,
        uri=uri,
        created_at=now,
    )


def _named(emoji: str) -> Any:
    # What is no emoji names none: it is not taken for a plain like.
    meant = emoji_in(emoji)
    return false() if meant is None else reaction.c.emoji == meant


async def _too_many(tx: Transaction, actor_id: int, post_id: int, emoji: str) -> bool:
    others = select(func.count()).where(
        reaction.c.post_id == post_id, reaction.c.actor_id == actor_id, reaction.c.emoji != emoji
    )
    return int(await tx.scalar(others)) >= MOST


async def _tell_gone(tx: Transaction, gone: Reaction) -> None:
    told = ReactionWithdrawn(gone.actor_id, gone.post_id, gone.emoji, gone.picture, gone.uri)
    await put_fact(tx, told, about=_pair(gone.actor_id, gone.post_id))


async def _is_ours(tx: Transaction, post_id: int) -> bool:
    post = await read.by_id(tx, post_id)
    return post is not None and post.local


async def _end(tx: Transaction, *which: Any) -> Reaction | None:
    row = await tx.first(delete(reaction).where(*which).returning(*reaction.c))
    return None if row is None else reaction_read.from_row(row)


def _pair(actor_id: int, post_id: int) -> str:
    return f"reaction {actor_id} {post_id}"
