"""Somebody wrote a post (ActivityPub, section 7.2)."""

import msgspec

from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_actor import KINDS as ACTORS
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.federation.inbox.audience import concerned, may_concern
from privapub.markup.clean import clean
from privapub.posts import receive
from privapub.posts.receive import ReceivedPost


async def on_create(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Taken in if the signer wrote it and it concerns anybody here."""
    record = told(arrived)
    if isinstance(record, str):
        return record
    return await take_in(tx, record, arrived.signer, arrived.owner, now)


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """A post that is only named is fetched, where it may concern somebody here."""
    activity = arrived.activity
    if activity.object is not None or activity.object_id is None:
        return None
    concerns = await may_concern(tx, (*activity.to, *activity.cc), arrived.signer, arrived.owner)
    return Wanted("post", activity.object_id) if concerns else None


def told(arrived: Arrived) -> RemotePost | str:
    """The post that the activity is about, fetched or embedded; else the reason why there is none (pure)."""
    activity, fetched = arrived.activity, arrived.fetched
    if fetched.problem is not None and (activity.object is None or fetched.problem == "gone"):
        return fetched.problem
    if activity.object is not None and set(types(activity.object)) & ACTORS:
        return "not-theirs"
    if fetched.post is not None and fetched.post.uri != activity.object_id:
        return "not-theirs"
    if fetched.post is not None:
        return fetched.post
    return "not-for-us" if activity.object is None else read_post(activity.object)


async def take_in(tx: Transaction, record: RemotePost, signer: Actor, owner: str, now: float) -> str | None:
    """Keep the post if the signer wrote it and it concerns anybody here."""
    if record.author != signer.uri or not same_origin(record.uri, signer.uri):
        return "not-theirs"
    if is_vote(record):
        return "vote"
    whom = await concerned(tx, record, signer, owner)
    if not whom.anybody:
        return "not-for-us"
    kept = await receive.receive(tx, received(record), signer.id, whom.audience, whom.recipient_ids, now)
    return None if kept is not None else "deleted-before"


def is_vote(record: RemotePost) -> bool:
    """A Note with a name and nothing else is a vote in somebody's poll."""
    return record.kind == "Note" and bool(record.name) and not record.content and record.in_reply_to is not None


def received(record: RemotePost) -> ReceivedPost:
    """What is kept of a post's document: its HTML cleaned."""
    return ReceivedPost(
        uri=record.uri,
        content=clean(record.content),
        published_at=record.published_at,
        updated_at=record.updated_at,
        kind=record.kind,
        summary=record.summary,
        sensitive=record.sensitive,
        language=record.language,
        url=record.url,
        in_reply_to=record.in_reply_to,
        tags=tuple(msgspec.to_builtins(tag) for tag in record.tags),
        attachments=tuple(msgspec.to_builtins(attachment) for attachment in record.attachments),
    )
