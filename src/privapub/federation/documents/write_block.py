"""Our Block as a document (ActivityPub, section 6.9)."""

from typing import Any

from privapub.federation.documents import context


def block(uri: str, blocker: str, blocked: str) -> dict[str, Any]:
    """The Block by which one keeps the other away; all are ids, and it goes to the blocked one alone."""
    return {"@context": context.PLAIN, "id": uri, "type": "Block", "actor": blocker, "object": blocked, "to": [blocked]}
