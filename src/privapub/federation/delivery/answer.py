"""What the answer to a delivery means (SPEC 1.8). Pure."""

import re
from dataclasses import dataclass
from typing import Literal

from privapub import clock

WEEK = 7 * 86400.0

Kind = Literal["taken", "knock", "busy", "moved", "gone", "final", "failed"]


@dataclass(frozen=True)
class Verdict:
    """What to do now.

    taken: it arrived. knock: the signature was not liked, the other scheme is worth one try. busy: the whole host asks
    for `after` seconds of peace. moved: the inbox is said to be elsewhere. gone: the actor may be no more. final: never
    try this one again. failed: try again later.
    """

    kind: Kind
    why: str
    after: float = 0.0


def judge(status: int, retry_after: str | None, now: float) -> Verdict:
    """The verdict on a status and the `Retry-After` header beside it."""
    why = f"answered {status}"
    if 200 <= status < 300:
        return Verdict("taken", "")
    if status in (429, 503):
        after = seconds_to_wait(retry_after, now)
        return Verdict("failed", why) if after is None else Verdict("busy", why, after)
    if status in (301, 302, 303, 307, 308):
        return Verdict("moved", why)
    if status in (401, 403):
        return Verdict("knock", why)
    if status == 410:
        return Verdict("gone", why)
    if 400 <= status < 500 and status != 408:
        return Verdict("final", why)
    return Verdict("failed", why)


def seconds_to_wait(retry_after: str | None, now: float) -> float | None:
    """The seconds that a `Retry-After` header names (RFC 9110, section 10.2.3), a week at most.

    None where it is absent, garbage, negative or already past.
    """
    if retry_after is None:
        return None
    text = retry_after.strip()
    if re.fullmatch(r"[0-9]{1,18}", text):
        seconds = float(text)
    else:
        moment = clock.from_http_date(text)
        if moment is None or moment <= now:
            return None
        seconds = moment - now
    return min(seconds, WEEK)
