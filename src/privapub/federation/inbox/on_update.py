"""Somebody changed a post or their profile (ActivityPub, section 7.3)."""

from privapub.actors import remote
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.read_actor import RemoteActor
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.actor import profile
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.on_create import on_create, received
from privapub.posts import read, receive


async def on_update_of_actor(tx: Transaction, record: RemoteActor, signer: Actor, now: float) -> str | None:
    """Nobody changes a profile but whose it is. The address stays: another one needs its host's word."""
    if record.uri != signer.uri:
        return "not-theirs"
    if record.handle != signer.handle:
        return "other-handle"
    await remote.learn(tx, profile(record, signer.host), now)
    return None


async def on_update_of_post(tx: Transaction, record: RemotePost, signer: Actor, owner: str, now: float) -> str | None:
    """What is not newer than what we have changes nothing; a post that we did not have is taken in as it is now."""
    known = await read.by_uri(tx, record.uri)
    if known is None:
        kept_out = await on_create(tx, record, signer, owner, now)
        if kept_out is None:
            # Its Create may have been taken in by another worker meanwhile: then this is an edit of it.
            await receive.receive_edit(tx, received(record), signer.id, (), now)
        return kept_out
    if record.author != signer.uri or known.author_id != signer.id:
        return "not-theirs"
    if known.deleted_at is not None:
        return "deleted-before"
    whom = await concerned(tx, record, signer, owner)
    changed = await receive.receive_edit(tx, received(record), signer.id, whom.recipient_ids, now)
    return None if changed else "not-newer"
