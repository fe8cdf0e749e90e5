"""How the properties of ActivityStreams 2.0 objects are read (Vocabulary, sections 3 and 4; JSON-LD's freedoms).

Any property may be absent, null, a scalar, an object or a list of those. Each function here takes the raw value and
answers with something plain and bounded; what is of the wrong kind counts as absent.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from privapub.markup.clean import plain

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
_PUBLIC_SPELLINGS = frozenset({PUBLIC, "as:Public", "Public"})  # ActivityPub, section 5.6; letter case matters
MAX_ID = 2048
MAX_IDS = 1000
MAX_NAME = 500
MAX_HTML = 100_000
_UNFIT_FOR_ID = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WEB = re.compile(r"https?://[^/?#\s@]+(?:[/?#]|$)", re.IGNORECASE)
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d:?\d\d)?", re.IGNORECASE | re.ASCII
)


def each(value: Any) -> list[Any]:
    """The values of a property, none where it is absent or null."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def types(document: dict[str, Any]) -> list[str]:
    """Every type of the object, without the prefix of the vocabulary."""
    found = each(document.get("type", document.get("@type")))
    return [_bare(name) for name in found if isinstance(name, str) and 0 < len(name) <= MAX_NAME]


def _bare(name: str) -> str:
    return name.removeprefix("as:").removeprefix("https://www.w3.org/ns/activitystreams#")


def fit_for_id(text: Any) -> bool:
    """Whether this is a string that can be an id: not empty, not too long, without white space and controls."""
    return isinstance(text, str) and 0 < len(text) <= MAX_ID and not _UNFIT_FOR_ID.search(text)


def identity(value: Any) -> str | None:
    """The id that a value is or has, verbatim; of a list the first."""
    for item in each(value):
        candidate = item.get("id", item.get("@id")) if isinstance(item, dict) else item
        if fit_for_id(candidate):
            return str(candidate)
    return None


def web_id(value: Any) -> str | None:
    """The same where it must be an http or https URL with a host, a port that there is and no user in it."""
    found = identity(value)
    return found if found and _WEB.match(found) and _has_a_place(found) else None


def _has_a_place(url: str) -> bool:
    """Whether host and port can be read: what cannot would fail at each use."""
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


def line(value: Any, limit: int = MAX_NAME) -> str:
    """The first string of a property as one line of plain text, cut at `limit` characters."""
    return plain(string(value, 4 * limit))[:limit].rstrip()


def string(value: Any, limit: int) -> str:
    """The first string of a property as it came, cut at `limit` characters."""
    for item in each(value):
        if isinstance(item, str):
            return item[:limit]
        if isinstance(item, dict) and isinstance(item.get("@value"), str):
            return str(item["@value"])[:limit]
    return ""


def by_language(document: dict[str, Any], name: str, limit: int) -> tuple[str, str | None]:
    """A natural-language property and its language: `name`, else the first entry of `nameMap`.

    The language is that of the only entry of the map, or of the entry that says the same as `name`.
    """
    text = string(document.get(name), limit)
    entries = document.get(f"{name}Map")
    found = (
        [(tag, said[:limit]) for tag, said in entries.items() if isinstance(said, str)]
        if isinstance(entries, dict)
        else []
    )
    for tag, said in found:
        if not text or said == text or len(found) == 1:
            return text or said, language(tag)
    return text, None


def language(tag: Any) -> str | None:
    """A language tag (BCP 47), or None where it is none."""
    if isinstance(tag, dict):
        tag = tag.get("identifier")
    if isinstance(tag, str) and re.fullmatch(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}", tag) and tag.lower() != "und":
        return tag
    return None


def flag(value: Any) -> bool:
    """Whether a property is true (some write it as a string)."""
    return any(item is True or item == "true" for item in each(value))


def moment(value: Any) -> float | None:
    """The moment of an xsd:dateTime, in seconds since 1970: with any number of digits, and UTC where no zone is said.

    None for what is none, or lies before 1970.
    """
    for item in each(value):
        found = _MOMENT.fullmatch(item.strip()) if isinstance(item, str) and len(item) <= MAX_NAME else None
        if found is None:
            continue
        year, month, day, hour, minute = (int(part) for part in found.groups()[:5])
        second = min(int(found[6] or 0), 59)
        try:
            at = datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
        except ValueError:
            continue
        at += float(f"0.{found[7] or 0}") - _zone(found[8] or "Z")
        if at >= 0:
            return at
    return None


def _zone(text: str) -> float:
    if text in {"Z", "z"}:
        return 0
    sign = -1 if text[0] == "-" else 1
    return sign * (int(text[1:3]) * 3600 + int(text[-2:]) * 60)


def link(value: Any, preferred: Iterable[str] = ()) -> str | None:
    """The web address that a `url`-like property names: a string, a Link or a list of them.

    Links with one of the preferred media types win, then the first.
    """
    wanted = tuple(preferred)
    first = None
    for item in each(value):
        url, media_type = item, None
        if isinstance(item, dict):
            url, media_type = item.get("href", item.get("url")), item.get("mediaType")
            if isinstance(url, list | dict):
                url = link(url, wanted)
        if not fit_for_id(url) or not _WEB.match(str(url)):
            continue
        if isinstance(media_type, str) and media_type in wanted:
            return str(url)
        first = first or str(url)
    return first
