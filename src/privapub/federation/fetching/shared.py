"""One fetch for all who want the same at the same time, or did a moment ago: a thousand boosts of one post ask once.

In memory, for each process. What is fetched for one is what all get, its failure too; who gives up waiting stops the
fetch only if nobody else waits.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from privapub import clock
from privapub.outbound.client import Door

T = TypeVar("T")

LINGERS = 30.0  # seconds for which what was had is given again, until the first who got it has written it down
MOST_LINGERING = 100


class _Flights:
    def __init__(self) -> None:
        self.under_way: dict[str, tuple[asyncio.Task[Any], int]] = {}
        self.landed: OrderedDict[str, tuple[float, Any]] = OrderedDict()

    def lately(self, name: str, now: float) -> Any:
        landed = self.landed.get(name)
        return landed[1] if landed is not None and now - LINGERS < landed[0] <= now else None

    def land(self, name: str, result: Any, now: float) -> None:
        self.landed.pop(name, None)
        self.landed[name] = (now, result)
        while self.landed and (len(self.landed) > MOST_LINGERING or self._is_old(now)):
            self.landed.popitem(last=False)

    def _is_old(self, now: float) -> bool:
        return next(iter(self.landed.values()))[0] <= now - LINGERS


# For each door, that is for each process.
_flights: WeakKeyDictionary[Door, _Flights] = WeakKeyDictionary()


async def shared(door: Door, name: str, fetch: Callable[[], Awaitable[T]]) -> T:
    """What `fetch` gives; of all who ask for the same `name`, one does it. Raises what it raised, for all of them."""
    flights = _flights.setdefault(door, _Flights())
    lately: T | None = flights.lately(name, clock.now())
    if lately is not None:
        return lately
    task, others = flights.under_way.get(name) or (asyncio.ensure_future(_fly(flights, name, fetch)), 0)
    flights.under_way[name] = (task, others + 1)
    try:
        return await asyncio.shield(task)
    finally:
        _leave(flights, name, task)


async def _fly(flights: _Flights, name: str, fetch: Callable[[], Awaitable[T]]) -> T:
    result = await fetch()
    flights.land(name, result, clock.now())
    return result


def _leave(flights: _Flights, name: str, task: "asyncio.Task[Any]") -> None:
    """The last who waits takes the flight off the list, and ends it where it is not over."""
    mine, users = flights.under_way.get(name, (None, 0))
    if mine is not task:
        return
    if users > 1:
        flights.under_way[name] = (task, users - 1)
        return
    del flights.under_way[name]
    if not task.done():
        task.cancel()
