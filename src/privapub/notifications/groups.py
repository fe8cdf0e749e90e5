"""Notifications of one kind about one post that came within the same half day: they are told as one.

A group is known by what its notifications have in common, and so no row is kept of it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, case, func, select

from privapub.database.transaction import Transaction
from privapub.notifications.tables import notification

# Half a day of the numbers of notifications (`identifiers.sortable`: milliseconds, 20 bits).
SPAN = 43_200_000 << 20
SAMPLE = 8
MOST_SPANS = (2**63 - 1) // SPAN


@dataclass(frozen=True)
class Group:
    """Which notifications are in it: of these kinds, about this post (None: about none), in this half day."""

    kinds: tuple[str, ...]
    post_id: int | None
    span: int

    @property
    def conditions(self) -> tuple[ColumnElement[bool], ...]:
        """What is so of the rows of its notifications."""
        low = self.span * SPAN
        return (
            notification.c.kind.in_(self.kinds),
            notification.c.post_id.is_(None) if self.post_id is None else notification.c.post_id == self.post_id,
            notification.c.id >= low,
            notification.c.id <= low + (SPAN - 1),
        )


@dataclass(frozen=True)
class Counted:
    """How many notifications a group has in all, the newest of them, and who did the newest few."""

    count: int
    newest: int
    actor_ids: tuple[int, ...]


async def counted(
    tx: Transaction, groups: Collection[Group], which: Collection[ColumnElement[bool]]
) -> Mapping[Group, Counted]:
    """The groups that there are among these, in one question; `which` are the conditions of what may be shown."""
    if not groups:
        return {}
    first = {kind: each.kinds[0] for each in groups for kind in each.kinds}
    kind = case(*((notification.c.kind == name, of) for name, of in first.items()), else_="")
    span = notification.c.id // SPAN
    together: dict[str, Any] = {"partition_by": (kind, notification.c.post_id, span)}
    posts = {each.post_id for each in groups if each.post_id is not None}
    about: ColumnElement[bool] = notification.c.post_id.in_(posts)
    if any(each.post_id is None for each in groups):
        about = about | notification.c.post_id.is_(None)
    ranked = (
        select(
            kind.label("first_kind"),
            notification.c.post_id,
            span.label("span"),
            notification.c.id,
            notification.c.actor_id,
            func.count().over(**together).label("times"),
            func.row_number().over(**together, order_by=notification.c.id.desc()).label("place"),
        )
        .where(
            *which,
            notification.c.kind.in_(sorted(first)),
            about,
            notification.c.id >= min(each.span for each in groups) * SPAN,
        )
        .subquery()
    )
    rows = await tx.all(select(ranked).where(ranked.c.place <= SAMPLE).order_by(ranked.c.id.desc()))
    by_key = {(each.kinds[0], each.post_id, each.span): each for each in groups}
    found: dict[Group, Counted] = {}
    for row in rows:
        group = by_key.get((row.first_kind, row.post_id, row.span))
        if group is not None:
            before = found.get(group, Counted(row.times, row.id, ()))
            who = before.actor_ids if row.actor_id in before.actor_ids else (*before.actor_ids, row.actor_id)
            found[group] = Counted(before.count, before.newest, who)
    return found
