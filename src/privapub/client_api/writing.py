"""What a program says of a post that it writes, read; and refused in Mastodon's words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from privapub.client_api import params
from privapub.client_api.call import Call
from privapub.client_api.problems import Refused
from privapub.errors import InvalidInput
from privapub.identifiers import number_in
from privapub.media.attach import MOST as MOST_FILES
from privapub.posts import polls
from privapub.posts.polls import NewPoll
from privapub.posts.publish import SOURCE_LENGTH
from privapub.posts.quotes import POLICIES

AUDIENCES = {"public": "public", "unlisted": "unlisted", "private": "followers", "direct": "direct"}  # by its word here


@dataclass(frozen=True)
class Asked:
    """How long a poll lasts is None where it does not say: that of one that is edited stays."""

    options: tuple[str, ...]
    multiple: bool
    lasts: float | None
    hides: bool = False

    @property
    def poll(self) -> NewPoll:
        """The poll, which lasts a day where it does not say."""
        return NewPoll(self.options, self.multiple, 86_400.0 if self.lasts is None else self.lasts, self.hides)


def text_of(call: Call, *, bare: bool) -> tuple[str, str]:
    """The text and its warning; a warning without a text is the text. `bare`: there is nothing else to read."""
    text, summary = call.text("status"), call.text("spoiler_text").strip()
    if not text.strip() and summary:
        text, summary = summary, ""
    if bare and not text.strip():
        raise InvalidInput("Text can't be blank")
    if len(text) + len(summary) > SOURCE_LENGTH:
        raise InvalidInput(f"Text character limit of {SOURCE_LENGTH} exceeded")
    return text, summary


def audience_of(call: Call, default: str) -> str:
    """For whom it is."""
    if not call.text("visibility"):
        return default
    if (word := call.text("visibility")) not in AUDIENCES:
        raise InvalidInput("Visibility is not included in the list")
    return AUDIENCES[word]


def policy_of(call: Call, default: str) -> str:
    """Who may quote it."""
    if not call.text("quote_approval_policy"):
        return default
    if (word := call.text("quote_approval_policy")) not in POLICIES:
        raise InvalidInput("Quote approval policy is not included in the list")
    return word


def media_of(call: Call) -> list[int]:
    """The numbers of its uploads."""
    said = [each for each in call.texts("media_ids") if each]
    found = call.ids("media_ids")
    if len(said) > MOST_FILES:
        raise Refused(f"Cannot attach more than {MOST_FILES} files")
    if len(found) < len(said) or len(set(found)) < len(found):
        raise Refused("Media not found or already attached to another post")
    return found


def poll_of(call: Call) -> Asked | None:
    """The poll that it asks."""
    given = call.given.get("poll")
    if not isinstance(given, Mapping):
        return None
    inner = replace(call, given=given)
    options = tuple(option.strip() for option in inner.texts("options") if option.strip())
    if not options:
        return None
    if len(options) < polls.FEWEST_OPTIONS:
        raise InvalidInput("Options must have more than one item")
    if len(options) > polls.MOST_OPTIONS:
        raise InvalidInput(f"Options can't contain more than {polls.MOST_OPTIONS} items")
    if any(len(option) > polls.OPTION_LENGTH for option in options):
        raise InvalidInput(f"Options cannot be longer than {polls.OPTION_LENGTH} characters each")
    if len(set(options)) < len(options):
        raise InvalidInput("Options contain duplicate items")
    lasts = float(inner.number("expires_in", -1, -1, 10**12)) if inner.has("expires_in") else None
    if lasts is not None and lasts < polls.SHORTEST:
        raise InvalidInput("Expires at is too soon")
    if lasts is not None and lasts > polls.LONGEST:
        raise InvalidInput("Expires at is too far into the future")
    return Asked(options, bool(inner.flag("multiple")), lasts, bool(inner.flag("hide_totals")))


def number_of(call: Call, name: str) -> str | None:
    """The number of a post that is named; of what can be none, one that nobody has."""
    text = call.text(name).strip()
    return str(number_in(text) or 0) if text else None


def moment_of(call: Call, name: str) -> float | None:
    """A moment, as ISO 8601 writes it; None where none is given. Raises Refused for what is none."""
    if not call.text(name):
        return None
    try:
        found = datetime.fromisoformat(call.text(name).strip()[:40])
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise Refused("Record invalid") from None  # so Mastodon says of what is no moment, and no more


def focus_of(text: str) -> tuple[float, float] | None:
    """What matters of a picture: `x,y`. What is none is none, and what lies outside is at the edge."""
    try:
        x, y = (min(max(float(part), -1.0), 1.0) for part in text.split(","))
    except ValueError:
        return None
    return None if x != x or y != y else (x, y)  # noqa: PLR0124 - what is no number is not itself


def attributes_of(call: Call) -> dict[int, dict[str, Any]]:
    """What is said anew of files: by their number, `description` and `focus`."""
    found: dict[int, dict[str, Any]] = {}
    for each in params.items(call.given.get("media_attributes")):
        if isinstance(each, Mapping) and (number := number_in(str(each.get("id", "")))) is not None:
            found[number] = {name: str(each[name]) for name in ("description", "focus") if each.get(name) is not None}
    return found
