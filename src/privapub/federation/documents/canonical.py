"""The canonical content of a document (RFC 8785, JSON Canonicalization Scheme), by which copies are told."""

import hashlib
from typing import Any

from privapub.federation.documents import jcs
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.strict_json import MAX_EXACT

# What may differ between two copies of one thing: how it is vouched for, and how its names are explained.
_LEFT_OUT = frozenset({"signature", "proof", "@context"})


def digest(document: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of the document's canonical content: signatures, proofs and contexts left out.

    Raises BadDocument("bad-number") for what has no canonical form.
    """
    try:
        content = _content(document)
    except RecursionError:
        raise BadDocument("bad-number") from None
    return hashlib.sha256(jcs.canonical(content)).hexdigest()


def _content(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _content(item) for name, item in value.items() if name not in _LEFT_OUT}
    if isinstance(value, list):
        return [_content(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_EXACT:
        return float(value)
    return value
