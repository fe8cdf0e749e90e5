"""Relays: servers that send on, to all who subscribed, whatever is for everybody; what the admin of this one chose.

    (asked) ──▶ pending ──accepted──▶ accepted
                   └──────rejected──▶ rejected ◀── from accepted, too

There are two manners of asking. Of Mastodon's one knows the inbox alone: it is asked by a Follow of everybody, and who
the relay is shows when it answers. Of LitePub's one knows the actor, which is followed as anybody is. A relay vouches
for nothing that it brings.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, NotFound
from privapub.follows.facts import RelayAsked, RelayLeft
from privapub.follows.read import ACCEPTED, PENDING, REJECTED
from privapub.follows.tables import relay
from privapub.jobs.enqueue import put_fact

MOST = 20


@dataclass(frozen=True)
class Relay:
    """One row of `relay`. `object` is what our Follow names: the relay's actor, or everybody."""

    id: int
    inbox: str
    actor_uri: str | None
    object: str
    follow_uri: str
    state: str
    created_at: float
    answered_at: float | None


async def ask(tx: Transaction, *, inbox: str, actor_uri: str | None, whom: str, follow_uri: str, now: float) -> Relay:
    """Subscribe to a relay; fact RelayAsked. Asked again while it waits or after a no, it is asked anew.

    `whom` is what the Follow names. Raises Conflict where there are as many as there may be.
    """
    known = await all_of(tx)
    standing = next((each for each in known if each.inbox == inbox), None)
    if standing is not None and standing.state == ACCEPTED:
        return standing
    if standing is None and len(known) >= MOST:
        raise Conflict(f"There are {MOST} relays already.", "`privapub federation relay remove` takes one away.")
    asked = tx.insert(relay).values(
        id=identifiers.sortable(now),
        inbox=inbox,
        actor_uri=actor_uri,
        object=whom,
        follow_uri=follow_uri,
        state=PENDING,
        created_at=now,
    )
    row = await tx.first(
        asked.on_conflict_do_update(
            index_elements=[relay.c.inbox],
            set_={name: asked.excluded[name] for name in ("actor_uri", "object", "follow_uri", "state")},
        ).returning(*relay.c)
    )
    made = _from_row(row)
    await put_fact(tx, RelayAsked(made.id), about=f"relay {inbox}")
    return made


async def leave(tx: Transaction, where: str) -> Relay:
    """Leave the relay with this inbox or actor; fact RelayLeft. Raises NotFound where there is none."""
    row = await tx.first(
        delete(relay).where((relay.c.inbox == where) | (relay.c.actor_uri == where)).returning(*relay.c)
    )
    if row is None:
        raise NotFound("There is no such relay.", "`privapub federation relay list` shows those there are.")
    left = _from_row(row)
    fact = RelayLeft(left.inbox, left.actor_uri or "", left.object, left.follow_uri)
    await put_fact(tx, fact, about=f"relay {left.inbox}")
    return left


async def by_id(tx: Transaction, relay_id: int) -> Relay | None:
    """The relay with this number."""
    row = await tx.first(select(relay).where(relay.c.id == relay_id))
    return None if row is None else _from_row(row)


async def by_follow(tx: Transaction, follow_uri: str) -> Relay | None:
    """The relay that our Follow with this id asked."""
    row = await tx.first(select(relay).where(relay.c.follow_uri == follow_uri))
    return None if row is None else _from_row(row)


async def all_of(tx: Transaction) -> list[Relay]:
    """All there are, the oldest first."""
    return [_from_row(row) for row in await tx.all(select(relay).order_by(relay.c.id))]


async def is_one(tx: Transaction, actor_uri: str) -> bool:
    """Whether this actor is a relay that has let us in."""
    return await tx.first(_IN_FORCE, uri=actor_uri) is not None


async def is_known(tx: Transaction, actor_uri: str) -> bool:
    """Whether this actor is a relay that was asked and has not said no."""
    row = await tx.first(select(relay.c.id).where(relay.c.actor_uri == actor_uri, relay.c.state != REJECTED))
    return row is not None


async def answered(tx: Transaction, relay_id: int, actor_uri: str, *, accepted: bool, now: float) -> None:
    """The relay, which is this actor, lets us in or does not."""
    await tx.execute(
        update(relay)
        .where(relay.c.id == relay_id)
        .values(state=ACCEPTED if accepted else REJECTED, actor_uri=actor_uri, answered_at=now)
    )


_IN_FORCE = select(relay.c.id).where(relay.c.actor_uri == bindparam("uri"), relay.c.state == ACCEPTED)


def _from_row(row: Any) -> Relay:
    return Relay(*(getattr(row, name) for name in Relay.__dataclass_fields__))
