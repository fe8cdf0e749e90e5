"""Whether the clock by which leases end can be believed. Pure.

On SQLite that is the machine's own. Set forward by an hour it makes every lease look expired, although their workers
live and renew them by a clock that runs evenly: so for a while after a jump, and after a start (just before which it
may have jumped), nobody is taken for dead. On PostgreSQL leases end by the database's clock.
"""

from dataclasses import dataclass

JUMP = 20.0  # seconds by which two clocks may differ from one look to the next, be it on a busy machine
PATIENCE = 2  # looks: within them every worker that lives renews what it holds


@dataclass
class Clocks:
    """The machine's clock beside one that runs evenly, from look to look."""

    patient: bool = True
    ahead: float | None = None
    looks: int = PATIENCE

    def may_reap(self, now: float, even: float) -> bool:
        """Whether leases that look expired at `now` are; `even` is the time of the clock that runs evenly."""
        ahead = now - even
        if self.ahead is not None and abs(ahead - self.ahead) > JUMP:
            self.looks = PATIENCE
        self.ahead = ahead
        if self.patient and self.looks:
            self.looks -= 1
            return False
        return True
