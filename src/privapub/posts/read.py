"""Looking up posts. What these return has not been asked of `audience`: whoever shows a post asks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import bindparam, func, select

from privapub.actors.read import site_of
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.markup.render import Format
from privapub.personas.tables import persona
from privapub.posts.poll_read import Poll
from privapub.posts.poll_read import of_posts as polls_of
from privapub.posts.tables import post, post_recipient

PUBLIC, UNLISTED, FOLLOWERS, CIRCLE, DIRECT = "public", "unlisted", "followers", "circle", "direct"
# Of a post of ours that waits for its media: not understood by anybody, and so for nobody but its author.
HELD = "held"
EVERY = (PUBLIC, UNLISTED, FOLLOWERS, CIRCLE, DIRECT)
QUESTION = "Question"


@dataclass(frozen=True)
class Post:
    """One row of `post`: see the table for what each column means. A tombstone has a `deleted_at`."""

    id: int
    uri: str
    activity_uri: str | None
    author_id: int
    local: bool
    kind: str
    audience: str
    source: str | None
    content: str
    summary: str
    sensitive: bool
    language: str | None
    url: str | None
    in_reply_to: str | None
    in_reply_to_id: int | None
    tags: tuple[Mapping[str, Any], ...]
    attachments: tuple[Mapping[str, Any], ...]
    published_at: float
    edited_at: float | None
    received_at: float
    deleted_at: float | None
    text_format: Format = "plain"
    translations: tuple[tuple[str, str], ...] = ()
    license: str = ""
    quote: str | None = None
    quote_state: str = ""
    quote_stamp: str | None = None
    quote_policy: str = "public"
    context: str | None = None
    conversation: str | None = None
    replies: str | None = None
    likes_elsewhere: int | None = None
    shares_elsewhere: int | None = None
    replies_elsewhere: int | None = None
    notes: tuple[tuple[str, str], ...] = ()
    poll: Poll | None = None  # of a Question; what looks up fills it in


_FIELDS = tuple(field.name for field in fields(Post) if field.name != "poll")


def from_row(row: Any) -> Post:
    """A Post from a row that holds (at least) every column of the table under its own name, its poll aside."""
    told = row._mapping  # noqa: SLF001 - its public name; five times as fast as attribute by attribute
    values = {name: told[name] for name in _FIELDS}
    values["tags"], values["attachments"] = tuple(row.tags), tuple(row.attachments)
    values["notes"] = tuple((name, sentence) for name, sentence in row.notes)
    values["translations"] = tuple((language, html) for language, html in row.translations)
    return Post(**values)


async def with_polls(tx: Transaction, posts: Sequence[Post]) -> list[Post]:
    """The same posts, each Question with its poll: one more question to the database where there is any."""
    found = await polls_of(tx, [post.id for post in posts if post.kind == QUESTION and post.deleted_at is None])
    return [replace(post, poll=found[post.id]) if post.id in found else post for post in posts]


# Made once: they are asked for every activity that comes in.
_BY_ID = select(post).where(post.c.id == bindparam("id"))
_HELD = _BY_ID.with_for_update(read=True, key_share=True)
_OWN = (
    select(post)
    .where(post.c.id == bindparam("id"), post.c.author_id == bindparam("author"), post.c.local)
    .with_for_update(key_share=True)
)
_BY_URI = select(post).where(post.c.uri == bindparam("uri"))
_BY_ACTIVITY_URI = select(post).where(post.c.activity_uri == bindparam("uri"))
_RECIPIENTS = (
    select(post_recipient)
    .where(post_recipient.c.post_id.in_(bindparam("ids", expanding=True)))
    .order_by(post_recipient.c.post_id, post_recipient.c.actor_id)
)


async def by_id(tx: Transaction, post_id: int) -> Post | None:
    """The post with this number, a tombstone too."""
    return await _whole(tx, await tx.first(_BY_ID, id=post_id))


async def known(tx: Transaction, post_id: int) -> Post:
    """The post with this number, which a row of ours names; NotFound where it is gone from the table."""
    found = await by_id(tx, post_id)
    if found is None:
        raise NotFound("There is no such post.")
    return found


async def held(tx: Transaction, post_id: int) -> Post | None:
    """The post with this number, a tombstone too; nobody deletes it until the transaction is over.

    For whoever puts something beside a post: a Delete at the same time waits, and takes that away too.
    """
    return await _whole(tx, await tx.first(_HELD, id=post_id))


async def own(tx: Transaction, post_id: int, author_id: int, *, gone: bool = False) -> Post:
    """A persona's own post, with `gone` a tombstone too; nobody changes or deletes it until the transaction is over.

    Raises NotFound where there is no such post of this author.
    """
    found = await _whole(tx, await tx.first(_OWN, id=post_id, author=author_id))
    if found is None or (found.deleted_at is not None and not gone):
        raise NotFound("There is no such post.")
    return found


async def by_uri(tx: Transaction, uri: str) -> Post | None:
    """The post with this id on the wire, letter by letter, a tombstone too."""
    return await _whole(tx, await tx.first(_BY_URI, uri=uri))


async def by_page(tx: Transaction, url: str) -> Post | None:
    """The post of that page's own host with this page (for the operator: all are looked through)."""
    named = (post.c.url == url, post.c.uri.startswith(site_of(url), autoescape=True))
    return await _whole(tx, await tx.first(select(post).where(*named).order_by(post.c.id.desc())))


async def by_activity_uri(tx: Transaction, uri: str) -> Post | None:
    """The post of ours whose Create has this id."""
    return await _whole(tx, await tx.first(_BY_ACTIVITY_URI, uri=uri))


async def by_ids(tx: Transaction, post_ids: Collection[int]) -> dict[int, Post]:
    """Those of these posts that there are, by number."""
    if not post_ids:
        return {}
    rows = await tx.all(select(post).where(post.c.id.in_(sorted(set(post_ids)))))
    return {each.id: each for each in await with_polls(tx, [from_row(row) for row in rows])}


async def of_author(
    tx: Transaction,
    author_id: int,
    *,
    before: int | None = None,
    limit: int = 20,
    audiences: Collection[str] = (PUBLIC,),
) -> list[Post]:
    """What an author wrote for these audiences and did not delete, newest first.

    `before` is the number of the last one that was shown.
    """
    statement = _alive(select(post), author_id, audiences)
    if before is not None:
        statement = statement.where(post.c.id < before)
    rows = await tx.all(statement.order_by(post.c.id.desc()).limit(limit))
    return await with_polls(tx, [from_row(row) for row in rows])


async def count_public(tx: Transaction, author_id: int, audiences: Collection[str] = (PUBLIC,)) -> int:
    """How many posts of these audiences an author has: the total of what `of_author` pages through."""
    number: int = await tx.scalar(_alive(select(func.count()).select_from(post), author_id, audiences))
    return number


async def count_local_public(tx: Transaction) -> int:
    """How many public posts were written here, for nodeinfo."""
    # By way of the personas, so that the posts of others, which are many more, are not looked at.
    ours = select(func.count()).select_from(post).join(persona, persona.c.id == post.c.author_id)
    alive = ours.where(post.c.audience == PUBLIC, post.c.deleted_at.is_(None))
    number: int = await tx.scalar(alive)
    return number


async def recipient_ids(tx: Transaction, post_ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Whom each of these posts names, in one question."""
    found: dict[int, tuple[int, ...]] = dict.fromkeys(post_ids, ())
    if found:
        for row in await tx.all(_RECIPIENTS, ids=sorted(found)):
            found[row.post_id] += (row.actor_id,)
    return found


async def naming(tx: Transaction, actor_id: int, post_ids: Collection[int]) -> frozenset[int]:
    """Those of these posts that name this actor, in one question."""
    if not post_ids:
        return frozenset()
    rows = await tx.all(
        select(post_recipient.c.post_id).where(
            post_recipient.c.actor_id == actor_id, post_recipient.c.post_id.in_(sorted(set(post_ids)))
        )
    )
    return frozenset(row.post_id for row in rows)


async def _whole(tx: Transaction, row: Any) -> Post | None:
    return None if row is None else (await with_polls(tx, [from_row(row)]))[0]


def _alive(statement: Any, author_id: int, audiences: Collection[str]) -> Any:
    return statement.where(
        post.c.author_id == author_id, post.c.audience.in_(sorted(audiences)), post.c.deleted_at.is_(None)
    )
