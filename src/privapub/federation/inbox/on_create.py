"""Somebody wrote a post (ActivityPub, section 7.2)."""

import msgspec

from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import PUBLIC, types
from privapub.federation.documents.read_actor import KINDS as ACTORS
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.federation.inbox.audience import concerned, may_concern
from privapub.markup.clean import clean
from privapub.posts import polls, receive, threads
from privapub.posts import read as posts
from privapub.posts.polls import ToldPoll
from privapub.posts.read import QUESTION
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
    return Wanted("post", activity.object_id, shared=True) if concerns else None


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
        return await _vote(tx, record, signer, now)
    whom = await concerned(tx, record, signer, owner)
    if not whom.anybody:
        return "not-for-us"
    kept = await receive.receive(tx, received(record, signer), signer.id, whom.audience, whom.recipient_ids, now)
    if kept is None:
        return "deleted-before"
    await threads.answered(tx, record.in_reply_to, whom.audience, now)
    return None


async def _vote(tx: Transaction, record: RemotePost, signer: Actor, now: float) -> str | None:
    """It is counted, and kept nowhere as a post."""
    asked = await posts.by_uri(tx, record.in_reply_to or "")
    if asked is None:
        return "no-poll"
    return await polls.take_vote(tx, asked, signer.id, record.name, record.uri, now)


def is_vote(record: RemotePost) -> bool:
    """A Note with a name and nothing else is a vote in somebody's poll."""
    said = record.content or record.attachments or record.summary
    return record.kind == "Note" and bool(record.name) and not said and record.in_reply_to is not None


def received(record: RemotePost, author: Actor) -> ReceivedPost:
    """What is kept of a post's document: its HTML cleaned. `author` tells which collection its followers are."""
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
        translations=tuple((language, clean(html)) for language, html in record.translations),
        license=record.license,
        quote=record.quote,
        quote_stamp=record.quote_authorization,
        quote_policy=_quote_policy(record, author.followers),
        context=record.context,
        conversation=record.conversation,
        replies=record.replies.uri,
        likes_elsewhere=record.likes.total,
        shares_elsewhere=record.shares.total,
        replies_elsewhere=record.replies.total,
        notes=record.notes,
        poll=told_poll(record),
    )


def told_poll(record: RemotePost) -> ToldPoll | None:
    """What a post asks, as it is kept."""
    poll = record.poll if record.kind == QUESTION else None
    if poll is None:
        return None
    options = tuple((option.name, option.votes) for option in poll.options)
    return ToldPoll(options, poll.multiple, poll.voters, poll.ends_at, poll.closed)


def _quote_policy(record: RemotePost, followers: str | None) -> str:
    """Who may quote it: whoever is not sure to be meant may not. A post that says nothing asks for nothing."""
    policy = record.quote_policy
    if policy is None or PUBLIC in (*policy.automatic, *policy.manual):
        return "public"
    return "followers" if followers is not None and followers in (*policy.automatic, *policy.manual) else "nobody"
