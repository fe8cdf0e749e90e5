"""Looking up likes and reactions. Who may see the post may see these: whoever shows them asks `audience`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, select

from privapub.actors.standing import is_blocked
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.posts.read import Post, with_polls
from privapub.posts.read import from_row as post_from_row
from privapub.posts.tables import post, reaction


@dataclass(frozen=True)
class Reaction:
    """One row of `reaction`: see the table. The emoji of a plain like is ""."""

    id: int
    post_id: int
    actor_id: int
    emoji: str
    picture: str | None
    uri: str
    created_at: float


_SHOWN = ~is_blocked(reaction.c.actor_id)  # nothing is shown of blocked servers


def from_row(row: Any) -> Reaction:
    """A Reaction from a row of every column of the table."""
    return Reaction(*row)


async def by_id(tx: Transaction, reaction_id: int) -> Reaction | None:
    """The reaction with this number."""
    row = await tx.first(select(reaction).where(reaction.c.id == reaction_id))
    return None if row is None else from_row(row)


async def between(tx: Transaction, actor_id: int, post_id: int) -> list[Reaction]:
    """All that somebody reacted with to a post, the oldest first."""
    mine = select(reaction).where(reaction.c.post_id == post_id, reaction.c.actor_id == actor_id)
    return [from_row(row) for row in await tx.all(mine.order_by(reaction.c.id))]


async def of_post(
    tx: Transaction, post_id: int, *, emoji: str | None = None, before: int | None = None, limit: int = 40
) -> list[Reaction]:
    """What a post got, newest first: everything, or what has this emoji ("" for plain likes).

    `before` is the number of the last one that was shown.
    """
    statement = select(reaction).where(reaction.c.post_id == post_id, _SHOWN)
    if emoji is not None:
        statement = statement.where(reaction.c.emoji == emoji)
    if before is not None:
        statement = statement.where(reaction.c.id < before)
    return [from_row(row) for row in await tx.all(statement.order_by(reaction.c.id.desc()).limit(limit))]


async def counts(tx: Transaction, post_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How often each of these posts got each emoji ("" for plain likes), in one question."""
    found: dict[int, dict[str, int]] = {post_id: {} for post_id in post_ids}
    if found:
        counted = select(reaction.c.post_id, reaction.c.emoji, func.count().label("times"))
        which = counted.where(reaction.c.post_id.in_(sorted(found)), _SHOWN)
        which = which.group_by(reaction.c.post_id, reaction.c.emoji)
        for row in await tx.all(which.order_by(func.min(reaction.c.id))):
            found[row.post_id][row.emoji] = row.times
    return found


async def likers(tx: Transaction, post_id: int, window: Window) -> Page[int]:
    """Who likes a post, by number, the last who did first; the cursor is that of the like."""
    which = select(reaction).where(reaction.c.post_id == post_id, reaction.c.emoji == "", _SHOWN)
    page = page_of(window, await tx.all(window.of(which, reaction.c.id)), lambda row: int(row.id))
    return Page(tuple(row.actor_id for row in page.items), page.older, page.newer)


async def liked(tx: Transaction, actor_id: int, window: Window, visible: ColumnElement[bool]) -> Page[Post]:
    """What somebody likes, of the posts for which `visible` holds, the last that they liked first.

    The cursor is that of the like. Whoever shows them asks `audience`.
    """
    which = (
        select(post, reaction.c.id.label("reaction_id"))
        .join(reaction, reaction.c.post_id == post.c.id)
        .where(reaction.c.actor_id == actor_id, reaction.c.emoji == "", visible)
    )
    page = page_of(window, await tx.all(window.of(which, reaction.c.id)), lambda row: int(row.reaction_id))
    return Page(tuple(await with_polls(tx, [post_from_row(row) for row in page.items])), page.older, page.newer)


async def picture_of(tx: Transaction, post_id: int, emoji: str) -> str | None:
    """Where the picture of a `:name:` is, by the first who reacted to this post with it."""
    found: str | None = await tx.scalar(
        select(reaction.c.picture)
        .where(reaction.c.post_id == post_id, reaction.c.emoji == emoji, reaction.c.picture.is_not(None))
        .order_by(reaction.c.id)
        .limit(1)
    )
    return found
