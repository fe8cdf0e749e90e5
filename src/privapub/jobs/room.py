"""When a process makes room for a job that must run alone. Pure.

A process that is never idle would never come to such a job, and one that waits for a handler of hours would do nothing
else: so it takes nothing new for a while, then works as usual for as long, and each time the while doubles.
"""

from dataclasses import dataclass

FIRST = 30.0


@dataclass
class Room:
    """Making room; moments are on any clock that runs evenly."""

    patience: float = FIRST
    until: float | None = None
    not_before: float = 0.0

    def wanted(self, now: float) -> None:
        """A job waits that must run alone, and something runs beside."""
        if self.until is None and now >= self.not_before:
            self.until = now + self.patience

    def making(self, now: float) -> bool:
        """Whether nothing new is to be taken now."""
        if self.until is None:
            return False
        if now < self.until:
            return True
        self.until = None
        self.not_before = now + self.patience
        self.patience *= 2
        return False

    def had(self) -> None:
        """There was room, and what had to run alone has been looked for."""
        self.until = None
        self.patience = FIRST
