"""What reading one thread may cost, and a door that keeps to it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from privapub import clock
from privapub.federation.fetching.document import final
from privapub.federation.fetching.origin import bare, origin
from privapub.outbound.answers import Answer, FetchProblem
from privapub.outbound.client import LIMIT, TIMEOUT, Door, Hop, Sign
from privapub.outbound.validators import NONE, Validators

AT_ONCE_PER_HOST = 2
OBJECTS, COLLECTIONS, HOSTS, BYTES, SECONDS = 500, 500, 20, 8 << 20, 60.0
OVERDRAWN = "budget"
Kind = Literal["objects", "collections"]


@dataclass
class Budget:
    """What is left for one thread: requests, those for collections apart, hosts, bytes, and the time.

    It only ever shrinks. An object is a request for a post, for who wrote it, or for the address of that; each redirect
    is one more. `asked` holds every address that was asked for, so that none is asked for twice.
    """

    objects: int = OBJECTS
    collections: int = COLLECTIONS
    hosts: int = HOSTS
    bytes: int = BYTES
    seconds: float = SECONDS
    asked: set[tuple[str, bool]] = field(default_factory=set)
    met: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    begun: float = field(default_factory=clock.monotonic)

    @property
    def left(self) -> float:
        """The seconds that are left, 0 when there are none."""
        return max(0.0, self.seconds - (clock.monotonic() - self.begun))

    def spent(self) -> bool:
        """Whether nothing more may be asked for."""
        return self.objects <= 0 or self.bytes <= 0 or self.left <= 0

    def admit(self, url: str, kind: Kind, *, again: bool) -> None:
        """Count a request; FetchProblem where it may not be made. `again`: with the other signature, once."""
        host = origin(url)
        if self.spent() or getattr(self, kind) <= 0 or (host not in self.met and len(self.met) >= self.hosts):
            raise FetchProblem(host, OVERDRAWN)
        if host in self.silent or (bare(url), again) in self.asked:
            raise FetchProblem(host, "remembered")
        self.met.add(host)
        self.asked |= {(bare(url), False), (bare(url), again)}
        setattr(self, kind, getattr(self, kind) - 1)

    def came(self, size: int) -> None:
        """Count what was answered."""
        self.bytes -= size

    def failed(self, url: str, problem: FetchProblem) -> None:
        """A host that does not answer now is not asked again for this thread; what was too large has cost its limit."""
        if problem.reason == "too-large":
            self.bytes -= LIMIT
        if not final(problem) and problem.reason != "remembered":
            self.silent.add(origin(url))


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


class FrugalDoor(Door):
    """The same door, for as long as a budget lasts. It opens nothing of its own."""

    def __init__(self, door: Door, budget: Budget, turns: Turns, kind: Kind) -> None:
        """Ask through `door` for things of this kind."""
        self._door, self._budget, self._turns, self._kind = door, budget, turns, kind
        self.gate = door.gate

    async def get(
        self,
        url: str,
        *,
        accept: str,
        content_types: AbstractSet[str],
        limit: int = LIMIT,
        sign: Sign | None = None,
        same_host: bool = False,
        read: Callable[[bytes], object] | None = None,
        page: Callable[[bytes], object] | None = None,
        fresh: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109  # as in the door that it stands for
        hop: Hop | None = None,
        held: Validators = NONE,
    ) -> Answer:
        """As the door does, in turn and within the budget; FetchProblem `budget` beyond it.

        The turn is that of the first host: where a redirect leads, the connections of the door are the bound.
        """
        way = [url]

        def led_to(next_url: str) -> None:
            if hop is not None:
                hop(next_url)
            self._budget.admit(next_url, self._kind, again=fresh)
            way.append(next_url)

        self._budget.admit(url, self._kind, again=fresh)
        async with self._turns.at(origin(url)):
            left = min(TIMEOUT if timeout is None else timeout, self._budget.left)
            if left <= 0 or origin(url) in self._budget.silent:
                raise FetchProblem(origin(url), OVERDRAWN)
            try:
                answer = await self._door.get(
                    url,
                    accept=accept,
                    content_types=content_types,
                    limit=min(limit, max(1, self._budget.bytes)),
                    sign=sign,
                    same_host=same_host,
                    read=read,
                    page=page,
                    fresh=fresh,
                    timeout=left,
                    hop=led_to,
                    held=held,
                )
            except FetchProblem as problem:
                self._budget.failed(way[-1], problem)
                raise
        self._budget.came(len(answer.body))
        return answer

    async def post(self, url: str, body: bytes, *, content_type: str, sign: Sign | None) -> Answer:
        """Nothing is sent while a thread is read."""
        raise NotImplementedError

    async def refuses(self, url: str) -> bool:
        """As the door does."""
        return await self._door.refuses(url)

    def forget(self, host: str) -> None:
        """As the door does."""
        self._door.forget(host)

    async def close(self) -> None:
        """It is not ours to close."""
