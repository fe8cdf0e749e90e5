"""Which failures are not asked for again for a while: in memory only, and bounded."""

from collections import OrderedDict

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# How long a failure is believed. A gate's word (`disallowed`) and what was itself remembered are not in it.
HOW_LONG = {
    "404": DAY,
    "410": 30 * DAY,
    "401": HOUR,
    "403": HOUR,
    "timeout": HOUR,
    "network": 10 * MINUTE,
    "private-address": HOUR,
    "bad-redirect": HOUR,
    "too-many-redirects": HOUR,
    "content-type": HOUR,
    "too-large": DAY,
    "bad-json": HOUR,
}
OTHER_STATUS = 10 * MINUTE  # 5xx, 429 and the rare ones

Key = tuple[str, str, bool]  # URL, Accept, signed: another way of asking may get another answer


def how_long(reason: str) -> float:
    """Seconds for which a failure of this reason is remembered."""
    return HOW_LONG.get(reason, OTHER_STATUS if reason.isdecimal() else 0.0)


class Remembered:
    """The failures of the recent past, the least recently met dropped first."""

    def __init__(self, most: int = 10_000) -> None:
        """Hold no more than `most`."""
        self._most = most
        self._until: OrderedDict[Key, tuple[float, str]] = OrderedDict()
        self._by_host: dict[str, set[Key]] = {}

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

    def add(self, key: Key, host: str, reason: str, now: float) -> None:
        """Remember that this failed, for as long as the reason says."""
        seconds = how_long(reason)
        if seconds <= 0:
            return
        self.drop(key)
        self._until[key] = (now + seconds, host)
        self._by_host.setdefault(host, set()).add(key)
        while len(self._until) > self._most:
            self.drop(next(iter(self._until)))

    def forget(self, host: str) -> None:
        """Drop all that is remembered of a host."""
        for key in tuple(self._by_host.get(host, ())):
            self.drop(key)

    def drop(self, key: Key) -> None:
        """Drop one: it has succeeded, or its time is over."""
        entry = self._until.pop(key, None)
        if entry is None:
            return
        keys = self._by_host[entry[1]]
        keys.discard(key)
        if not keys:
            del self._by_host[entry[1]]

    def __len__(self) -> int:
        """How many there are."""
        return len(self._until)
