"""Our activities as documents (ActivityPub, sections 5 to 7).

Each activity takes its own id first or last as a string and names actors by their ids. A Follow inside another activity
has a string for its actor and its object: some servers cannot read more.
"""

from typing import Any

from privapub.actors.read import Actor
from privapub.federation.documents import context
from privapub.federation.documents.members import without_context, without_nothing
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.write_post import addressing, tombstone
from privapub.posts.read import Post


def create(document: dict[str, Any], uri: str) -> dict[str, Any]:
    """The Create of a post's document, addressed and dated like it."""
    return _about("Create", uri, document["attributedTo"], document)


def update(document: dict[str, Any], uri: str) -> dict[str, Any]:
    """The Update of a post's or an actor's document."""
    if "attributedTo" in document:
        return _about("Update", uri, document["attributedTo"], document)
    activity = _activity("Update", uri, document["id"], without_context(document))
    return {**activity, "@context": document["@context"], "to": [PUBLIC]}


def delete(post: Post, author: Actor, uri: str) -> dict[str, Any]:
    """The Delete of a post. It names nobody: those whom the post named are known to those who have it."""
    to, cc = addressing(post.audience, author, [])
    return {**_activity("Delete", uri, author.uri, without_context(tombstone(post))), "to": to, "cc": cc}


def follow(uri: str, follower: str, followed: str) -> dict[str, Any]:
    """The Follow by which one asks to follow the other."""
    return _activity("Follow", uri, follower, followed)


def accept(uri: str, actor: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The Accept of a Follow, which is embedded, to the one who asked."""
    return {**_activity("Accept", uri, actor, without_context(asked)), "to": [asked["actor"]]}


def reject(uri: str, actor: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The Reject of a Follow, which is embedded, to the one who asked."""
    return {**_activity("Reject", uri, actor, without_context(asked)), "to": [asked["actor"]]}


def undo(uri: str, actor: str, undone: dict[str, Any]) -> dict[str, Any]:
    """The Undo of an activity of the same actor, which is embedded."""
    return _activity("Undo", uri, actor, without_context(undone))


def _activity(kind: str, uri: str, actor: str, thing: Any) -> dict[str, Any]:
    return {"@context": context.PLAIN, "id": uri, "type": kind, "actor": actor, "object": thing}


def _about(kind: str, uri: str, actor: str, document: dict[str, Any]) -> dict[str, Any]:
    activity = {
        "@context": document["@context"],
        "id": uri,
        "type": kind,
        "actor": actor,
        "published": document["published"] if kind == "Create" else document.get("updated"),
        "to": document["to"],
        "cc": document["cc"],
        "object": without_context(document),
    }
    return without_nothing(activity)
