"""The Flag by which a report goes to the server of whom it is about (ActivityStreams Vocabulary: Flag; Mastodon)."""

from collections.abc import Iterable
from typing import Any

from privapub.federation.documents import context


def flag(uri: str, application: str, target: str, post_uris: Iterable[str], comment: str) -> dict[str, Any]:
    """Its actor is the one of the server itself: who reports is told to nobody. The target stands first."""
    return {
        "@context": context.PLAIN,
        "id": uri,
        "type": "Flag",
        "actor": application,
        "to": [target],
        "content": comment,
        "object": [target, *post_uris],
    }
