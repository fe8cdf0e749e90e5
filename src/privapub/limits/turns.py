"""Whose turn it is, where what is due is taken oldest first whoever sent it: one that floods delays itself alone."""

from collections import OrderedDict

AHEAD = 600.0  # seconds that the first of a host goes ahead of its time
STEP = 0.1  # seconds that each of a host comes after the one before


class Turns:
    """What a host sends counts as older than it is, the less the more it has sent lately.

    So behind ten thousand of one host the first of another is next, and of two that flood none waits for all of the
    other. At most `most` hosts are known, those that sent last.
    """

    def __init__(self, most: int = 10_000) -> None:
        """Nobody has sent anything."""
        self._most = most
        self._last: OrderedDict[str, float] = OrderedDict()

    def next(self, host: str, now: float) -> float:
        """The moment as of which something that this host sends now is due: `now` or before."""
        turn = min(now, max(now - AHEAD, self._last.get(host, 0.0) + STEP))
        self._last[host] = turn
        self._last.move_to_end(host)
        while len(self._last) > self._most or next(iter(self._last.values())) < now - AHEAD:
            self._last.popitem(last=False)
        return turn

    def __len__(self) -> int:
        """How many hosts are known."""
        return len(self._last)
