"""Somebody takes back what they did before (ActivityPub, section 7.10): here, a Follow of one of ours."""

from privapub.actors import read as actors
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import identity, types
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.kinds import named
from privapub.federation.inbox.store import remember_undone
from privapub.federation.inbox.undone import undo_key
from privapub.follows import follow
from privapub.follows import read as follows


async def on_undo(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """The same actor, and nobody else of that host. Matched by actor and object, else by the id, which may be bare.

    One that matches nothing is remembered for a while, since what it undoes may be on its way.
    """
    activity, signer = arrived.activity, arrived.signer
    embedded = activity.object or {}
    kind = next(iter(types(embedded)), None)
    if kind not in (None, "Follow"):
        return f"undo-of-{named(kind)}"
    if activity.object_id is None and not embedded:
        return "no-object"
    if identity(embedded.get("actor")) not in (None, signer.uri):
        return "not-theirs"
    about = identity(embedded.get("object"))
    followed = None if about is None else await actors.by_uri(tx, about)
    if followed is None and activity.object_id is not None:
        known = await follows.by_uri(tx, activity.object_id, follower_id=signer.id)
        followed = None if known is None else await actors.by_id(tx, known.followed_id)
    if followed is not None and followed.local and await follow.undo(tx, signer.id, followed.id, now):
        return None
    await remember_undone(tx, undo_key(signer.uri, "Follow", activity.object_id, about), now)
    return "nothing-to-undo"
