"""Keeping what the door accepted: its row and its job, and that its host is alive; committed before it returns.

What tells of an event is kept together with all that is accepted at the same time: a transaction and its commit cost
as much for one as for a dozen. What tells of a relationship has an order, and a transaction of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from privapub.database.connect import Database
from privapub.database.outage import is_outage
from privapub.database.transaction import Transaction
from privapub.federation.asker import Signed
from privapub.federation.delivery.deliver import DELIVERY
from privapub.federation.delivery.together import Together
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.origin import origin
from privapub.federation.inbox import synchronize
from privapub.federation.inbox.store import RELATIONSHIPS, Accepted, Stored, store, store_events
from privapub.jobs import hosts
from privapub.jobs.hosts import HOST

AT_A_TIME = 32


@dataclass(frozen=True)
class _Event:
    database: Database
    new: Accepted
    signed: Signed


# One for each database, that is for each process.
_events: WeakKeyDictionary[Database, Together[_Event, Stored | Exception]] = WeakKeyDictionary()


async def keep(database: Database, new: Accepted, signed: Signed, followers: str | None = None) -> Stored:
    """Keep it, and say whether it is a copy. `followers` is what its sender says of who follows them (FEP-8fcf)."""
    if new.kind in RELATIONSHIPS or followers is not None:
        async with database.write() as tx:
            stored = await store(tx, new)
            await _heard(tx, [signed], new.now)
            if followers is not None:
                await synchronize.look(tx, signed.actor, followers, new.now)
        return stored
    together = _events.get(database)
    if together is None:
        together = _events[database] = Together(_keep_all, AT_A_TIME)
    kept = await together.ask(_Event(database, new, signed))
    if isinstance(kept, Exception):
        raise kept
    return kept


async def _keep_all(events: Sequence[_Event]) -> Sequence[Stored | Exception]:
    """In one transaction; where one of them cannot be kept, each in its own, so that it is the only one."""
    try:
        return await _kept(events)
    except Exception as error:
        if len(events) == 1 or is_outage(error):
            raise
    return [await _attempt(event) for event in events]


async def _attempt(event: _Event) -> Stored | Exception:
    try:
        (stored,) = await _kept([event])
    except Exception as error:  # noqa: BLE001 - it is raised where this was to be kept
        return error
    return stored


async def _kept(events: Sequence[_Event]) -> list[Stored]:
    async with events[0].database.write() as tx:
        stored = await store_events(tx, [event.new for event in events])
        await _heard(tx, [event.signed for event in events], max(event.new.now for event in events))
    return stored


async def _heard(tx: Transaction, signed: Sequence[Signed], now: float) -> None:
    schemes_of = {origin(one.actor.uri): one.scheme for one in signed}
    for host in sorted(schemes_of):
        await schemes.suppose(tx, host, schemes_of[host], now)
    await hosts.wrote(tx, DELIVERY, [f"{HOST}{host}" for host in schemes_of], now)
