"""What a persona was told of. What was undone, or may not be seen any more, is not shown: the present state counts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update

from privapub.actors import blocks, mutes
from privapub.database.page import Page, Window, gather
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED, PENDING
from privapub.follows.tables import follow
from privapub.notifications.notify import FOLLOW, FOLLOW_REQUEST
from privapub.notifications.tables import notification
from privapub.posts import audience
from privapub.posts import read as posts
from privapub.posts.read import Post

KEPT = 180 * 86400.0  # seconds


@dataclass(frozen=True)
class Notification:
    """One thing that a persona was told: who did what, and about which post, if about one."""

    id: int
    kind: str
    actor_id: int
    post: Post | None
    created_at: float


async def of(
    tx: Transaction,
    persona_id: int,
    window: Window,
    now: float,
    *,
    kinds: Collection[str] | None = None,
    without: Collection[str] = (),
) -> Page[Notification]:
    """What a persona was told, newest first: of these kinds (None: all) and not of those."""

    async def look(part: Window) -> list[tuple[int, Notification | None]]:
        rows = await tx.all(part.of(_statement(persona_id, kinds, without, now), notification.c.id))
        shown = {one.id: one for one in await _shown(tx, persona_id, rows)}
        return [(row.id, shown.get(row.id)) for row in rows]

    return await gather(window, look)


async def by_id(tx: Transaction, persona_id: int, notification_id: int, now: float) -> Notification | None:
    """One thing that this persona was told."""
    rows = await tx.all(_statement(persona_id, None, (), now).where(notification.c.id == notification_id))
    return next(iter(await _shown(tx, persona_id, rows)), None)


async def dismiss(tx: Transaction, persona_id: int, now: float, notification_id: int | None = None) -> int:
    """The persona does not want to see this one any more, or (None) any that it was told; returns how many."""
    statement = update(notification).where(
        notification.c.persona_id == persona_id, notification.c.dismissed_at.is_(None)
    )
    if notification_id is not None:
        statement = statement.where(notification.c.id == notification_id)
    return (await tx.execute(statement.values(dismissed_at=now))).rowcount


async def prune(tx: Transaction, now: float) -> int:
    """Drop what is half a year old; returns how many."""
    return (await tx.execute(delete(notification).where(notification.c.created_at < now - KEPT))).rowcount


def _statement(persona_id: int, kinds: Collection[str] | None, without: Collection[str], now: float) -> Any:
    who = notification.c.actor_id
    statement = select(notification).where(
        notification.c.persona_id == persona_id,
        notification.c.dismissed_at.is_(None),
        ~blocks.between(notification.c.persona_id, who),
        ~mutes.muted(notification.c.persona_id, who, now, notifications=True),
    )
    if kinds is not None:
        statement = statement.where(notification.c.kind.in_(sorted(kinds)))
    return statement.where(notification.c.kind.not_in(sorted(without))) if without else statement


async def _shown(tx: Transaction, persona_id: int, rows: Sequence[Any]) -> list[Notification]:
    about = await posts.by_ids(tx, {row.post_id for row in rows if row.post_id is not None})
    visible = {post.id: post for post in await audience.visible_to(tx, list(about.values()), persona_id)}
    standing = await _standing(tx, [row for row in rows if row.kind in {FOLLOW, FOLLOW_REQUEST}])
    return [
        Notification(row.id, row.kind, row.actor_id, visible.get(row.post_id), row.created_at)
        for row in rows
        if (row.post_id is None or row.post_id in visible)
        and (row.kind not in {FOLLOW, FOLLOW_REQUEST} or row.id in standing)
    ]


async def _standing(tx: Transaction, rows: Sequence[Any]) -> set[int]:
    """Those that tell of a follow, or of a question, that still stands."""
    if not rows:
        return set()
    found = await tx.all(select(follow.c.id, follow.c.state).where(follow.c.id.in_({int(row.about) for row in rows})))
    states = {str(row.id): row.state for row in found}
    stands = {FOLLOW: ACCEPTED, FOLLOW_REQUEST: PENDING}
    return {row.id for row in rows if states.get(row.about) == stands[row.kind]}
