"""What the answer to a delivery means: an HTTP status, as a verdict. Pure."""

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
    try this one again. failed: try again later. `heard`: True says that the host is well (any answer below 500),
    False that it is not, None nothing of it.
    """

    kind: Kind
    why: str
    after: float = 0.0
    heard: bool | None = None


_BY_STATUS: dict[int, Kind] = {
    301: "moved", 302: "moved", 303: "moved", 307: "moved", 308: "moved",
    401: "knock", 403: "knock",
    408: "failed",
    410: "gone",
}  # fmt: skip
_BY_CLASS: dict[int, Kind] = {2: "taken", 4: "final"}


def judge(status: int, retry_after: str | None, now: float) -> Verdict:
    """The verdict on a status and the `Retry-After` header beside it."""
    why = f"answered {status}"
    heard = status < 500
    if status in (429, 503):
        after = seconds_to_wait(retry_after, now)
        if after is None:
            return Verdict("failed", why, heard=heard)
        return Verdict("busy", why, after, heard or None)  # one that says when it will be back has not failed
    return Verdict(_BY_STATUS.get(status) or _BY_CLASS.get(status // 100, "failed"), why, heard=heard)


def seconds_to_wait(retry_after: str | None, now: float) -> float | None:
    """The seconds that a `Retry-After` header names (RFC 9110, section 10.2.3), a week at most.

    None where it is absent, garbage, negative, zero or already past.
    """
    if retry_after is None:
        return None
    text = retry_after.strip()
    is_number = re.fullmatch(r"[0-9]{1,18}", text)
    seconds = float(text) if is_number else (clock.from_http_date(text) or now) - now
    return min(seconds, WEEK) if seconds > 0 else None
