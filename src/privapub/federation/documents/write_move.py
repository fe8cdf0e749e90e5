"""The Move of an actor of ours to another one (ActivityStreams Vocabulary: Move; Mastodon)."""

from typing import Any

from privapub.actors.read import Actor
from privapub.federation.documents import context


def move(uri: str, actor: Actor, target: str) -> dict[str, Any]:
    """Sent to the followers, who check that the target names the actor among its aliases."""
    return {
        "@context": context.PLAIN,
        "id": uri,
        "type": "Move",
        "actor": actor.uri,
        "to": [actor.followers] if actor.followers else [],
        "object": actor.uri,
        "target": target,
    }
