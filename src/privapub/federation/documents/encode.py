"""Documents as bytes."""

from typing import Any

import msgspec


def encode(document: dict[str, Any]) -> bytes:
    """The document as JSON in UTF-8, its members in the order in which they were written."""
    return msgspec.json.encode(document)
