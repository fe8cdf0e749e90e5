"""The only file that reads a clock.

Moments are seconds since 1970-01-01T00:00Z as a float, everywhere: in tables, in records, in arguments named `now` or
ending in `_at`. Documents and pages turn them into text at their edge (`iso`, `http_date`).
"""

import time
from datetime import UTC, datetime
from functools import lru_cache


class _Offset:
    seconds = 0.0


def now() -> float:
    """The present moment, in seconds since 1970."""
    return time.time() + _Offset.seconds


def offset() -> float:
    """How far this process' idea of the time is ahead of the system's: zero outside tests, which move it."""
    return _Offset.seconds


def advance(seconds: float) -> None:
    """Move this process' clock (for tests)."""
    _Offset.seconds += seconds


def reset() -> None:
    """Back to the system's time (for tests)."""
    _Offset.seconds = 0.0


def monotonic() -> float:
    """For measuring durations: seconds from an arbitrary start."""
    return time.monotonic()


async def sleep(seconds: float) -> None:
    """Wait in real seconds (the moved clock of a test does not shorten it)."""
    import asyncio  # noqa: PLC0415 - it takes 7 MB, and the parent that only watches over a server has no loop

    await asyncio.sleep(seconds)


def iso(moment: float) -> str:
    """RFC 3339 in UTC with milliseconds, as ActivityStreams documents write it: `2026-12-01T10:00:00.000Z`."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_day(moment: float) -> str:
    """The day alone: `2026-12-01`."""
    return _iso_day(int(moment // 86400))


@lru_cache(maxsize=8)  # all that is counted is counted for today
def _iso_day(day: int) -> str:
    return datetime.fromtimestamp(day * 86400, UTC).date().isoformat()


def http_date(moment: float) -> str:
    """IMF-fixdate of RFC 9110, section 5.6.7."""
    return _imf_fixdate(int(moment))


@lru_cache(maxsize=2)  # many requests are signed within one second
def _imf_fixdate(second: int) -> str:
    from email.utils import formatdate  # noqa: PLC0415 - the parent that only watches over a server knows no headers

    return formatdate(second, usegmt=True)


@lru_cache(maxsize=64)
def from_http_date(text: str) -> float | None:
    """A `Date` or `Retry-After` header's moment, or None where it is none."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - as above

    try:
        moment = parsedate_to_datetime(text)
        # `-0000` is a time in UTC too (RFC 5322, section 3.3), and not one where this process happens to be.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
