"""Dates and durations as they are written (AS2 Core, section 2.3; XML Schema dateTime and duration)."""

import re
from datetime import UTC, datetime
from typing import Any

from privapub.federation.documents.limits import MAX_NAME

_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.IGNORECASE | re.ASCII,
)
_DURATION = re.compile(
    r"P(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?", re.IGNORECASE | re.ASCII
)
_LONGEST_ZONE = 14 * 3600


def moment(value: Any) -> float | None:
    """The moment of an xsd:dateTime, in seconds since 1970: with any number of digits, and UTC where no zone is said.

    A date alone is its beginning. None for what is none, or lies before 1970.
    """
    for item in value if isinstance(value, list) else (value,):
        found = _MOMENT.fullmatch(item.strip()) if isinstance(item, str) and len(item) <= MAX_NAME else None
        if found is None:
            continue
        year, month, day = (int(part) for part in found.groups()[:3])
        hour, minute, second = int(found[4] or 0), int(found[5] or 0), min(int(found[6] or 0), 59)
        zone = _zone(found[8] or "Z")
        try:
            at = datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
        except ValueError:
            continue
        at += float(f"0.{found[7] or 0}") - zone
        if at >= 0 and abs(zone) <= _LONGEST_ZONE:
            return at
    return None


def on_their_clock(value: Any) -> str:
    """The same for people, as the clock stood where it was written: `2026-03-01 10:00 UTC` or `… +02:00`; else ""."""
    for item in value if isinstance(value, list) else (value,):
        if moment(item) is None or not isinstance(item, str):
            continue
        found = _MOMENT.fullmatch(item.strip())
        assert found is not None  # noqa: S101  # a moment matches
        day = f"{found[1]}-{found[2]}-{found[3]}"
        if found[4] is None:
            return day
        zone = (found[8] or "Z").upper()
        return f"{day} {found[4]}:{found[5]} {'UTC' if zone == 'Z' else zone}"
    return ""


def duration(value: Any) -> float | None:
    """The seconds of an xsd:duration of days and less, or of a number; None for what is neither."""
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, int | float) and not isinstance(item, bool) and 0 < item < 10**9:
            return float(item)
        found = _DURATION.fullmatch(item.strip()) if isinstance(item, str) and len(item) <= MAX_NAME else None
        if found is not None and any(found.groups()):
            days, hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
            return days * 86400 + hours * 3600 + minutes * 60 + seconds
    return None


def _zone(text: str) -> float:
    if text in {"Z", "z"}:
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    return (-1 if text[0] == "-" else 1) * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)
