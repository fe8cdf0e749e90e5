"""Reading what a persona follows: its home timeline, and the lists that it made of it.

What stands there was put when it came (`fill`); what of it is shown is asked again each time, of the follows, blocks,
mutes and filters as they are now.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select

from privapub.actors import blocks, mutes
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.read import from_row
from privapub.posts.tables import boost, post, post_recipient
from privapub.timelines import filters, lists
from privapub.timelines.entry import Entry
from privapub.timelines.matching import HIDE, HOME, Filter
from privapub.timelines.tables import list_member, people_list, timeline_entry

_answered = post.alias("answered")
# Who brought it: the booster, else the author.
_brought_by = func.coalesce(boost.c.actor_id, post.c.author_id)


async def home(tx: Transaction, persona_id: int, window: Window, now: float) -> Page[Entry]:
    """What those whom it follows wrote and boosted, what it wrote itself, and what names it; newest first.

    An answer only where the persona follows the answered author too, or is named or answered by it, or it is an answer
    to oneself. Nothing of whom it mutes, of a block either way, and of people on its exclusive lists; nothing that a
    filter hides. What came while it followed somebody is not shown after.
    """
    statement = _entries(persona_id, now).where(
        or_(
            _brought_by == persona_id,
            _follows(persona_id, _brought_by),
            and_(timeline_entry.c.boost_id.is_(None), _named(persona_id)),
        ),
        or_(
            *_no_strangers(),
            post.c.author_id == persona_id,
            _named(persona_id),
            _answered.c.author_id == persona_id,
            _follows(persona_id, _answered.c.author_id),
        ),
        ~exists().where(
            list_member.c.actor_id == _brought_by,
            people_list.c.id == list_member.c.list_id,
            people_list.c.persona_id == persona_id,
            people_list.c.exclusive,
        ),
    )
    return await _read(tx, statement, persona_id, window, now)


async def of_list(tx: Transaction, persona_id: int, list_id: int, window: Window, now: float) -> Page[Entry]:
    """What the people on a list wrote and boosted, newest first; answers as the list says.

    Raises NotFound for no list of this persona.
    """
    which = await lists.by_id(tx, persona_id, list_id)
    shown = [*_no_strangers()]
    if which.replies == lists.LIST:
        shown += [_on_list(list_id, _answered.c.author_id), _answered.c.author_id == persona_id]
    elif which.replies == lists.FOLLOWED:
        shown += [_follows(persona_id, _answered.c.author_id), _answered.c.author_id == persona_id]
    statement = _entries(persona_id, now).where(
        _on_list(list_id, _brought_by),
        or_(_brought_by == persona_id, _follows(persona_id, _brought_by)),
        or_(*shown),
    )
    return await _read(tx, statement, persona_id, window, now)


def _entries(persona_id: int, now: float) -> Select[Any]:
    """All entries, with what `audience` asks of each; but those that the persona does not want to see."""
    return (
        select(
            post,
            timeline_entry.c.entry_id,
            timeline_entry.c.boost_id,
            boost.c.actor_id.label("booster_id"),
            _follows(persona_id, post.c.author_id).label("follows"),
            _named(persona_id).label("named"),
            blocks.between(persona_id, post.c.author_id).label("blocked"),
        )
        .join(timeline_entry, timeline_entry.c.post_id == post.c.id)
        .outerjoin(boost, boost.c.id == timeline_entry.c.boost_id)
        .outerjoin(_answered, _answered.c.id == post.c.in_reply_to_id)
        .where(
            timeline_entry.c.persona_id == persona_id,
            post.c.deleted_at.is_(None),
            ~mutes.muted(persona_id, post.c.author_id, now),
            or_(
                boost.c.id.is_(None),
                and_(~mutes.muted(persona_id, boost.c.actor_id, now), ~blocks.between(persona_id, boost.c.actor_id)),
            ),
        )
    )


async def _read(tx: Transaction, statement: Select[Any], persona_id: int, window: Window, now: float) -> Page[Entry]:
    wanted = await filters.in_force(tx, persona_id, HOME, now)

    async def look(part: Window) -> list[tuple[int, Entry | None]]:
        rows = await tx.all(part.of(statement, timeline_entry.c.entry_id))
        return [(row.entry_id, _entry(row, persona_id, wanted)) for row in rows]

    return await gather(window, look)


def _entry(row: Any, persona_id: int, wanted: list[Filter]) -> Entry | None:
    found = from_row(row)
    if not audience.may_see(
        found, persona_id, follows=bool(row.follows), named=bool(row.named), blocked=bool(row.blocked)
    ):
        return None
    matches = filters.about(wanted, found, persona_id)
    if any(match.filter.action == HIDE for match in matches):
        return None
    return Entry(row.entry_id, found, row.boost_id, row.booster_id, matches)


def _follows(persona_id: int, who: Any) -> ColumnElement[bool]:
    this = follow.alias()
    return (
        exists()
        .where(this.c.follower_id == persona_id, this.c.followed_id == who, this.c.state == ACCEPTED)
        .correlate_except(this)
    )


def _named(persona_id: int) -> ColumnElement[bool]:
    this = post_recipient.alias()
    return exists().where(this.c.post_id == post.c.id, this.c.actor_id == persona_id).correlate_except(this)


def _on_list(list_id: int, who: Any) -> ColumnElement[bool]:
    this = list_member.alias()
    return exists().where(this.c.list_id == list_id, this.c.actor_id == who).correlate_except(this)


def _no_strangers() -> tuple[ColumnElement[bool], ...]:
    """What is no answer to somebody else: a boost, a post by itself, an answer to oneself."""
    return (
        timeline_entry.c.boost_id.is_not(None),
        post.c.in_reply_to.is_(None),
        _answered.c.author_id == post.c.author_id,
    )
