"""Looking up boosts. A boost lets nobody see a post: whoever shows it asks `audience` of the post."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from privapub.actors.standing import is_blocked
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.posts.tables import boost


@dataclass(frozen=True)
class Boost:
    """One row of `boost`: see the table."""

    id: int
    post_id: int
    actor_id: int
    audience: str
    uri: str
    created_at: float


def from_row(row: Any) -> Boost:
    """A Boost from a row of every column of the table."""
    return Boost(*row)


async def by_id(tx: Transaction, boost_id: int) -> Boost | None:
    """The boost with this number."""
    return _boost(await tx.first(select(boost).where(boost.c.id == boost_id)))


async def by_uri(tx: Transaction, uri: str) -> Boost | None:
    """The boost whose Announce has this id, letter by letter."""
    return _boost(await tx.first(select(boost).where(boost.c.uri == uri)))


async def by_ids(tx: Transaction, boost_ids: Collection[int]) -> dict[int, Boost]:
    """Those of these boosts that there are, by number."""
    if not boost_ids:
        return {}
    rows = await tx.all(select(boost).where(boost.c.id.in_(sorted(set(boost_ids)))))
    return {row.id: from_row(row) for row in rows}


async def between(tx: Transaction, actor_id: int, post_id: int) -> Boost | None:
    """Somebody's boost of a post."""
    return _boost(await tx.first(select(boost).where(boost.c.post_id == post_id, boost.c.actor_id == actor_id)))


async def of_post(
    tx: Transaction,
    post_id: int,
    *,
    before: int | None = None,
    limit: int = 40,
    audiences: Collection[str] | None = None,
) -> list[Boost]:
    """Who boosted a post (for these audiences), newest first. `before` is the number of the last that was shown."""
    statement = select(boost).where(boost.c.post_id == post_id, _SHOWN)
    if audiences is not None:
        statement = statement.where(boost.c.audience.in_(sorted(audiences)))
    if before is not None:
        statement = statement.where(boost.c.id < before)
    return [from_row(row) for row in await tx.all(statement.order_by(boost.c.id.desc()).limit(limit))]


async def boosters(tx: Transaction, post_id: int, window: Window) -> Page[int]:
    """Who boosted a post for everybody, by number, the last who did first; the cursor is that of the boost."""
    which = select(boost).where(boost.c.post_id == post_id, boost.c.audience.in_(["public", "unlisted"]), _SHOWN)
    page = page_of(window, await tx.all(window.of(which, boost.c.id)), lambda row: int(row.id))
    return Page(tuple(row.actor_id for row in page.items), page.older, page.newer)


async def counts(tx: Transaction, post_ids: Collection[int]) -> dict[int, int]:
    """How often each of these posts was boosted, in one question."""
    found = dict.fromkeys(post_ids, 0)
    if found:
        counted = select(boost.c.post_id, func.count().label("times")).where(boost.c.post_id.in_(sorted(found)), _SHOWN)
        found |= {row.post_id: row.times for row in await tx.all(counted.group_by(boost.c.post_id))}
    return found


_SHOWN = ~is_blocked(boost.c.actor_id)  # nothing is shown of blocked servers


def _boost(row: Any) -> Boost | None:
    return None if row is None else from_row(row)
