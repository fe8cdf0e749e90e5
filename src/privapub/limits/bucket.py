"""Token buckets: so many at once, and then so many a second."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

_SWEPT = 2  # old buckets that are looked at with each that is drawn from


@dataclass(frozen=True)
class Rate:
    """What a bucket gains in a second, and what it holds at most."""

    a_second: float
    burst: float

    @classmethod
    def a_minute(cls, number: int) -> "Rate":
        """So many a minute, all of them at once if need be."""
        return cls(number / 60, float(number))

    def left(self, before: float, seconds: float) -> float:
        """What is in a bucket that held `before`, so many seconds later (pure); a clock set back gains nothing."""
        return min(self.burst, before + max(0.0, seconds) * self.a_second)

    def wait(self, left: float) -> float:
        """Seconds until there is a token where there are `left`; 0 where there is one (pure)."""
        return max(0.0, (1.0 - left) / self.a_second)


class Buckets:
    """A bucket for each key; one that is not in the table is full.

    At most `most` are kept: the one least lately drawn from goes first, which is the one that lacks least.
    """

    def __init__(self, rate: Rate, most: int = 10_000) -> None:
        """All are full."""
        self.rate = rate
        self._most = most
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable, now: float) -> float:
        """Seconds until this bucket has a token; 0 where it has one. Nothing is drawn."""
        return self.rate.wait(self._of(key, now))

    def left(self, key: Hashable, now: float) -> float:
        """How many tokens there are in this bucket, below 0 where some are owed."""
        return self._of(key, now)

    def draw(self, key: Hashable, now: float, tokens: float = 1.0) -> None:
        """Take tokens, whether they are there or not: what is owed must be gained first."""
        self._set(key, self._of(key, now) - tokens, now)

    def give_back(self, key: Hashable, now: float, tokens: float = 1.0) -> None:
        """What was drawn was not used up."""
        if key in self._left:
            self._set(key, min(self.rate.burst, self._of(key, now) + tokens), now)

    def _of(self, key: Hashable, now: float) -> float:
        entry = self._left.get(key)
        return self.rate.burst if entry is None else self.rate.left(entry[0], now - entry[1])

    def _set(self, key: Hashable, left: float, now: float) -> None:
        self._left[key] = (left, now)
        self._left.move_to_end(key)
        for _ in range(_SWEPT):
            oldest = next(iter(self._left))
            if len(self._left) <= self._most and self._of(oldest, now) < self.rate.burst:
                break
            del self._left[oldest]
            if not self._left:
                break

    def __len__(self) -> int:
        """How many are not full, as far as has been looked."""
        return len(self._left)


class Lately:
    """Keys that were seen within so many seconds, the newest `most` of them."""

    def __init__(self, seconds: float, most: int = 10_000) -> None:
        """None was seen."""
        self._seconds = seconds
        self._most = most
        self._at: OrderedDict[Hashable, float] = OrderedDict()

    def saw(self, key: Hashable, now: float) -> None:
        """It is seen now."""
        self._at[key] = now
        self._at.move_to_end(key)
        while len(self._at) > self._most or next(iter(self._at.values())) <= now - self._seconds:
            self._at.popitem(last=False)

    def has(self, key: Hashable, now: float) -> bool:
        """Whether it was seen a short while ago."""
        at = self._at.get(key)
        return at is not None and at > now - self._seconds

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._at)
