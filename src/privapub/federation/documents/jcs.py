"""JSON in its one canonical form (RFC 8785, JSON Canonicalization Scheme)."""

from typing import Any

import msgspec
import rfc8785

from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.strict_json import MAX_EXACT

# The canonical form of nearly everything, in a twentieth of the time: not of doubles, nor of names beyond ASCII, which
# the standard sorts by UTF-16.
_PLAIN = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """The canonical form of what `strict_json` read, or of a document of ours.

    Raises BadDocument("bad-number") for what has none: numbers that no double holds, unpaired surrogates.
    """
    try:
        return _PLAIN.encode(value) if _is_plain(value) else rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError):
        raise BadDocument("bad-number") from None


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        return all(map(str.isascii, value)) and all(map(_is_plain, value.values()))
    if kind is list:
        return all(map(_is_plain, value))
    return kind is str or kind is bool or value is None or (kind is int and abs(value) <= MAX_EXACT)
