"""Reading the timelines that are nobody's own: what is public here or everywhere, under a tag; and what names one.

A reader who signed in does not find there whom a block parts from it, whom it mutes, and what its filters hide.
"""

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, ScalarSelect, Select, exists, func, or_, select

from privapub.actors import mutes
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.link_previews.tables import post_link
from privapub.posts import audience, read
from privapub.posts.tables import post, post_recipient, post_tag
from privapub.timelines import filters
from privapub.timelines.entry import Entry
from privapub.timelines.matching import HIDE, NOTIFICATIONS, PUBLIC

Where = Literal["local", "remote", "all"]
_answered = post.alias("answered")


async def public(
    tx: Transaction,
    reader_id: int | None,
    window: Window,
    now: float,
    *,
    where: Where = "all",
    only_media: bool = False,
) -> Page[Entry]:
    """What is public and answers nobody else, written here, elsewhere or anywhere; newest first.

    With `only_media`, what has files. `reader_id` None is somebody who did not sign in.
    """
    statement = (
        select(post)
        .outerjoin(_answered, _answered.c.id == post.c.in_reply_to_id)
        .where(
            post.c.audience == read.PUBLIC,
            or_(post.c.in_reply_to.is_(None), _answered.c.author_id == post.c.author_id),
        )
    )
    statement = _of(statement, where, only_media=only_media)
    return await _read(tx, _wanted(statement, reader_id, now), post.c.id, reader_id, PUBLIC, window, now)


async def tagged(
    tx: Transaction,
    tags: str | Sequence[str],
    reader_id: int | None,
    window: Window,
    now: float,
    *,
    where: Where = "all",
    also: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
    only_media: bool = False,
) -> Page[Entry]:
    """What is public and has this tag (its key: `markup.hashtags.tag_key`), or one of several, newest first.

    `also`: tags that it has too, all of them; `never`: that it has none of. With `only_media`, what has files.
    """
    some = [tags] if isinstance(tags, str) else sorted(set(tags))
    # With several tags a post may be found by more than one of them: it is shown once.
    by = post_tag.c.tag == some[0] if len(some) == 1 else post_tag.c.tag == _first_of(some)
    statement = (
        select(post)
        .join(post_tag, post_tag.c.post_id == post.c.id)
        .where(
            by,
            post.c.audience == read.PUBLIC,
            *(_has(other) for other in also),
            *(~_has(other) for other in never),
        )
    )
    statement = _of(statement, where, only_media=only_media)
    return await _read(tx, _wanted(statement, reader_id, now), post_tag.c.post_id, reader_id, PUBLIC, window, now)


async def leading_to(tx: Transaction, url: str, reader_id: int | None, window: Window, now: float) -> Page[Entry]:
    """What is public and leads to this page, newest first."""
    statement = (
        select(post)
        .join(post_link, post_link.c.post_id == post.c.id)
        .where(post_link.c.url == url, post.c.audience == read.PUBLIC)
    )
    return await _read(tx, _wanted(statement, reader_id, now), post_link.c.post_id, reader_id, PUBLIC, window, now)


async def mentions(
    tx: Transaction, persona_id: int, window: Window, now: float, *, direct: bool = False
) -> Page[Entry]:
    """What names this persona, newest first; with `direct`, only what is for those who are named."""
    statement = (
        select(post)
        .join(post_recipient, post_recipient.c.post_id == post.c.id)
        .where(post_recipient.c.actor_id == persona_id)
    )
    if direct:
        statement = statement.where(post.c.audience == read.DIRECT)
    wanted = _wanted(statement, persona_id, now)
    return await _read(tx, wanted, post_recipient.c.post_id, persona_id, NOTIFICATIONS, window, now)


def _wanted(statement: Select[Any], reader_id: int | None, now: float) -> Select[Any]:
    statement = statement.where(post.c.deleted_at.is_(None), ~audience.passed_over(reader_id, post.c.author_id))
    return statement if reader_id is None else statement.where(~mutes.muted(reader_id, post.c.author_id, now))


def _of(statement: Select[Any], where: Where, *, only_media: bool) -> Select[Any]:
    if where != "all":
        statement = statement.where(post.c.local if where == "local" else ~post.c.local)
    return statement.where(func.json_array_length(post.c.attachments) > 0) if only_media else statement


def _first_of(tags: Sequence[str]) -> ScalarSelect[Any]:
    this = post_tag.alias()
    of_it = this.c.post_id == post.c.id, this.c.tag.in_(tags)
    return select(func.min(this.c.tag)).where(*of_it).correlate_except(this).scalar_subquery()


def _has(tag: str) -> ColumnElement[bool]:
    this = post_tag.alias()
    return exists().where(this.c.post_id == post.c.id, this.c.tag == tag).correlate_except(this)


async def _read(
    tx: Transaction,
    statement: Select[Any],
    key: ColumnElement[int],
    reader_id: int | None,
    place: str,
    window: Window,
    now: float,
) -> Page[Entry]:
    wanted = [] if reader_id is None else await filters.in_force(tx, reader_id, place, now)

    async def look(part: Window) -> list[tuple[int, Entry | None]]:
        posts = await read.with_polls(tx, [read.from_row(row) for row in await tx.all(part.of(statement, key))])
        shown = {one.id for one in await audience.visible_to(tx, posts, reader_id)}
        found: list[tuple[int, Entry | None]] = []
        for one in posts:
            matches = () if reader_id is None else filters.about(wanted, one, reader_id)
            hidden = one.id not in shown or any(match.filter.action == HIDE for match in matches)
            found.append((one.id, None if hidden else Entry(one.id, one, matches=matches)))
        return found

    return await gather(window, look)
