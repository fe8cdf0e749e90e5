"""Hears of what happens, in this process and in others, and hands it on to those who listen in this one.

Numbers of events are given before their transactions are committed: on PostgreSQL one may be seen after a later one. So
the last ones are looked at again, and each is handed on once.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import structlog

from privapub import clock
from privapub.database.connect import Database
from privapub.jobs.wake import hear_others
from privapub.stream import events
from privapub.stream.events import TOPIC, Event

Hear = Callable[[Sequence[Event]], Awaitable[None]]

AGAIN = 200  # of the last events, that are looked at again
AT_ONCE = 500
POLL = 5.0  # seconds after which it looks although nothing was heard

log = structlog.get_logger(__name__)


class Broker:
    """One for the process. It looks only while somebody listens."""

    def __init__(self, database: Database) -> None:
        """Nothing is looked at before the first `listening`."""
        self._database = database
        self._hearers: list[Hear] = []
        self._wake = asyncio.Event()
        self._running: list[asyncio.Task[None]] = []
        self._last = 0
        self._handed: set[int] = set()

    @contextlib.asynccontextmanager
    async def listening(self, hear: Hear) -> AsyncIterator[None]:
        """`hear` is told of all that happens from now on; what it raises is its own trouble."""
        if not self._hearers:
            async with self._database.read() as tx:
                self._last = await events.last(tx)
                seen = await events.since(tx, self._last - AGAIN, AGAIN)
            self._handed = {each.id for each in seen}
            self._begin()
        self._hearers.append(hear)
        try:
            yield
        finally:
            self._hearers.remove(hear)
            if not self._hearers:
                await self._end()

    def _begin(self) -> None:
        self._database.listen(TOPIC, self._wake.set)
        ready = asyncio.Event()
        self._running = [
            asyncio.create_task(hear_others(self._database, TOPIC, ready)),
            asyncio.create_task(self._run()),
        ]

    async def _end(self) -> None:
        self._database.deaf(TOPIC, self._wake.set)
        running, self._running = self._running, []
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL):
                    await self._wake.wait()
            self._wake.clear()
            try:
                while await self._look():
                    pass
            except Exception as error:  # noqa: BLE001 - a database that is away must not end what is live for ever
                log.warning("events not read", error=type(error).__name__)
                await clock.sleep(1.0)
                self._wake.set()

    async def _look(self) -> bool:
        """Hand on what is new; whether there is more."""
        async with self._database.read() as tx:
            found = await events.since(tx, self._last - AGAIN, AT_ONCE + AGAIN)
        new = [each for each in found if each.id not in self._handed]
        if not new:
            return False
        self._last = max(self._last, found[-1].id)
        self._handed = {each.id for each in found if each.id > self._last - AGAIN}
        for hear in tuple(self._hearers):
            try:
                await hear(new)
            except Exception as error:
                log.warning("an event was not told", error=type(error).__name__, exc_info=error)
        return len(found) == AT_ONCE + AGAIN
