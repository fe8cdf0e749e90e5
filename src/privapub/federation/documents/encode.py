"""Documents as bytes."""

from typing import Any

import msgspec

ACTIVITY_JSON = "application/activity+json"
LD_JSON = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'


def encode(document: dict[str, Any]) -> bytes:
    """The document as JSON in UTF-8, its members in the order in which they were written."""
    return msgspec.json.encode(document)
