"""Somebody changed a post or their profile (ActivityPub, section 7.3)."""

from privapub.actors import remote
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_actor import RemoteActor, read_actor
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.actor import profile
from privapub.federation.inbox import check_quote
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.on_create import may_be_for_us, take_in, told
from privapub.federation.inbox.received import received
from privapub.link_previews import plan as previews
from privapub.notifications.notify import of_edit
from privapub.posts import quotes, read, receive
from privapub.proxy import prefetch
from privapub.stream import events


async def on_update(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Of their profile if that is what it names, else of a post."""
    activity, signer, fetched = arrived.activity, arrived.signer, arrived.fetched
    if activity.object_id == signer.uri:
        if activity.object is None:  # it was fetched, and learnt, or could not be
            return fetched.problem
        return await _on_update_of_actor(tx, read_actor(activity.object), signer, now)
    record = told(arrived)
    return record if isinstance(record, str) else await _on_update_of_post(tx, record, arrived, now)


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """The profile or the post where it is only named; a post that we do not have too: the Update may be old by now."""
    activity, signer = arrived.activity, arrived.signer
    if activity.object_id == signer.uri:
        return _want_of_actor(arrived)
    if activity.object_id is None or not await may_be_for_us(tx, arrived):
        return None
    known = await read.by_uri(tx, activity.object_id)
    return Wanted("post", activity.object_id) if activity.object is None or known is None else None


def _want_of_actor(arrived: Arrived) -> Wanted | None:
    uri = arrived.signer.uri
    if arrived.activity.object is None:
        return Wanted("actor", uri)
    try:
        record = read_actor(arrived.activity.object)
    except BadDocument:
        return None
    return Wanted("address", uri) if record.uri == uri and record.handle != arrived.signer.handle else None


async def _on_update_of_actor(tx: Transaction, record: RemoteActor, signer: Actor, now: float) -> str | None:
    """Nobody changes a profile but whose it is. The address stays: another one needs its host's word."""
    if record.uri != signer.uri:
        return "not-theirs"
    if record.handle != signer.handle:
        return "other-handle"
    said = profile(record, signer.host)
    await remote.learn(tx, said, now)
    await prefetch.plan(tx, prefetch.of_actor(said.icon, said.image, said.tags), now)
    return None


async def _on_update_of_post(tx: Transaction, record: RemotePost, arrived: Arrived, now: float) -> str | None:
    """What is not newer than what we have changes nothing; a post that we did not have is taken in as it is now."""
    signer, owner = arrived.signer, arrived.owner
    known = await read.by_uri(tx, record.uri)
    if known is None:
        kept_out = await take_in(tx, record, signer, owner, now, arrived.through)
        if kept_out is None:
            # Its Create may have been taken in by another worker meanwhile: then this is an edit of it.
            await receive.receive_edit(tx, received(record, signer), signer.id, (), now)
        return kept_out
    if record.author != signer.uri or known.author_id != signer.id:
        return "not-theirs"
    if known.deleted_at is not None:
        return "deleted-before"
    whom = await concerned(tx, record, signer, owner)
    # A stamp may come without the post being edited: it is looked at whatever the document's date says.
    stamped = await quotes.stamped(tx, known.id, record.quote, record.quote_authorization)
    changed = await receive.receive_edit(tx, received(record, signer), signer.id, whom.recipient_ids, now)
    if (now_known := await read.by_id(tx, known.id)) is not None:
        await check_quote.plan(tx, now_known, signer.uri)
        if now_known.edited_at != known.edited_at:
            await of_edit(tx, now_known, now)
            await events.say(tx, events.EDIT, now_known.id)
            await previews.plan(tx, now_known, now)
            await prefetch.plan(tx, prefetch.of_post(now_known.attachments, now_known.tags), now)
    return None if changed or stamped else "not-newer"
