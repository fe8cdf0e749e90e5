"""The door as the reading of a thread goes through it: no address twice, and to one host not much at a time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from privapub.federation.fetching.document import final
from privapub.federation.fetching.origin import bare, origin
from privapub.outbound.answers import Answer, FetchProblem
from privapub.outbound.client import Door, Hop

AT_ONCE_PER_HOST = 2


class Turns:
    """At most two requests at a time for each host, over all threads that one process reads."""

    def __init__(self, at_once: int = AT_ONCE_PER_HOST) -> None:
        """Nobody waits yet."""
        self._at_once = at_once
        self._places: dict[str, asyncio.Semaphore] = {}
        self._users: Counter[str] = Counter()

    @asynccontextmanager
    async def at(self, host: str) -> AsyncIterator[None]:
        """A place at this host, as soon as there is one."""
        places = self._places.setdefault(host, asyncio.Semaphore(self._at_once))
        self._users[host] += 1
        try:
            async with places:
                yield
        finally:
            self._users[host] -= 1
            if not self._users[host]:
                del self._users[host], self._places[host]


class CarefulDoor(Door):
    """The same door, for one reading of one thread: for whatever was asked for, and whoever is silent, it is shut.

    It opens nothing of its own.
    """

    def __init__(self, door: Door, turns: Turns) -> None:
        """Ask through `door`."""
        self._door, self._turns = door, turns
        self._asked: set[tuple[str, bool]] = set()
        self.silent: set[str] = set()  # hosts that do not answer now
        self.gate = door.gate

    async def get(self, url: str, *, fresh: bool = False, hop: Hop | None = None, **how: Any) -> Answer:
        """As the door does, in turn; FetchProblem `remembered` for what was asked for, or is of a silent host.

        The turn is that of the first host: where a redirect leads, the connections of the door are the bound.
        """
        way: list[str] = []

        def led_to(next_url: str) -> None:
            if hop is not None:
                hop(next_url)
            self._once(next_url, again=fresh)
            way.append(next_url)

        self._once(url, again=fresh)
        way.append(url)
        async with self._turns.at(origin(url)):
            if origin(url) in self.silent:  # since it waited
                raise FetchProblem(origin(url), "remembered")
            try:
                return await self._door.get(url, fresh=fresh, hop=led_to, **how)
            except FetchProblem as problem:
                if not final(problem) and problem.reason != "remembered":
                    self.silent.add(origin(way[-1]))
                raise

    def _once(self, url: str, *, again: bool) -> None:
        """Ask for each address once, and `again` once, with the other signature."""
        if origin(url) in self.silent or (bare(url), again) in self._asked:
            raise FetchProblem(origin(url), "remembered")
        self._asked |= {(bare(url), False), (bare(url), again)}

    async def post(self, *_what: Any, **_how: Any) -> Answer:
        """Nothing is sent while a thread is read: RuntimeError for whoever tries."""
        raise RuntimeError("the door of a thread sends nothing")

    async def refuses(self, url: str) -> bool:
        """As the door does."""
        return await self._door.refuses(url)

    def forget(self, host: str) -> None:
        """As the door does."""
        self._door.forget(host)

    async def close(self) -> None:
        """It is not ours to close."""
