"""Which failures are not asked for again for a while: in memory only, and bounded."""

import hashlib
from collections import OrderedDict
from collections.abc import Collection

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# How long a failure is believed; `docs/reference/remembered.md` is written from these. The word of a gate or of a
# budget is not in it, nor what was itself remembered: of those the other server knows nothing.
HOW_LONG = {
    "404": DAY,
    "410": 30 * DAY,
    "401": HOUR,
    "403": HOUR,
    "408": 10 * MINUTE,
    "425": 10 * MINUTE,
    "429": 10 * MINUTE,
    "timeout": HOUR,
    "network": 10 * MINUTE,
    "private-address": HOUR,
    "bad-redirect": HOUR,
    "too-many-redirects": HOUR,
    "content-type": HOUR,
    "too-large": DAY,
    "bad-json": HOUR,
}
OTHER_4XX = HOUR
OTHER_STATUS = 10 * MINUTE  # 5xx, and what is no answer to a GET

Key = bytes  # of a fixed length, however long the URL is, and not to be read by whoever looks into the memory


def key(url: str, accept: str, *, signed: bool) -> Key:
    """What is remembered of a request: another way of asking may get another answer."""
    return hashlib.blake2b(f"{signed:d} {accept}\n{url}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def how_long(reason: str) -> float:
    """Seconds for which a failure of this reason is remembered."""
    if reason.isdecimal():
        return HOW_LONG.get(reason, OTHER_4XX if 400 <= int(reason) < 500 else OTHER_STATUS)
    return HOW_LONG.get(reason, 0.0)


class Remembered:
    """The failures of the recent past, the least recently met dropped first."""

    def __init__(self, most: int = 10_000) -> None:
        """Hold no more than `most`."""
        self._most = most
        self._until: OrderedDict[Key, tuple[float, frozenset[str]]] = OrderedDict()
        self._by_host: dict[str, set[Key]] = {}
        self._prune_at = 0.0

    def holds(self, key: Key, now: float) -> bool:
        """Whether this failed a short while ago."""
        entry = self._until.get(key)
        if entry is None:
            return False
        if entry[0] <= now:
            self.drop(key)
            return False
        self._until.move_to_end(key)
        return True

    def add(self, key: Key, hosts: Collection[str], reason: str, now: float) -> None:
        """Remember that this failed, for as long as the reason says; `hosts` are all that were asked on the way."""
        seconds = how_long(reason)
        if seconds <= 0:
            return
        self._prune(now)
        self.drop(key)
        self._until[key] = (now + seconds, frozenset(hosts))
        for host in self._until[key][1]:
            self._by_host.setdefault(host, set()).add(key)
        while len(self._until) > self._most:
            self.drop(next(iter(self._until)))

    def _prune(self, now: float) -> None:
        """Drop what is over, every ten minutes: few ask again for what failed."""
        if now < self._prune_at:
            return
        self._prune_at = now + 10 * MINUTE
        for key in [key for key, (until, _) in self._until.items() if until <= now]:
            self.drop(key)

    def forget(self, host: str) -> None:
        """Drop all in which a host had a part."""
        for key in tuple(self._by_host.get(host, ())):
            self.drop(key)

    def drop(self, key: Key) -> None:
        """Drop one: it has succeeded, or its time is over."""
        entry = self._until.pop(key, None)
        if entry is None:
            return
        for host in entry[1]:
            keys = self._by_host[host]
            keys.discard(key)
            if not keys:
                del self._by_host[host]

    def __len__(self) -> int:
        """How many there are."""
        return len(self._until)
