"""Reading what somebody wrote and boosted, in their profile."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, exists, func, or_, select

from privapub.actors import blocks
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.follows import read as follows
from privapub.posts import audience, pin
from privapub.posts.audience import OPEN
from privapub.posts.read import Post, from_row, with_polls
from privapub.posts.tables import boost, post, post_tag
from privapub.timelines import filters
from privapub.timelines.entry import Entry
from privapub.timelines.matching import ACCOUNT, HIDE

_answered = post.alias("answered")


async def of_author(
    tx: Transaction,
    author_id: int,
    reader_id: int | None,
    window: Window,
    now: float,
    *,
    media: bool = False,
    replies: bool = True,
    boosts: bool = True,
    tag: str = "",
) -> Page[Entry]:
    """What an author wrote and boosted, as far as this reader (None: a stranger) may see it; newest first.

    `media`: only posts with some; without `replies`, answers to oneself alone; `tag`: only posts with this one (its
    key). Boosts have neither media nor tags of their own.
    """
    if reader_id is not None and await blocks.either_way(tx, reader_id, [author_id]):
        return Page()
    wrote = _wrote(author_id, reader_id, media=media, replies=replies, tag=tag)
    passed_on = None
    if boosts and not media and not tag:
        passed_on = _passed_on(author_id, reader_id, closed=await _is_close(tx, author_id, reader_id))
    wanted = [] if reader_id is None else await filters.in_force(tx, reader_id, ACCOUNT, now)

    async def look(part: Window) -> list[tuple[int, Entry | None]]:
        rows = [*await tx.all(part.of(wrote, post.c.id))]
        if passed_on is not None:
            rows += await tx.all(part.of(passed_on, boost.c.id))
            rows.sort(key=lambda row: int(row.entry_id), reverse=part.just_after is None)
            rows = rows[: part.limit]
        posts = await with_polls(tx, [from_row(row) for row in rows])
        seen = {each.id for each in await audience.visible_to(tx, posts, reader_id)}
        found: list[tuple[int, Entry | None]] = []
        for row, each in zip(rows, posts, strict=True):
            matches = () if reader_id is None else filters.about(wanted, each, reader_id)
            hidden = each.id not in seen or any(match.filter.action == HIDE for match in matches)
            shown = Entry(row.entry_id, each, row.boost_id, None if row.boost_id is None else author_id, matches)
            found.append((row.entry_id, None if hidden else shown))
        return found

    return await gather(window, look)


async def pinned(tx: Transaction, author_id: int, reader_id: int | None) -> Sequence[Post]:
    """What stands first in a profile, as far as this reader may see it."""
    return await audience.visible_to(tx, await pin.pinned(tx, author_id), reader_id)


def _wrote(author_id: int, reader_id: int | None, *, media: bool, replies: bool, tag: str) -> Select[Any]:
    statement = (
        select(post, post.c.id.label("entry_id"), func.nullif(0, 0).label("boost_id"))
        .outerjoin(_answered, _answered.c.id == post.c.in_reply_to_id)
        .where(post.c.author_id == author_id, audience.visible(reader_id))
    )
    if media:
        statement = statement.where(cast(post.c.attachments, Text) != "[]")
    if not replies:
        statement = statement.where(or_(post.c.in_reply_to.is_(None), _answered.c.author_id == author_id))
    if tag:
        this = post_tag.alias()
        has = exists().where(this.c.post_id == post.c.id, this.c.tag == tag)
        statement = statement.where(has.correlate_except(this))
    return statement


def _passed_on(author_id: int, reader_id: int | None, *, closed: bool) -> Select[Any]:
    """`closed`: boosts for followers alone, too."""
    open_to: list[ColumnElement[bool]] = [] if closed else [boost.c.audience.in_(sorted(OPEN))]
    return (
        select(post, boost.c.id.label("entry_id"), boost.c.id.label("boost_id"))
        .join(boost, boost.c.post_id == post.c.id)
        .where(boost.c.actor_id == author_id, audience.seen_by(reader_id), *open_to)
    )


async def _is_close(tx: Transaction, author_id: int, reader_id: int | None) -> bool:
    if reader_id is None or reader_id == author_id:
        return reader_id is not None
    return bool(await follows.followed_among(tx, reader_id, [author_id]))
