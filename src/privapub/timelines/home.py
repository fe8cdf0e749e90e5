"""Reading what a persona follows: its home timeline, and the lists that it made of it.

What stands there was put when it came (`fill`); what of it is shown is asked again each time, of the follows, blocks,
mutes and filters as they are now.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Double, Select, and_, bindparam, exists, func, literal, or_, select

from privapub.actors import blocks, mutes
from privapub.database.page import Page, Shape, Window, gather
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.boost_read import Boost
from privapub.posts.read import PUBLIC, Post, from_row, with_polls
from privapub.posts.tables import boost, post, post_recipient, post_tag
from privapub.timelines import filters, lists
from privapub.timelines.entry import Entry
from privapub.timelines.matching import HIDE, HOME, Filter
from privapub.timelines.tables import followed_tag, list_member, people_list, timeline_entry, word_filter

_answered = post.alias("answered")
_ME, _NOW = bindparam("persona", type_=BigInteger), bindparam("now", type_=Double)
_LIST = bindparam("list", type_=BigInteger)
# Who brought it: the booster, else the author.
_brought_by = func.coalesce(boost.c.actor_id, post.c.author_id)


async def home(tx: Transaction, persona_id: int, window: Window, now: float) -> Page[Entry]:
    """What those whom it follows wrote and boosted, what it wrote, what names it, and its hashtags; newest first.

    Of somebody whom it follows without boosts, or in some languages alone, no more than that. An answer only where the
    persona follows the answered author or a hashtag of it too, or is named or answered by it, or it is an answer to
    oneself. Nothing of whom it mutes, of a block either way, and of people on its exclusive lists; nothing that a
    filter hides. What came while it followed somebody or something is not shown after.
    """
    return await _read(tx, _home, {"persona": persona_id, "now": now}, window)


async def of_list(tx: Transaction, persona_id: int, list_id: int, window: Window, now: float) -> Page[Entry]:
    """What the people on a list wrote and boosted, newest first; answers as the list says.

    Raises NotFound for no list of this persona.
    """
    which = await lists.by_id(tx, persona_id, list_id)
    values = {"persona": persona_id, "now": now, "list": list_id}
    return await _read(tx, lambda shape: _of_list(shape, which.replies), values, window)


@cache
def _home(shape: Shape) -> Select[Any]:
    statement = _entries().where(
        or_(
            _brought_by == _ME,
            _brought(),
            and_(timeline_entry.c.boost_id.is_(None), or_(_named(), _tagged())),
        ),
        or_(
            *_to_no_stranger(),
            post.c.author_id == _ME,
            _named(),
            _answered.c.author_id == _ME,
            _follows(_answered.c.author_id),
            _tagged(),
        ),
        ~exists().where(
            list_member.c.actor_id == _brought_by,
            people_list.c.id == list_member.c.list_id,
            people_list.c.persona_id == _ME,
            people_list.c.exclusive,
        ),
    )
    return shape.of(statement, timeline_entry.c.entry_id)


@cache
def _of_list(shape: Shape, replies: str) -> Select[Any]:
    shown = _to_no_stranger()
    if replies == lists.LIST:
        shown += [_on_list(_answered.c.author_id), _answered.c.author_id == _ME]
    elif replies == lists.FOLLOWED:
        shown += [_follows(_answered.c.author_id), _answered.c.author_id == _ME]
    statement = _entries().where(_on_list(_brought_by), or_(_brought_by == _ME, _brought()), or_(*shown))
    return shape.of(statement, timeline_entry.c.entry_id)


def _entries() -> Select[Any]:
    """All entries, with what `audience` asks of each; but those that the persona does not want to see."""
    of_booster = and_(
        ~mutes.muted(_ME, boost.c.actor_id, _NOW),
        ~blocks.between(_ME, boost.c.actor_id),
        ~audience.passed_over(_ME, boost.c.actor_id),
    )
    return (
        select(
            post,
            timeline_entry.c.entry_id,
            timeline_entry.c.boost_id,
            boost.c.actor_id.label("booster_id"),
            boost.c.audience.label("boost_audience"),
            boost.c.uri.label("boost_uri"),
            boost.c.created_at.label("boosted_at"),
            _follows(post.c.author_id).label("follows"),
            _named().label("named"),
            blocks.between(_ME, post.c.author_id).label("blocked"),
            exists().where(word_filter.c.persona_id == _ME).label("any_filter"),
        )
        .join(timeline_entry, timeline_entry.c.post_id == post.c.id)
        .outerjoin(boost, boost.c.id == timeline_entry.c.boost_id)
        .outerjoin(_answered, _answered.c.id == post.c.in_reply_to_id)
        .where(
            timeline_entry.c.persona_id == _ME,
            post.c.deleted_at.is_(None),
            ~mutes.muted(_ME, post.c.author_id, _NOW),
            ~audience.passed_over(_ME, post.c.author_id),
            or_(boost.c.id.is_(None), of_booster),
        )
    )


async def _read(
    tx: Transaction, statement: Callable[[Shape], Select[Any]], values: dict[str, Any], window: Window
) -> Page[Entry]:
    persona_id = values["persona"]

    async def look(part: Window) -> list[tuple[int, Entry | None]]:
        rows = (await tx.execute(statement(part.shape), [{**values, **part.values}])).all()
        any_filter = bool(rows) and rows[0].any_filter
        wanted = await filters.in_force(tx, persona_id, HOME, values["now"]) if any_filter else []
        posts = await with_polls(tx, [from_row(row) for row in rows])
        return [(row.entry_id, _entry(row, found, persona_id, wanted)) for row, found in zip(rows, posts, strict=True)]

    return await gather(window, look)


def _entry(row: Any, found: Post, persona_id: int, wanted: list[Filter]) -> Entry | None:
    if not audience.may_see(
        found, persona_id, follows=bool(row.follows), named=bool(row.named), blocked=bool(row.blocked)
    ):
        return None
    matches = filters.about(wanted, found, persona_id)
    if any(match.filter.action == HIDE for match in matches):
        return None
    brought = None
    if row.booster_id is not None:
        brought = Boost(row.boost_id, found.id, row.booster_id, row.boost_audience, row.boost_uri, row.boosted_at)
    return Entry(row.entry_id, found, row.boost_id, row.booster_id, matches, brought)


def _follows(who: Any) -> ColumnElement[bool]:
    this = follow.alias()
    return (
        exists()
        .where(this.c.follower_id == _ME, this.c.followed_id == who, this.c.state == ACCEPTED)
        .correlate_except(this)
    )


def _brought() -> ColumnElement[bool]:
    """Whether the persona follows who brought it, and wants of them what this is."""
    this = follow.alias()
    return (
        exists()
        .where(
            this.c.follower_id == _ME,
            this.c.followed_id == _brought_by,
            this.c.state == ACCEPTED,
            or_(this.c.boosts, timeline_entry.c.boost_id.is_(None)),
            or_(
                this.c.languages == "",
                post.c.language.is_(None),
                this.c.languages.contains(literal(",").concat(func.lower(post.c.language)).concat(",")),
            ),
        )
        .correlate_except(this)
    )


def _tagged() -> ColumnElement[bool]:
    """Whether it is for everybody, and has a hashtag that the persona follows."""
    this = post_tag.alias()
    has = exists().where(
        this.c.post_id == post.c.id, followed_tag.c.persona_id == _ME, followed_tag.c.tag == this.c.tag
    )
    some = followed_tag.alias()
    follows_any = exists().where(some.c.persona_id == _ME).correlate_except(some)
    return and_(follows_any, post.c.audience == PUBLIC, has.correlate_except(this, followed_tag))


def _named() -> ColumnElement[bool]:
    this = post_recipient.alias()
    return exists().where(this.c.post_id == post.c.id, this.c.actor_id == _ME).correlate_except(this)


def _on_list(who: Any) -> ColumnElement[bool]:
    this = list_member.alias()
    return exists().where(this.c.list_id == _LIST, this.c.actor_id == who).correlate_except(this)


def _to_no_stranger() -> list[ColumnElement[bool]]:
    """What is no answer to somebody else: a boost, a post by itself, an answer to oneself."""
    return [
        timeline_entry.c.boost_id.is_not(None),
        post.c.in_reply_to.is_(None),
        _answered.c.author_id == post.c.author_id,
    ]
