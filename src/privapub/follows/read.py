"""Looking up follows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select

from privapub.actors.read import Actor
from privapub.actors.read import from_row as actor_from_row
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows.tables import follow

PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"
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


@dataclass(frozen=True)
class Counts:
    """How many accepted follows there are to an actor and from it."""

    followers: int
    following: int


# Labelled, since both tables have an id and a uri.
_COLUMNS = tuple(column.label(f"follow_{column.name}") for column in follow.c)


def from_row(row: Any) -> Follow:
    """A Follow from a row of every column of the table."""
    follow_id, follower_id, followed_id, uri, state, created_at, answered_at, _, boosts, notify, languages, _ = row
    read = tuple(languages.strip(",").split(",")) if languages else ()
    return Follow(
        follow_id, follower_id, followed_id, uri, state, created_at, answered_at, bool(boosts), bool(notify), read
    )


async def by_id(tx: Transaction, follow_id: int) -> Follow | None:
    """The follow with this number."""
    return _follow(await tx.first(select(follow).where(follow.c.id == follow_id)))


async def between(tx: Transaction, follower_id: int, followed_id: int) -> Follow | None:
    """What is between the two, in this direction."""
    return _follow(
        await tx.first(select(follow).where(follow.c.follower_id == follower_id, follow.c.followed_id == followed_id))
    )


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


def _follow(row: Any) -> Follow | None:
    return None if row is None else from_row(row)
