"""What happens is handed on to whoever listens, also after everything before it was forgotten."""

import asyncio
from collections.abc import Sequence

from privapub import clock
from privapub.database.connect import Database
from privapub.stream import events
from privapub.stream.broker import AGAIN, Broker
from privapub.stream.events import Event


class Heard:
    """Who listens, and what it heard."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[int] = asyncio.Queue()

    async def hear(self, some: Sequence[Event]) -> None:
        for each in some:
            self.events.put_nowait(each.ref)

    async def next(self) -> int:
        async with asyncio.timeout(20):
            return await self.events.get()


async def say(database: Database, *refs: int) -> None:
    async with database.write() as tx:
        await events.say_each(tx, events.POST, refs)


async def test_what_happens_after_all_was_forgotten_is_heard(database: Database) -> None:
    heard = Heard()
    await say(database, *range(AGAIN + 50))
    async with Broker(database).listening(heard.hear):
        await say(database, 1001)
        assert await heard.next() == 1001
        async with database.write() as tx:
            await events.prune(tx, clock.now() + 2 * events.KEPT)
        await say(database, 1002)
        assert await heard.next() == 1002
        assert heard.events.empty()
