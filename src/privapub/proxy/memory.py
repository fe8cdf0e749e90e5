"""What a process keeps in memory for the proxy: its secret, what it found, and which files were read of late.

Nothing here tells who read what, or when: of a reading remains that the file was read after others.
"""

import asyncio
from collections import OrderedDict
from pathlib import Path

from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.proxy import cache
from privapub.proxy.addresses import ProxyUrls
from privapub.proxy.cache import Kept
from privapub.proxy.folder import CacheFolder
from privapub.telemetry.tables import proxy_count
from privapub.telemetry.tally import Tally

HIT, MISS = "hit", "miss"
FLUSH_EVERY = 10.0  # seconds
MOST_KNOWN = 10_000
LOOK_EVERY = 0.1  # seconds
LONGEST_WAIT = 10.0  # seconds for which a reader waits for what is fetched for them
ASKED_FOR = 5.0  # seconds in which readers who miss the same file put nothing more into the queue


class Proxy(Tally):
    """One for the process; `flush` writes down what was counted and what was read."""

    def __init__(self, database: Database, base_url: str, folder: Path) -> None:
        """Around the folder of the cache; nothing is read before it is needed."""
        super().__init__(database, proxy_count, FLUSH_EVERY)
        self.folder = CacheFolder(folder)
        self._base_url = base_url
        self._urls: ProxyUrls | None = None
        self._known: OrderedDict[str, Kept] = OrderedDict()
        self._read: set[str] = set()
        self._asked: OrderedDict[str, float] = OrderedDict()
        self._waiting: dict[str, asyncio.Task[Kept | None]] = {}

    async def urls(self, tx: Transaction) -> ProxyUrls | None:
        """What makes addresses; None where no server has been started on this database yet."""
        if self._urls is None:
            self._urls = await cache.urls(tx, self._base_url)
        return self._urls

    async def its_urls(self) -> ProxyUrls | None:
        """As `urls`, for whoever has no transaction."""
        if self._urls is None:
            async with self._database.read() as tx:
                return await self.urls(tx)
        return self._urls

    async def find(self, key: str) -> Kept | None:
        """What is known of a file. What was ready once is believed to be so still: its bytes never change."""
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
            return found
        async with self._database.read() as tx:
            found = await cache.look(tx, key)
        if found is not None and found.state == cache.READY:
            self.believe(key, found)
        return found

    def believe(self, key: str, found: Kept) -> None:
        """What is known of this file is so until it is lost; of very many the last are remembered."""
        self._asked.pop(key, None)
        self._known[key] = found
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    def lost(self, key: str) -> None:
        """What was believed of this file is not so any more."""
        self._known.pop(key, None)

    def is_first(self, key: str) -> bool:
        """Whether nobody else missed this file a moment ago: each who asks for it anew is a write, whoever they are."""
        now = clock.now()
        if 0 <= now - self._asked.get(key, now - ASKED_FOR) < ASKED_FOR:
            return False
        self._asked[key] = now
        self._asked.move_to_end(key)
        while len(self._asked) > MOST_KNOWN:
            self._asked.popitem(last=False)
        return True

    def note(self, key: str, outcome: str) -> None:
        """A reader wanted this file, and it was there or was not."""
        self.count((clock.iso_day(clock.now()), outcome))
        if outcome == HIT:
            self._read.add(key)

    async def wait(self, key: str) -> Kept | None:
        """What has become of a file that is being fetched: all who wait for it in this process look as one."""
        task = self._waiting.get(key)
        if task is None:
            task = self._waiting[key] = asyncio.create_task(self._wait(key))
            task.add_done_callback(lambda _: self._waiting.pop(key, None))
        return await asyncio.shield(task)

    async def _wait(self, key: str) -> Kept | None:
        until = clock.monotonic() + LONGEST_WAIT
        found = await self.find(key)
        while (found is None or (found.state == cache.COMING and not found.is_readable)) and clock.monotonic() < until:
            await clock.sleep(LOOK_EVERY)  # another process fetches it, and tells nobody but the table
            found = await self.find(key)
        return found

    async def flush(self) -> None:
        """Write down what was counted, and that what was read is not to go first."""
        await super().flush()
        keys, self._read = self._read, set()
        if keys:
            async with self._database.write() as tx:
                await cache.touch(tx, keys)
