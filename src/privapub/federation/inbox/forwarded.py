"""What somebody brings that somebody else did, at the door (ActivityPub, section 7.1.2; relays).

Whoever brings it vouches for nothing. It is as good as brought by its own actor where that actor signed the document
itself, and then what they signed is read and nothing else; else its origin is asked (`ask_origin`), and it only says
where to look. Only posts and actors are brought: what somebody says of their relations they say to whom it concerns,
since a document, unlike a request, says nothing of when it was sent, and could be brought again and again.
"""

from typing import Any

from privapub import scope
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.asker import Vouched, vouched
from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Through
from privapub.federation.inbox.audience import may_concern_brought
from privapub.federation.signatures.signed_inside import signed_inside
from privapub.posts import read as posts
from privapub.server import Server

BROUGHT = frozenset({"Create", "Update", "Delete"})
COPY = "copy"


async def needless(tx: Transaction, activity: Activity, through: Through) -> str | None:
    """Why it can change nothing here; None where it is worth a look. Nothing is fetched for that."""
    uri = activity.object_id or ""
    if is_about_itself(activity):
        known = await actors.by_uri(tx, uri)
        return "not-for-us" if known is None or known.is_gone else None
    post = await posts.by_uri(tx, uri)
    if post is not None:
        return COPY if activity.kind == "Create" or post.local or post.deleted_at is not None else None
    if activity.kind == "Delete":
        return None if await actors.by_uri(tx, activity.actor) is not None else "nothing-to-delete"
    return None if await may_concern_brought(tx, activity, through) else "not-for-us"


def is_about_itself(activity: Activity) -> bool:
    """Whether it is about its own actor: then what was signed once may be old, and the origin is asked (pure)."""
    return activity.object_id == activity.actor


async def signed_by_its_actor(
    server: Server, document: dict[str, Any], actor_uri: str, now: float
) -> tuple[Actor, dict[str, Any]] | None:
    """Its actor and what they signed, by the first signature within the document that holds; None where none does.

    A key elsewhere than at its actor's host could not be theirs, and is not asked for.
    """
    for claim in signed_inside(document):
        if not same_origin(claim.key_id, actor_uri) or await server.door.refuses(claim.key_id):
            continue
        with scope.trigger(scope.VERIFY):
            found = await vouched(server, claim, now)
        if isinstance(found, Vouched) and found.actor.uri == actor_uri:
            return found.actor, found.said
    return None
