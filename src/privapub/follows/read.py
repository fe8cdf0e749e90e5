"""Looking up follows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, func, or_, select

from privapub.actors import blocks
from privapub.actors.read import Actor
from privapub.actors.read import from_row as actor_from_row
from privapub.actors.tables import actor
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.follows.tables import follow
from privapub.moderation.domain_rules import BLOCKED
from privapub.personas.tables import persona

PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"
FAMILIAR = 20  # of each, as programs show a few
SUSPENDED = "suspended"  # the server of one of the two is blocked: what was before comes back after


@dataclass(frozen=True)
class Follow:
    """One row of `follow`. Only the state "accepted" is a follow; the others are what became of the question."""

    id: int
    follower_id: int
    followed_id: int
    uri: str
    state: str
    created_at: float
    answered_at: float | None
    boosts: bool = True
    notify: bool = False
    languages: tuple[str, ...] = ()
    endorsed: bool = False


@dataclass(frozen=True)
class Counts:
    """How many accepted follows there are to an actor and from it."""

    followers: int
    following: int


# Labelled, since both tables have an id and a uri.
_COLUMNS = tuple(column.label(f"follow_{column.name}") for column in follow.c)


def from_row(row: Any) -> Follow:
    """A Follow from a row of every column of the table."""
    follow_id, follower_id, followed_id, uri, state, created_at, answered_at, _, boosts, notify, languages, since = row
    return Follow(
        follow_id,
        follower_id,
        followed_id,
        uri,
        state,
        created_at,
        answered_at,
        bool(boosts),
        bool(notify),
        tuple(languages.strip(",").split(",")) if languages else (),
        since is not None,
    )


async def by_id(tx: Transaction, follow_id: int) -> Follow | None:
    """The follow with this number."""
    return _follow(await tx.first(select(follow).where(follow.c.id == follow_id)))


async def between(tx: Transaction, follower_id: int, followed_id: int) -> Follow | None:
    """What is between the two, in this direction."""
    return _follow(
        await tx.first(select(follow).where(follow.c.follower_id == follower_id, follow.c.followed_id == followed_id))
    )


async def around(tx: Transaction, persona_id: int, actor_ids: Collection[int]) -> dict[tuple[int, int], Follow]:
    """What is between a persona and each of these actors, in both directions, by (follower, followed)."""
    which = sorted(set(actor_ids))
    if not which:
        return {}
    rows = await tx.all(
        select(follow).where(
            or_(
                and_(follow.c.follower_id == persona_id, follow.c.followed_id.in_(which)),
                and_(follow.c.followed_id == persona_id, follow.c.follower_id.in_(which)),
            )
        )
    )
    return {(row.follower_id, row.followed_id): from_row(row) for row in rows}


async def by_uri(
    tx: Transaction, uri: str, *, follower_id: int | None = None, followed_id: int | None = None
) -> Follow | None:
    """The follow whose Follow activity has this id.

    The id counts for one actor only: name the `follower_id` for an id of theirs (a bare id in an Undo), the
    `followed_id` for an id of ours (a bare id in their Accept or Reject).
    """
    statement = select(follow).where(follow.c.uri == uri)
    if follower_id is not None:
        statement = statement.where(follow.c.follower_id == follower_id)
    if followed_id is not None:
        statement = statement.where(follow.c.followed_id == followed_id)
    return _follow(await tx.first(statement.order_by(follow.c.id.desc()).limit(1)))


async def followers_of(
    tx: Transaction, followed_id: int, *, state: str | None = ACCEPTED, before: int | None = None, limit: int = 40
) -> list[tuple[Actor, Follow]]:
    """Who follows this actor, newest first; with `state=None` also who asked and who was rejected.

    `before` is the number of the last follow that was shown.
    """
    statement = select(actor, *_COLUMNS).join(follow, follow.c.follower_id == actor.c.id)
    return await _page(tx, statement.where(follow.c.followed_id == followed_id), state, before, limit)


async def following_of(
    tx: Transaction, follower_id: int, *, state: str | None = ACCEPTED, limit: int = 40
) -> list[tuple[Actor, Follow]]:
    """Whom this actor follows, as `followers_of`."""
    statement = select(actor, *_COLUMNS).join(follow, follow.c.followed_id == actor.c.id)
    return await _page(tx, statement.where(follow.c.follower_id == follower_id), state, None, limit)


async def shown_page(
    tx: Transaction, actor_id: int, window: Window, *, followers: bool, reader_id: int | None, hides: bool
) -> Page[Actor]:
    """Who follows an actor, or whom it follows, as far as this reader (None: a stranger) may know; newest first.

    A persona that does not show its follows is on nobody's list, but to itself; nor are people of blocked servers, and
    those from whom a block parts the reader. Of an actor that `hides` its own, others find themselves and nobody else:
    what they know.
    """
    of, who = (
        (follow.c.followed_id, follow.c.follower_id) if followers else (follow.c.follower_id, follow.c.followed_id)
    )
    statement = (
        select(actor, follow.c.id.label("follow_id"))
        .join(follow, who == actor.c.id)
        .outerjoin(persona, persona.c.id == actor.c.id)
        .where(of == actor_id, follow.c.state == ACCEPTED, actor.c.standing != BLOCKED)
    )
    shows = or_(persona.c.id.is_(None), persona.c.shows_follows)
    if reader_id is not None:
        shows = or_(shows, actor.c.id == reader_id)
        statement = statement.where(~blocks.between(reader_id, actor.c.id))
    if reader_id != actor_id:
        statement = statement.where(shows)
        if hides:
            statement = statement.where(actor.c.id == (reader_id or 0))
    return await _people(tx, statement, window)


async def asking(tx: Transaction, persona_id: int, window: Window) -> Page[Actor]:
    """Who waits to follow a persona, the last who asked first."""
    statement = (
        select(actor, follow.c.id.label("follow_id"))
        .join(follow, follow.c.follower_id == actor.c.id)
        .where(follow.c.followed_id == persona_id, follow.c.state == PENDING)
    )
    return await _people(tx, statement, window)


async def endorsed(tx: Transaction, actor_id: int, window: Window) -> Page[Actor]:
    """Whom an actor names in its profile, the newest follow first."""
    statement = (
        select(actor, follow.c.id.label("follow_id"))
        .join(follow, follow.c.followed_id == actor.c.id)
        .where(
            follow.c.follower_id == actor_id,
            follow.c.state == ACCEPTED,
            follow.c.endorsed_at.is_not(None),
            actor.c.standing != BLOCKED,
        )
    )
    return await _people(tx, statement, window)


async def familiar(tx: Transaction, persona_id: int, actor_ids: Collection[int]) -> dict[int, list[int]]:
    """For each of these actors, whom the persona follows of those who follow it: a few each, in one question.

    Personas that do not show their follows are not among them, and nothing is told of such a persona, nor of whom a
    block parts from the one that asks.
    """
    if not actor_ids:
        return {}
    mine, theirs, followed = follow.alias(), follow.alias(), persona.alias()
    rows = await tx.all(
        select(theirs.c.followed_id, theirs.c.follower_id)
        .join(mine, mine.c.followed_id == theirs.c.follower_id)
        .outerjoin(persona, persona.c.id == theirs.c.follower_id)
        .outerjoin(followed, followed.c.id == theirs.c.followed_id)
        .where(
            or_(followed.c.id.is_(None), followed.c.shows_follows, followed.c.id == persona_id),
            ~blocks.between(persona_id, theirs.c.followed_id),
            theirs.c.followed_id.in_(sorted(set(actor_ids))),
            theirs.c.state == ACCEPTED,
            mine.c.follower_id == persona_id,
            mine.c.state == ACCEPTED,
            or_(persona.c.id.is_(None), persona.c.shows_follows),
        )
        .order_by(theirs.c.id.desc())
    )
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(row.followed_id, []).append(row.follower_id)
    return {each: who[:FAMILIAR] for each, who in found.items()}


async def counts(tx: Transaction, actor_id: int) -> Counts:
    """How many follow this actor and how many it follows; whether anybody may know is for the persona to say."""
    accepted = select(func.count()).select_from(follow).where(follow.c.state == ACCEPTED)
    return Counts(
        await tx.scalar(accepted.where(follow.c.followed_id == actor_id)),
        await tx.scalar(accepted.where(follow.c.follower_id == actor_id)),
    )


async def follower_ids(tx: Transaction, followed_id: int, *, local: bool = True) -> list[int]:
    """The numbers of all accepted followers that are ours (or, with `local=False`, of all that are not)."""
    rows = await tx.all(
        select(follow.c.follower_id)
        .join(actor, actor.c.id == follow.c.follower_id)
        .where(follow.c.followed_id == followed_id, follow.c.state == ACCEPTED, actor.c.local.is_(local))
        .order_by(follow.c.follower_id)
    )
    return [row.follower_id for row in rows]


async def local_follows(tx: Transaction, followed_id: int) -> list[tuple[int, str, float | None]]:
    """Who of ours follows this actor (accepted): number and id of each, and when that was answered."""
    rows = await tx.all(
        select(follow.c.follower_id, actor.c.uri, follow.c.answered_at)
        .join(actor, actor.c.id == follow.c.follower_id)
        .where(follow.c.followed_id == followed_id, follow.c.state == ACCEPTED, actor.c.local)
        .order_by(follow.c.follower_id)
    )
    return [(row.follower_id, row.uri, row.answered_at) for row in rows]


async def local_followers(tx: Transaction, followed_id: int) -> list[str]:
    """The ids of those of ours who follow this actor (accepted)."""
    return [uri for _, uri, _ in await local_follows(tx, followed_id)]


async def is_followed_here(tx: Transaction, followed_id: int) -> bool:
    """Whether any of ours follows this actor (accepted)."""
    return await tx.first(_HERE, followed=followed_id) is not None


_HERE = (
    select(follow.c.follower_id)
    .join(actor, actor.c.id == follow.c.follower_id)
    .where(follow.c.followed_id == bindparam("followed"), follow.c.state == ACCEPTED, actor.c.local)
    .limit(1)
)


async def followed_among(tx: Transaction, follower_id: int, actor_ids: Collection[int]) -> frozenset[int]:
    """Those of these actors whom this one follows (accepted), in one question."""
    if not actor_ids:
        return frozenset()
    rows = await tx.all(
        select(follow.c.followed_id).where(
            follow.c.follower_id == follower_id,
            follow.c.followed_id.in_(sorted(set(actor_ids))),
            follow.c.state == ACCEPTED,
        )
    )
    return frozenset(row.followed_id for row in rows)


async def _page(
    tx: Transaction, statement: Any, state: str | None, before: int | None, limit: int
) -> list[tuple[Actor, Follow]]:
    if state is not None:
        statement = statement.where(follow.c.state == state)
    if before is not None:
        statement = statement.where(follow.c.id < before)
    rows = await tx.all(statement.order_by(follow.c.id.desc()).limit(limit))
    return [(actor_from_row(row), from_row(row[-len(_COLUMNS) :])) for row in rows]


async def _people(tx: Transaction, statement: Any, window: Window) -> Page[Actor]:
    page = page_of(window, await tx.all(window.of(statement, follow.c.id)), lambda row: int(row.follow_id))
    return Page(tuple(actor_from_row(row) for row in page.items), page.older, page.newer)


def _follow(row: Any) -> Follow | None:
    return None if row is None else from_row(row)
