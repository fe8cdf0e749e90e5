"""How far a persona has read, so that its other programs know."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.notifications.tables import marker

HOME, NOTIFICATIONS = "home", "notifications"
TIMELINES = (HOME, NOTIFICATIONS)


@dataclass(frozen=True)
class Marker:
    """The last thing of a timeline that was read; `version` is how often that was said."""

    timeline: str
    last_read_id: int
    version: int
    updated_at: float


async def of(tx: Transaction, persona_id: int, timelines: Collection[str] = TIMELINES) -> list[Marker]:
    """The markers of a persona in these timelines, as far as there are any."""
    rows = await tx.all(
        select(marker)
        .where(marker.c.persona_id == persona_id, marker.c.timeline.in_(sorted(timelines)))
        .order_by(marker.c.timeline)
    )
    return [_marker(row) for row in rows]


async def last_read(tx: Transaction, persona_id: int, timeline: str) -> int | None:
    """The number of the last thing that was read."""
    found = await of(tx, persona_id, [timeline])
    return found[0].last_read_id if found else None


async def put(
    tx: Transaction, persona_id: int, timeline: str, last_read_id: int, now: float, *, version: int | None = None
) -> Marker:
    """It was read as far as this. With the `version` that the program knows: Conflict where it is another by now."""
    values = {"last_read_id": last_read_id, "updated_at": now}
    if version is not None and version > 0:
        statement = (
            marker.update()
            .where(marker.c.persona_id == persona_id, marker.c.timeline == timeline, marker.c.version == version)
            .values(**values, version=marker.c.version + 1)
            .returning(marker)
        )
    else:
        made = tx.insert(marker).values(persona_id=persona_id, timeline=timeline, version=1, **values)
        statement = (
            made.on_conflict_do_nothing()
            if version is not None
            else made.on_conflict_do_update(
                index_elements=[marker.c.persona_id, marker.c.timeline],
                set_={**values, "version": marker.c.version + 1},
            )
        ).returning(marker)
    row = await tx.first(statement)
    if row is None:
        raise Conflict("Conflict during update, please try again")
    return _marker(row)


def _marker(row: Any) -> Marker:
    return Marker(row.timeline, row.last_read_id, row.version, row.updated_at)
