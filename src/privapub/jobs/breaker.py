"""When we stop knocking at a host that does not answer, and when we knock again. Pure.

healthy ──ten failures in a row──► quarantined for an hour ──its end──► one probe goes out alone
   ▲                                   ▲                                     │        │
   │                                   └───── failed: twice as long, ────────┘        │
   │                                          a week at most                          │
   └──────────────────────────────── answered ────────────────────────────────────────┘
"""

from dataclasses import dataclass, replace

FAILURES = 10
FIRST = 3600.0
LONGEST = 7 * 86400.0


@dataclass(frozen=True)
class Health:
    """What is known of a host: failures in a row, and its quarantine, from when until when and how long (0: none)."""

    fails: int = 0
    opened_at: float = 0.0
    open_until: float = 0.0
    quarantine: float = 0.0


HEALTHY = Health()  # and so is a host that answered, whatever it was before


def failed(health: Health, leased_at: float, now: float) -> Health:
    """The health after a failure of a job that was leased at `leased_at`.

    What was under way before a quarantine began tells nothing new, and does not lengthen it.
    """
    if health.quarantine and leased_at < health.opened_at:
        return health
    fails = health.fails + 1
    if not health.quarantine and fails < FAILURES:
        return replace(health, fails=fails)
    length = min(health.quarantine * 2, LONGEST) if health.quarantine else FIRST
    return Health(fails, now, now + length, length)


def wrote(health: Health, now: float) -> Health:
    """The health after the host wrote to us: that proves nothing of the way there, but is worth a probe at once."""
    return replace(health, open_until=min(health.open_until, now))
