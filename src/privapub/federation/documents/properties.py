"""How single values of ActivityStreams 2.0 are read (Vocabulary, sections 3 and 4; JSON-LD's freedoms).

Any property may be absent, null, a scalar, an object or a list of those. Each function here takes the raw value and
answers with something plain and bounded; what is of the wrong kind counts as absent. `fields` reads whole objects with
these, and notes what could not be read.
"""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from privapub.federation.documents.limits import MAX_COUNT, MAX_ID, MAX_IDS, MAX_NAME, MAX_TOTAL
from privapub.federation.documents.terms import plain_name
from privapub.markup.clean import plain

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
_PUBLIC_SPELLINGS = frozenset({PUBLIC, "as:Public", "Public"})  # ActivityPub, section 5.6; letter case matters
# U+FFFD: a character that was taken out of an id would have made another id of it.
_UNFIT_FOR_ID = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufffd\ud800-\udfff]")
_WEB = re.compile(r"https?://[^/?#\s@]+(?:[/?#]|$)", re.IGNORECASE)
_MOST_LINKS = 200


def each(value: Any) -> list[Any]:
    """The values of a property, none where it is absent or null."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a property."""
    return [item for item in each(value) if isinstance(item, dict)]


def types(document: dict[str, Any]) -> list[str]:
    """Every type of the object, without the prefix of the vocabulary."""
    found = each(document.get("type", document.get("@type")))
    return [plain_name(name) for name in found[:MAX_IDS] if isinstance(name, str) and 0 < len(name) <= MAX_NAME]


def fit_for_id(text: Any) -> bool:
    """Whether this is a string that can be an id: not empty, not too long, without white space and controls."""
    return isinstance(text, str) and 0 < len(text) <= MAX_ID and not _UNFIT_FOR_ID.search(text)


def identity(value: Any) -> str | None:
    """The id that a value is or has, verbatim; of a list the first. A Link is what it points to."""
    for item in each(value):
        candidate = item
        if isinstance(item, dict):
            candidate = item.get("id", item.get("@id", item.get("href")))
        if fit_for_id(candidate):
            return str(candidate)
    return None


def web_id(value: Any) -> str | None:
    """The same where it must be an http or https URL with a host, a port that there is and no user in it."""
    found = identity(value)
    return found if found and is_web(found) else None


def is_web(url: str) -> bool:
    """Whether this is an http or https URL whose host and port can be read: what cannot would fail at each use."""
    if not _WEB.match(url):
        return False
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def identities(value: Any, limit: int = MAX_IDS) -> tuple[str, ...]:
    """Every id in a property, each once, in order; Public in its one full spelling."""
    found: dict[str, None] = {}
    for item in each(value):
        one = identity(item)
        if one is not None:
            found[PUBLIC if one in _PUBLIC_SPELLINGS else one] = None
            if len(found) == limit:
                break
    return tuple(found)


def string(value: Any, limit: int) -> str:
    """The first string of a property as it came, cut at `limit` characters."""
    for item in each(value):
        if isinstance(item, str):
            return item[:limit]
    return ""


def line(value: Any, limit: int = MAX_NAME) -> str:
    """The first string of a property as one line of plain text, cut at `limit` characters."""
    return plain(string(value, 4 * limit))[:limit].rstrip()


def flag(value: Any) -> bool:
    """Whether a property is true (some write it as a string)."""
    return any(item is True or (isinstance(item, str) and item.lower() == "true") for item in each(value))


def number(value: Any) -> float | None:
    """A number that is one, or a string of one; None for what is none or endless."""
    for item in each(value):
        if isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= MAX_COUNT:
            return float(item)
        if isinstance(item, str) and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", item):
            return float(item)
    return None


def count(value: Any) -> int | None:
    """A whole number of things, none or more, a billion at most; of a collection how many it holds."""
    for item in each(value):
        said = item.get("totalItems") if isinstance(item, dict) else item
        if isinstance(said, int | float) and said > MAX_TOTAL:  # also one that is too great to be a `number`
            return MAX_TOTAL
        found = number(said)
        if found is not None and found >= 0:
            return min(int(found), MAX_TOTAL)
    return None


def media_type(value: Any) -> str:
    """The media type that an object says, in lower case, without its parameters; "" where it says none."""
    said = value.get("mediaType") or value.get("mimeType") or value.get("media_type")
    return line(said, 100).partition(";")[0].strip().lower()


def links(value: Any) -> list[tuple[str, str]]:
    """The web addresses that a `url`-like property names, as (address, media type or ""): strings, Links, images."""
    found: list[tuple[str, str]] = []
    for item in each(value)[:_MOST_LINKS]:
        if isinstance(item, dict):
            below = item.get("href", item.get("url"))
            kind = media_type(item)
            if isinstance(below, dict | list):
                found += [(url, of or kind) for url, of in links(below)]
            elif isinstance(below, str) and fit_for_id(below) and is_web(below):
                found.append((below, kind))
        elif isinstance(item, str) and fit_for_id(item) and is_web(item):
            found.append((item, ""))
    # WordPress writes addresses of pictures as they stand in its HTML.
    return [(url.replace("&#038;", "&"), kind) for url, kind in found[:_MOST_LINKS]]


def link(value: Any, preferred: Iterable[str] = ()) -> str | None:
    """The web address that a `url`-like property names; one with a preferred media type wins, then the first."""
    wanted = tuple(preferred)
    found = links(value)
    return next((url for url, kind in found if kind in wanted), found[0][0] if found else None)
