"""The canonical content of a document (RFC 8785, JSON Canonicalization Scheme), by which copies are told."""

import hashlib
import json
from typing import Any

import rfc8785

from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.strict_json import MAX_EXACT

# What may differ between two copies of one thing: how it is vouched for, and how its names are explained.
_LEFT_OUT = frozenset({"signature", "proof", "@context"})
# The canonical form of nearly everything, much sooner: not of doubles, nor of objects with names beyond ASCII, which
# Python puts in an order of its own.
_PLAIN = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))


def digest(document: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of the document's canonical content: signatures, proofs and contexts left out.

    Raises BadDocument("bad-number") for what has no canonical form.
    """
    odd: list[Any] = []
    try:
        content = _content(document, odd)
        return hashlib.sha256(rfc8785.dumps(content) if odd else _PLAIN.encode(content).encode()).hexdigest()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError):
        raise BadDocument("bad-number") from None


def _content(value: Any, odd: list[Any]) -> Any:
    """What counts of a value; to `odd` goes what Python writes in another way than the standard."""
    if isinstance(value, dict):
        odd += [name for name in value if not name.isascii()]
        return {name: _content(item, odd) for name, item in value.items() if name not in _LEFT_OUT}
    if isinstance(value, list):
        return [_content(item, odd) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_EXACT:
        value = float(value)
    if isinstance(value, float):
        odd.append(value)
    return value
