"""Whom a persona does not want to read. Nobody is told, and a mute changes nothing of who may see what."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, or_, select

from privapub.actors import domain_blocks
from privapub.actors.read import Actor, by_id
from privapub.actors.read import from_row as actor_from_row
from privapub.actors.tables import actor, mute
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound


@dataclass(frozen=True)
class Mute:
    """A mute: whether it silences notifications too, and when it ends (None: never)."""

    notifications: bool
    ends_at: float | None


async def add(
    tx: Transaction,
    persona_id: int,
    muted_id: int,
    *,
    notifications: bool = True,
    ends_at: float | None = None,
    now: float,
) -> None:
    """Mute somebody, or change how they are muted.

    Raises NotFound for an actor that there is not, InvalidInput for oneself and for an end that is over.
    """
    if persona_id == muted_id:
        raise InvalidInput("Nobody can mute themselves.")
    if ends_at is not None and ends_at <= now:
        raise InvalidInput("A mute cannot end before it begins.")
    if await by_id(tx, muted_id) is None:
        raise NotFound("There is no such actor.")
    row = tx.insert(mute).values(
        persona_id=persona_id, muted_id=muted_id, notifications=notifications, ends_at=ends_at, created_at=now
    )
    await tx.execute(
        row.on_conflict_do_update(
            index_elements=[mute.c.persona_id, mute.c.muted_id],
            set_={name: row.excluded[name] for name in ("notifications", "ends_at")},
        )
    )


async def remove(tx: Transaction, persona_id: int, muted_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """Mute somebody no more; False where they were not."""
    done = await tx.execute(delete(mute).where(mute.c.persona_id == persona_id, mute.c.muted_id == muted_id))
    return done.rowcount > 0


async def between(tx: Transaction, persona_id: int, muted_id: int, now: float) -> Mute | None:
    """How a persona mutes somebody now, or None."""
    row = await tx.first(
        select(mute.c.notifications, mute.c.ends_at).where(
            mute.c.persona_id == persona_id, mute.c.muted_id == muted_id, _in_force(mute, now)
        )
    )
    return None if row is None else Mute(bool(row.notifications), row.ends_at)


async def among(tx: Transaction, persona_id: int, actor_ids: Collection[int], now: float) -> dict[int, Mute]:
    """How a persona mutes those of these actors whom it mutes now, in one question."""
    if not actor_ids:
        return {}
    rows = await tx.all(
        select(mute.c.muted_id, mute.c.notifications, mute.c.ends_at).where(
            mute.c.persona_id == persona_id, mute.c.muted_id.in_(sorted(set(actor_ids))), _in_force(mute, now)
        )
    )
    return {row.muted_id: Mute(bool(row.notifications), row.ends_at) for row in rows}


def muted(persona: Any, who: Any, now: Any, *, notifications: bool = False) -> ColumnElement[bool]:
    """Whether a persona mutes somebody, or blocks their server (columns or numbers): a condition for larger questions.

    With `notifications`, of mutes only those that silence these too.
    """
    this = mute.alias()
    found = exists().where(this.c.persona_id == persona, this.c.muted_id == who, _in_force(this, now))
    silent = found.where(this.c.notifications) if notifications else found
    return or_(silent.correlate_except(this), domain_blocks.covers(persona, who))


async def of(tx: Transaction, persona_id: int, window: Window, now: float) -> Page[tuple[Actor, Mute]]:
    """Whom a persona mutes now, the newest actors first."""
    statement = (
        select(actor, mute.c.notifications, mute.c.ends_at)
        .join(mute, mute.c.muted_id == actor.c.id)
        .where(mute.c.persona_id == persona_id, _in_force(mute, now))
    )
    rows = await tx.all(window.of(statement, actor.c.id))
    pairs = [(actor_from_row(row), Mute(bool(row.notifications), row.ends_at)) for row in rows]
    return page_of(window, pairs, lambda pair: pair[0].id)


async def prune(tx: Transaction, now: float) -> int:
    """Drop mutes that are over; returns how many."""
    return (await tx.execute(delete(mute).where(mute.c.ends_at <= now))).rowcount


def _in_force(of: Any, now: Any) -> ColumnElement[bool]:
    return or_(of.c.ends_at.is_(None), of.c.ends_at > now)
