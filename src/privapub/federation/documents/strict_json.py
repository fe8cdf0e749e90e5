"""JSON as RFC 8259 has it, read without its freedoms: one meaning for every reader, and nothing a database cannot hold.

Refused: what is not UTF-8 or not JSON, nesting deeper than 32, a name twice in one object, NUL or an unpaired surrogate
in an id that says who did what to what. Everywhere else one bad value costs itself alone: NUL and unpaired surrogates
become U+FFFD, which no address is taken with (`properties.fit_for_id`), and a number beyond a double becomes null.
Whole numbers that a double cannot hold exactly become doubles (section 6).
"""

import json
import math
import re
from typing import Any, NoReturn

from privapub.federation.documents.problems import BadDocument
from privapub.markup.characters import storable

MAX_DEPTH = 32
MAX_EXACT = 2**53 - 1
# Both stand in a string only where they are spelled out: JSON has no controls in one, UTF-8 no surrogates.
_UNSTORABLE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
# Members that are ids or hold what has them, from the outermost object on: a document with such an id that cannot be
# one is not guessed at. What a post has beside it (tags, files, pages, collections) is not among them.
ID_MEMBERS = frozenset(
    {
        "id", "@id", "actor", "object", "target", "origin", "result", "instrument", "attributedTo", "to", "cc", "bto",
        "bcc", "audience", "inReplyTo", "inbox", "publicKey", "assertionMethod", "owner", "controller",
    }
)  # fmt: skip


def read(body: bytes) -> dict[str, Any]:
    """The object that the bytes hold.

    Raises BadDocument with the reason `not-json`, `not-an-object`, `duplicate-key`, `too-deep` or `bad-id`.
    """
    try:
        text = body.decode("utf-8-sig")
        document = _DECODER.decode(text)
    except RecursionError:
        raise BadDocument("too-deep") from None
    except ValueError:
        # UnicodeDecodeError and JSONDecodeError are ValueErrors.
        raise BadDocument("not-json") from None
    if not isinstance(document, dict):
        raise BadDocument("not-an-object")
    if _UNSTORABLE.search(text) is None:
        _check_depth(document, MAX_DEPTH)
        return document
    cleaned = _scrubbed(document, MAX_DEPTH, is_id=True)
    assert isinstance(cleaned, dict)  # noqa: S101 - what goes in as an object comes out as one
    return cleaned


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadDocument("duplicate-key")
    return members


def _no_number(_text: str) -> NoReturn:
    raise BadDocument("not-json")


def _whole(text: str) -> int | float | None:
    if len(text) < len(str(MAX_EXACT)):
        return int(text)
    number = _double(text)
    return number if number is None or abs(number) > MAX_EXACT else int(text)


def _double(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number, parse_int=_whole, parse_float=_double)


def _check_depth(value: dict[str, Any] | list[Any], depth: int) -> None:
    if depth == 0:
        raise BadDocument("too-deep")
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            _check_depth(item, depth - 1)


def _scrubbed(value: Any, depth: int, *, is_id: bool) -> Any:
    """The value with unstorable characters replaced; `is_id`: it stands where an id, or what has one, stands."""
    if isinstance(value, str):
        clean = storable(value)
        if clean != value and is_id:
            raise BadDocument("bad-id")
        return clean
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        raise BadDocument("too-deep")
    if isinstance(value, list):
        return [_scrubbed(item, depth - 1, is_id=is_id) for item in value]
    # A name that would have to be scrubbed is nobody's: it goes, so that it cannot become another one.
    return {
        name: _scrubbed(item, depth - 1, is_id=is_id and name in ID_MEMBERS)
        for name, item in value.items()
        if storable(name) == name
    }
