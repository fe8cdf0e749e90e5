"""What posts and people need to be shown, in one question to the database, however many they are.

Each row says what it tells (`what`) of which post or person (`about`): a number, and up to two texts.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Executable, Select, Text, bindparam, cast, func, select, union_all
from sqlalchemy import literal_column as word

from privapub.actors.standing import is_blocked
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.link_previews.tables import link_preview, post_link
from privapub.posts import quotes, thread_mutes
from privapub.posts.audience import OPEN
from privapub.posts.tables import (
    bookmark,
    boost,
    held_post,
    pin,
    poll_vote,
    post,
    post_program,
    reaction,
)
from privapub.telemetry.previews import CARD

_ME = bindparam("persona", type_=BigInteger)
_NOBODY = -1


@dataclass(frozen=True)
class Told:
    """What was found, by what it tells and whom or what it is about."""

    rows: Mapping[str, Mapping[int, Sequence[Any]]] = field(default_factory=dict)

    def number(self, what: str, about: int) -> int:
        """The number that is told, 0 where none is."""
        found = self.rows.get(what, {}).get(about)
        return int(found[0].number) if found else 0

    def every(self, what: str) -> Mapping[int, Sequence[Any]]:
        """All that tells this."""
        return self.rows.get(what, {})

    def has(self, what: str, about: int) -> bool:
        """Whether this is told of it."""
        return about in self.rows.get(what, {})


async def of(
    tx: Transaction,
    *,
    people: Collection[int],
    posts: Collection[int] = (),
    bare: Collection[int] = (),
    own: Collection[int] = (),
    reader: int | None = None,
) -> Told:
    """What these people and posts need; `bare` are the posts without files, `own` those of the reader."""
    values: dict[str, Any] = {"people": _padded(people)}
    if posts:
        values |= {"posts": _padded(posts), "bare": _padded(bare)}
        if reader is not None:
            values |= {"own": _padded(own), "persona": reader}
    found: dict[str, dict[int, list[Any]]] = {}
    for row in await tx.all(_question(posts=bool(posts), signed_in=bool(posts) and reader is not None), **values):
        found.setdefault(row.what, {}).setdefault(row.about, []).append(row)
    return Told(found)


def _padded(numbers: Iterable[int]) -> list[int]:
    """The numbers, and the last of them again until there are 1, 4, 16, 64…: so few forms of the question are made."""
    found = sorted(set(numbers)) or [_NOBODY]
    length = 1
    while length < len(found):
        length *= 4
    return [*found, *([found[-1]] * (length - len(found)))]


@cache
def _question(*, posts: bool, signed_in: bool) -> Executable:
    legs = _of_people()
    if posts:
        legs += _of_posts()
    if signed_in:
        legs += _of_reader()
    asked: Executable = union_all(*legs)
    return asked


def _among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    return column.in_(bindparam(name, type_=BigInteger, expanding=True))


def _leg(what: str, about: Any, number: Any = None, text: Any = None, also: Any = None) -> Select[Any]:
    return select(
        word(f"'{what}'", Text).label("what"),
        about.label("about"),
        (word("0", BigInteger) if number is None else number).label("number"),
        (word("''", Text) if text is None else text).label("text"),
        (word("''", Text) if also is None else also).label("also"),
    )


def _count(what: str, about: Any) -> Select[Any]:
    return _leg(what, about, func.count()).group_by(about)


def _of_people() -> list[Select[Any]]:
    accepted = follow.c.state == ACCEPTED
    of_all = post.c.audience.in_(sorted(OPEN)), post.c.deleted_at.is_(None)
    wrote = _leg("wrote", post.c.author_id, func.count(), cast(func.max(post.c.id), Text)).group_by(post.c.author_id)
    return [
        _count("followers", follow.c.followed_id).where(_among(follow.c.followed_id, "people"), accepted),
        _count("following", follow.c.follower_id).where(_among(follow.c.follower_id, "people"), accepted),
        wrote.where(_among(post.c.author_id, "people"), *of_all),
    ]


def _of_posts() -> list[Select[Any]]:
    quoted, answered = post.alias("quoted"), post.alias("answered")
    of_all = post.c.audience.in_(sorted(OPEN)), post.c.deleted_at.is_(None)
    quoting = _count("quotes", quoted.c.id).join(quoted, quoted.c.uri == post.c.quote)
    card = _leg("card", post_link.c.post_id, None, link_preview.c.url, cast(link_preview.c.found, Text))
    return [
        _count("likes", reaction.c.post_id).where(
            _among(reaction.c.post_id, "posts"), ~is_blocked(reaction.c.actor_id)
        ),
        _count("boosts", boost.c.post_id).where(_among(boost.c.post_id, "posts"), ~is_blocked(boost.c.actor_id)),
        # Answers and quotes that everybody may see; quotes that stand.
        _count("replies", post.c.in_reply_to_id).where(_among(post.c.in_reply_to_id, "posts"), *of_all),
        quoting.where(_among(quoted.c.id, "posts"), post.c.quote_state == quotes.ACCEPTED, *of_all),
        _leg("answered", answered.c.id, answered.c.author_id)
        .join(post, post.c.in_reply_to_id == answered.c.id)
        .where(_among(post.c.id, "posts"))
        .distinct(),
        _leg("held", held_post.c.post_id, None, held_post.c.audience).where(_among(held_post.c.post_id, "posts")),
        card.join(link_preview, link_preview.c.url == post_link.c.url).where(
            _among(post_link.c.post_id, "bare"), link_preview.c.state == CARD
        ),
    ]


def _of_reader() -> list[Select[Any]]:
    """What the reader did with the posts, what it wrote them with, and whom of the people it follows."""
    liked = reaction.c.actor_id == _ME, reaction.c.emoji == ""
    muted = thread_mutes.MUTED.subquery()
    return [
        _leg("liked", reaction.c.post_id).where(_among(reaction.c.post_id, "posts"), *liked),
        _leg("boosted", boost.c.post_id).where(_among(boost.c.post_id, "posts"), boost.c.actor_id == _ME),
        _leg("pinned", pin.c.post_id).where(_among(pin.c.post_id, "posts"), pin.c.actor_id == _ME),
        _leg("bookmarked", bookmark.c.post_id).where(_among(bookmark.c.post_id, "posts"), bookmark.c.persona_id == _ME),
        _leg("vote", poll_vote.c.post_id, poll_vote.c.choice).where(
            _among(poll_vote.c.post_id, "posts"), poll_vote.c.actor_id == _ME
        ),
        _leg("muted", muted.c.post_id),
        _leg("followed", follow.c.followed_id).where(
            _among(follow.c.followed_id, "people"), follow.c.follower_id == _ME, follow.c.state == ACCEPTED
        ),
        _leg("program", post_program.c.post_id, None, post_program.c.name, post_program.c.website).where(
            _among(post_program.c.post_id, "own")
        ),
    ]
