"""Somebody deleted a post or themselves (ActivityPub, section 7.4), or took a yes to a quote back (FEP-044f)."""

from privapub.actors import read, remote
from privapub.database.transaction import Transaction
from privapub.federation.fetching.origin import origin
from privapub.federation.inbox.arrived import Arrived
from privapub.posts import quotes, receive
from privapub.posts import read as posts


async def on_delete(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """The same actor, and nobody else of that host. What has not come yet will not come to life."""
    object_id, signer = arrived.activity.object_id, arrived.signer
    if object_id is None:
        return "no-object"
    if object_id == signer.uri:
        await remote.mark_gone(tx, signer.id, now)
        return None
    if await read.by_uri(tx, object_id) is not None:
        return "not-theirs"
    known = await posts.by_uri(tx, object_id)
    if known is not None and known.author_id != signer.id:
        return "not-theirs"
    if known is None and await quotes.revoked(tx, object_id, signer.id):
        return None
    await receive.receive_delete(tx, object_id, signer.id, signer.uri, origin(signer.uri), now)
    return None
