"""Our boosts as documents (ActivityStreams Vocabulary: Announce; ActivityPub, section 7.11)."""

from typing import Any

from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.documents import context
from privapub.federation.documents.write_activity import undo
from privapub.federation.documents.write_post import addressing


def announce(uri: str, booster: Actor, post: str, author: str, audience: str, boosted_at: float) -> dict[str, Any]:
    """The Announce of a post, named by its id alone, to the booster's followers and the post's author."""
    to, cc = addressing(audience, booster, [author] if author != booster.uri else [])
    return {
        "@context": context.PLAIN,
        "id": uri,
        "type": "Announce",
        "actor": booster.uri,
        "published": clock.iso(boosted_at),
        "to": to,
        "cc": cc,
        "object": post,
    }


def undo_announce(uri: str, announced: dict[str, Any]) -> dict[str, Any]:
    """The Undo of it, which embeds it whole, to the same ones."""
    return {**undo(uri, announced["actor"], announced), "to": announced["to"], "cc": announced["cc"]}
