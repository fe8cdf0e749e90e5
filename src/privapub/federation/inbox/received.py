"""A post's document as it is kept here, and keeping it: whoever brought it or asked for it, in one place."""

import msgspec

from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.inbox.audience import Concerned
from privapub.markup.clean import clean
from privapub.posts import receive
from privapub.posts.polls import ToldPoll
from privapub.posts.read import QUESTION
from privapub.posts.receive import ReceivedPost


async def keep(
    tx: Transaction,
    record: RemotePost,
    author: Actor,
    whom: Concerned,
    now: float,
    *,
    trigger: str = "",
    quoted: bool = False,
) -> int | None:
    """Keep a post for whom it concerns (`audience.concerned`) and return its number, as `posts.receive` says.

    That the document is its author's, and whether it is wanted here, the caller has seen to.
    """
    told = received(record, author)
    return await receive.receive(
        tx, told, author.id, whom.audience, whom.recipient_ids, now, trigger=trigger, quoted=quoted
    )


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
        poll=_told_poll(record),
    )


def _told_poll(record: RemotePost) -> ToldPoll | None:
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
