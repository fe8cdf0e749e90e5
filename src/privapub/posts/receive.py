"""A post from elsewhere arrives, changes, goes. Each may come twice and in any order."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import and_, bindparam, case, or_, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put_fact
from privapub.posts import polls, read, tags, text_index, tombstones, versions
from privapub.posts.delete import empty
from privapub.posts.facts import PostReceived
from privapub.posts.polls import ToldPoll
from privapub.posts.recipients import name
from privapub.posts.tables import post

# Kept as they are told, and replaced by each edit.
_AS_TOLD = (
    "license", "quote", "quote_stamp", "quote_policy", "context", "conversation", "replies", "likes_elsewhere",
    "shares_elsewhere", "replies_elsewhere",
)  # fmt: skip
# Made once: they are executed for every post that comes in.
_INSERT = post.insert()
_ANSWERS = (
    update(post)
    .where(post.c.in_reply_to == bindparam("first"), post.c.in_reply_to_id.is_(None))
    .values(in_reply_to_id=bindparam("first_id"))
)


@dataclass(frozen=True)
class ReceivedPost:
    """What a post's own host says of it.

    `content` and the HTML of `translations` have been cleaned by the caller; the rest is plain text. `quote_policy` is
    "public", "followers" or "nobody"; `notes` tell what could not be read: (property, sentence).
    """

    uri: str
    content: str
    published_at: float | None = None
    updated_at: float | None = None
    kind: str = "Note"
    summary: str = ""
    sensitive: bool = False
    language: str | None = None
    url: str | None = None
    in_reply_to: str | None = None
    tags: tuple[Mapping[str, Any], ...] = field(default=())
    attachments: tuple[Mapping[str, Any], ...] = field(default=())
    translations: tuple[tuple[str, str], ...] = ()
    license: str = ""
    quote: str | None = None
    quote_stamp: str | None = None
    quote_policy: str = "public"
    context: str | None = None
    conversation: str | None = None
    replies: str | None = None
    likes_elsewhere: int | None = None
    shares_elsewhere: int | None = None
    replies_elsewhere: int | None = None
    notes: tuple[tuple[str, str], ...] = ()
    poll: ToldPoll | None = None


async def receive(
    tx: Transaction,
    record: ReceivedPost,
    author_id: int,
    audience: str,
    recipient_ids: Collection[int],
    now: float,
    *,
    trigger: str = "",
    quoted: bool = False,
) -> int | None:
    """Keep a remote actor's post and return its number; fact PostReceived where it, or whom it names, is new.

    `trigger` is "request" where it was fetched for a reader; `quoted`, that it was fetched because another quotes it.

    None where it is not to be kept: its author deleted it (perhaps before it came), or the uri is another's.
    Once kept, the audience never changes; the author may name more.
    """
    await tx.alone(record.uri)  # its Delete may be handled at once
    known = await read.by_uri(tx, record.uri)
    if known is not None:
        if known.local or known.author_id != author_id or known.deleted_at is not None:
            return None
        if await name(tx, known.id, set(recipient_ids) - {author_id}):
            await text_index.keep(tx, known.id)
            await put_fact(tx, PostReceived(known.id), about=f"post {known.id}")
        return known.id
    if await tombstones.holds_back(tx, record.uri, author_id, now):
        return None
    post_id = await _insert(tx, record, author_id, audience, now)
    await name(tx, post_id, set(recipient_ids) - {author_id})
    await tx.change(_ANSWERS, first=record.uri, first_id=post_id)
    await text_index.keep(tx, post_id)
    await put_fact(tx, PostReceived(post_id, quoted), about=f"post {post_id}", trigger=trigger)
    return post_id


async def receive_edit(
    tx: Transaction, record: ReceivedPost, author_id: int, recipient_ids: Collection[int], now: float
) -> bool:
    """A remote author changed a post that we have; whether that was news.

    An edit whose `updated_at` is missing, or not later than the one we have, is none: the counts of its poll are taken,
    and of the very version that we have, who may quote it; the rest is ignored. The audience stays; fact PostReceived
    where more are named. False also for what is unknown, deleted, ours or another's.
    """
    if record.updated_at is None:
        return await _receive_same(tx, record, author_id, now)
    edited_at = min(record.updated_at, now)
    changing = (
        post.c.uri == record.uri,
        post.c.author_id == author_id,
        post.c.local.is_(False),
        post.c.deleted_at.is_(None),
        or_(post.c.edited_at.is_(None), post.c.edited_at < edited_at),
    )
    await versions.keep(tx, *changing)
    post_id = await tx.scalar(
        update(post)
        .where(*changing)
        .values(**_said(record), kind=record.kind, edited_at=edited_at, quote_state=_quote_state_again(record))
        .returning(post.c.id)
    )
    if post_id is None:
        return await _receive_same(tx, record, author_id, now)
    await tags.replace(tx, post_id, record.tags)
    await polls.learn(tx, post_id, record.poll, now)
    if await name(tx, post_id, set(recipient_ids) - {author_id}):
        await put_fact(tx, PostReceived(post_id), about=f"post {post_id}")
    await text_index.drop(tx, [post_id])  # what it said before is not kept, also where nobody may find it any more
    await text_index.keep(tx, post_id)
    return True


async def _receive_same(tx: Transaction, record: ReceivedPost, author_id: int, now: float) -> bool:
    """What may change while the text stays as it is. Who may quote a post may be said again without a new moment."""
    edited_at = None if record.updated_at is None else min(record.updated_at, now)
    same = post.c.edited_at.is_(None) if edited_at is None else post.c.edited_at == edited_at
    other = await tx.execute(
        update(post)
        .where(
            post.c.uri == record.uri,
            post.c.author_id == author_id,
            post.c.local.is_(False),
            post.c.deleted_at.is_(None),
            same,
            post.c.quote_policy != record.quote_policy,
        )
        .values(quote_policy=record.quote_policy)
    )
    counted = await receive_counts(tx, record, author_id, now)
    return bool(other.rowcount) or counted


async def receive_counts(tx: Transaction, record: ReceivedPost, author_id: int, now: float) -> bool:
    """What a remote poll counts by now, where the same is asked; whether that was news. Its text stays as it is."""
    if record.poll is None:
        return False
    post_id = await tx.scalar(
        select(post.c.id).where(
            post.c.uri == record.uri,
            post.c.author_id == author_id,
            post.c.local.is_(False),
            post.c.deleted_at.is_(None),
        )
    )
    return post_id is not None and await polls.recount(tx, post_id, record.poll, now)


async def receive_delete(tx: Transaction, uri: str, actor_id: int, actor_uri: str, host: str, now: float) -> bool:
    """A remote actor deleted a post; whether we had it.

    What we have of theirs becomes a tombstone; of what we do not have it is noted that it was deleted, so that it does
    not come to life when it arrives late (`tombstones`). Anybody else's post is not touched.
    """
    await tx.alone(uri)
    known = await read.by_uri(tx, uri)
    if known is not None:
        theirs = known.author_id == actor_id and not known.local
        return theirs and await empty(tx, post.c.id == known.id, now) > 0
    await tombstones.note(tx, uri, actor_uri, host, now)
    return False


async def _insert(tx: Transaction, record: ReceivedPost, author_id: int, audience: str, now: float) -> int:
    published_at = min(max(record.published_at if record.published_at is not None else now, 0.0), now)
    answered = await read.by_uri(tx, record.in_reply_to) if record.in_reply_to else None
    # Most servers tell whole seconds: the rest is drawn, or the numbers of one second would be few.
    spread = identifiers.uniform(0, 0.999) if published_at.is_integer() else 0.0
    post_id = identifiers.sortable(published_at + spread)
    await tx.change(
        _INSERT,
        id=post_id,
        uri=record.uri,
        author_id=author_id,
        local=False,
        kind=record.kind,
        audience=audience,
        url=record.url,
        in_reply_to=record.in_reply_to,
        in_reply_to_id=None if answered is None else answered.id,
        published_at=published_at,
        edited_at=None if record.updated_at is None else min(record.updated_at, now),
        received_at=now,
        quote_state="pending" if record.quote else "",
        **_said(record),
    )
    await tags.replace(tx, post_id, record.tags, new=True)
    if record.poll is not None:
        await polls.learn(tx, post_id, record.poll, now)
    return post_id


def _said(record: ReceivedPost) -> dict[str, Any]:
    return {
        "content": record.content,
        "summary": record.summary,
        "sensitive": record.sensitive,
        "language": record.language,
        "tags": [dict(tag) for tag in record.tags],
        "attachments": [dict(attachment) for attachment in record.attachments],
        "translations": [list(each) for each in record.translations],
        "notes": [list(note) for note in record.notes],
    } | {name: getattr(record, name) for name in _AS_TOLD}


def _quote_state_again(record: ReceivedPost) -> Any:
    """A quote of the same post keeps what was said of it; another one waits for that."""
    if record.quote is None:
        return ""
    stamp = record.quote_stamp
    stamped = post.c.quote_stamp.is_(None) if stamp is None else post.c.quote_stamp == stamp
    same = and_(post.c.quote == record.quote, stamped, post.c.quote_state != "")
    return case((same, post.c.quote_state), else_="pending")
