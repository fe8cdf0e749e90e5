"""Where something goes: from recipients to inboxes, one copy for each shared inbox. Never who may have it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from privapub.actors import blocks
from privapub.actors.read import HERE
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow

# Audiences whose posts every server may know of, so that one copy for a whole server gives nothing away.
SHARED = frozenset({"public", "unlisted", "followers"})


@dataclass(frozen=True)
class Target:
    """An inbox, and the uri of the one actor whose own it is: "" where it is shared."""

    inbox: str
    recipient: str = ""


async def of_actors(tx: Transaction, ids: Iterable[int], *, shared: bool) -> list[Target]:
    """The inboxes of these actors, those of our own left out; one for each server where shared ones may be used."""
    wanted = sorted(set(ids))
    rows: list[Row[Any]] = []
    for start in range(0, len(wanted), 500):
        rows += await tx.all(_INBOXES.where(actor.c.id.in_(wanted[start : start + 500])))
    return _targets(rows, shared=shared)


async def of_followers(tx: Transaction, followed_id: int) -> list[Target]:
    """The inboxes of everyone whose follow of this actor is in force, and no block between; one for each server."""
    rows = await tx.all(
        _INBOXES.join(follow, follow.c.follower_id == actor.c.id).where(
            follow.c.followed_id == followed_id,
            follow.c.state == ACCEPTED,
            ~blocks.between(follow.c.followed_id, follow.c.follower_id),
        )
    )
    return _targets(rows, shared=True)


def unique(targets: Iterable[Target]) -> list[Target]:
    """Each inbox once, in a fixed order; a shared one before a personal one that has the same address."""
    return list(
        {
            target.inbox: target for target in sorted(targets, key=lambda t: (t.inbox, t.recipient), reverse=True)
        }.values()
    )


def _targets(rows: Sequence[Row[Any]], *, shared: bool) -> list[Target]:
    return unique(
        Target(row.shared_inbox) if shared and row.shared_inbox else Target(row.inbox, row.uri)
        for row in rows
        if row.inbox_gone_at is None or (shared and row.shared_inbox)
    )


_INBOXES = select(actor.c.uri, actor.c.inbox, actor.c.inbox_gone_at, actor.c.shared_inbox).where(
    ~actor.c.local, actor.c.state == HERE
)
