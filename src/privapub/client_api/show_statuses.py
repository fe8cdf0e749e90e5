"""Posts made ready to be shown, many at once.

What these functions are given has been asked of `posts.audience` for this reader; what they look up besides, the posts
that are quoted, is asked here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import func, select

from privapub import clock
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.client_api import show_accounts
from privapub.client_api.shapes.account import Account, visibility
from privapub.client_api.shapes.card import PreviewCard, card
from privapub.client_api.shapes.emoji import CustomEmoji, of_tags
from privapub.client_api.shapes.emoji import ours as own_emoji
from privapub.client_api.shapes.media import attachment
from privapub.client_api.shapes.pictures import Pictures
from privapub.client_api.shapes.poll import Poll, poll
from privapub.client_api.shapes.status import Mention, Quote, QuoteApproval, Status, StatusTag
from privapub.database.transaction import Transaction
from privapub.emojis.keep import Emoji, within
from privapub.link_previews.read import Card, of_posts
from privapub.markup.clean import clean, plain
from privapub.posts import boost_read, quotes, reaction_read
from privapub.posts.audience import OPEN
from privapub.posts.boost_read import Boost
from privapub.posts.read import FOLLOWERS, Post
from privapub.posts.tables import boost, pin, poll_vote, post, reaction
from privapub.server import Server

_APPROVAL = {"public": ["public"], "followers": ["followers"], "nobody": []}


@dataclass(frozen=True)
class Mine:
    """What the reader did with posts: their numbers."""

    liked: frozenset[int] = frozenset()
    boosted: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()
    votes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Beside:
    """What was looked up for a number of posts, by number (of people: by actor)."""

    pictures: Pictures
    accounts: Mapping[int, Account]
    named: Mapping[str, Actor]  # by uri
    emojis: Sequence[Emoji]
    cards: Mapping[int, Card]
    likes: Mapping[int, int]
    boosts: Mapping[int, int]
    replies: Mapping[int, int]
    quoted_by: Mapping[str, int]  # by uri of the quoted post
    answered: Mapping[int, int]  # the author of an answered post
    quoted: Mapping[int, Post]  # by number of the quoting post
    mine: Mine
    reader: int | None
    now: float


async def statuses(tx: Transaction, server: Server, posts: Sequence[Post], reader: int | None) -> list[Status]:
    """These posts, in their order, each with what it quotes."""
    quoted = await quotes.shown(tx, posts, reader)
    beside = await gather(tx, server, [*posts, *quoted.values()], reader, quoted=quoted)
    return [status(each, beside) for each in posts]


async def one(tx: Transaction, server: Server, post: Post, reader: int | None) -> Status:
    """This post."""
    return (await statuses(tx, server, [post], reader))[0]


async def boosts(
    tx: Transaction, server: Server, some: Sequence[tuple[Post, int | None]], reader: int | None
) -> list[Status]:
    """Posts and boosts of posts, in their order: with each post the number of the boost that brought it, or None."""
    every = list({each.id: each for each, _ in some}.values())
    made = {each.id: each for each in await statuses(tx, server, every, reader)}
    found = await boost_read.by_ids(tx, {number for _, number in some if number is not None})
    who = await show_accounts.by_ids(tx, server, {each.actor_id for each in found.values()})
    return [
        boosted(made[str(each.id)], found[number], who) if number in found else made[str(each.id)]
        for each, number in some
    ]


def boosted(of: Status, by: Boost, who: Mapping[int, Account]) -> Status:
    """A boost: a status of its own around the one that it passes on (pure)."""
    return Status(
        id=str(by.id),
        created_at=clock.iso(by.created_at),
        in_reply_to_id=None,
        in_reply_to_account_id=None,
        sensitive=of.sensitive,
        spoiler_text=of.spoiler_text,
        visibility=visibility(by.audience),
        language=of.language,
        uri=by.uri,
        url=by.uri,
        replies_count=0,
        reblogs_count=0,
        favourites_count=0,
        quotes_count=0,
        edited_at=None,
        content=of.content,
        reblog=of,
        account=who[by.actor_id],
        media_attachments=[],
        mentions=of.mentions,
        tags=of.tags,
        emojis=of.emojis,
        card=None,
        poll=None,
        quote=None,
        quote_approval=of.quote_approval,
        favourited=of.favourited,
        reblogged=of.reblogged,
        muted=of.muted,
        bookmarked=of.bookmarked,
        filtered=of.filtered,
    )


async def gather(
    tx: Transaction, server: Server, posts: Sequence[Post], reader: int | None, *, quoted: Mapping[int, Post]
) -> Beside:
    """What these posts need to be shown."""
    ids = sorted({each.id for each in posts})
    named = await actors.by_uris(tx, {str(tag["href"]) for each in posts for tag in _tags(each, "Mention")})
    answered = await _answered(tx, posts)
    cards = await of_posts(tx, [each.id for each in posts if not each.attachments])
    authors = {each.author_id for each in posts}
    writers = {each.author_actor_id for each in cards.values() if each.author_actor_id is not None}
    likes = await reaction_read.counts(tx, ids)
    return Beside(
        pictures=await show_accounts.pictures_of(tx, server),
        accounts=await show_accounts.by_ids(tx, server, authors | writers),
        named=named,
        emojis=await within(tx, [text for each in posts if each.local for text in _texts(each)]),
        cards=cards,
        likes={number: sum(times.values()) for number, times in likes.items()},
        boosts=await boost_read.counts(tx, ids),
        replies=await _replies(tx, ids),
        quoted_by=await _quoted_by(tx, posts),
        answered=answered,
        quoted=quoted,
        mine=Mine() if reader is None else await _mine(tx, ids, reader),
        reader=reader,
        now=clock.now(),
    )


def status(of: Post, beside: Beside, *, deep: bool = True) -> Status:
    """A post as its reader sees it (pure)."""
    mentions = [beside.named[uri] for tag in _tags(of, "Mention") if (uri := str(tag["href"])) in beside.named]
    emojis = _emojis(of, beside)
    shown = Status(
        id=str(of.id),
        created_at=clock.iso(of.published_at),
        in_reply_to_id=None if of.in_reply_to_id is None else str(of.in_reply_to_id),
        in_reply_to_account_id=_text(beside.answered.get(of.in_reply_to_id or 0)),
        sensitive=of.sensitive or bool(of.summary),
        spoiler_text=plain(of.summary),
        visibility=visibility(of.audience),
        language=of.language,
        uri=of.uri,
        url=of.url or of.uri,
        replies_count=max(beside.replies.get(of.id, 0), of.replies_elsewhere or 0),
        reblogs_count=max(beside.boosts.get(of.id, 0), of.shares_elsewhere or 0),
        favourites_count=max(beside.likes.get(of.id, 0), of.likes_elsewhere or 0),
        quotes_count=beside.quoted_by.get(of.uri, 0),
        edited_at=None if of.edited_at is None else clock.iso(of.edited_at),
        content=clean(of.content),
        reblog=None,
        account=beside.accounts[of.author_id],
        media_attachments=[
            attachment(item, f"{of.id}{place}", beside.pictures) for place, item in enumerate(of.attachments)
        ],
        mentions=[_mention(each) for each in {each.id: each for each in mentions}.values()],
        tags=[StatusTag(str(tag["name"]).lstrip("#"), _tag_url(tag, beside)) for tag in _tags(of, "Hashtag")],
        emojis=emojis,
        card=_card(of, beside),
        poll=_poll(of, beside, emojis),
        quote=_quote(of, beside, deep=deep),
        quote_approval=_approval(of, beside),
    )
    if beside.reader is not None:
        shown.favourited = of.id in beside.mine.liked
        shown.reblogged = of.id in beside.mine.boosted
        shown.muted = shown.bookmarked = False
        if of.author_id == beside.reader:
            shown.pinned = of.id in beside.mine.pinned
        shown.filtered = []
    return shown


def _mention(of: Actor) -> Mention:
    return Mention(str(of.id), of.handle, of.url or of.uri, of.handle if of.local else of.address)


def _tag_url(tag: Mapping[str, object], beside: Beside) -> str:
    return f"{beside.pictures.base_url}/tags/{str(tag['name']).lstrip('#').lower()}"


def _emojis(of: Post, beside: Beside) -> list[CustomEmoji]:
    if not of.local:
        return of_tags(of.tags, beside.pictures)
    text = " ".join(_texts(of))
    return [own_emoji(each, beside.pictures) for each in beside.emojis if f":{each.shortcode}:" in text]


def _card(of: Post, beside: Beside) -> PreviewCard | None:
    found = beside.cards.get(of.id)
    if found is None:
        return None
    return card(found, beside.accounts.get(found.author_actor_id or 0), beside.pictures)


def _poll(of: Post, beside: Beside, emojis: Sequence[CustomEmoji]) -> Poll | None:
    if of.poll is None:
        return None
    chosen = None if beside.reader is None else beside.mine.votes.get(of.id, ())
    return poll(of.poll, beside.now, emojis, chosen, own=of.author_id == beside.reader)


def _quote(of: Post, beside: Beside, *, deep: bool) -> Quote | None:
    if of.quote is None or not of.quote_state:
        return None
    if of.quote_state != quotes.ACCEPTED:
        return Quote(of.quote_state)
    found = beside.quoted.get(of.id)
    if found is None:
        return Quote("unauthorized")
    return Quote("accepted", status(found, beside, deep=False) if deep else None)


def _approval(of: Post, beside: Beside) -> QuoteApproval:
    """Only what everybody may see can be quoted."""
    if of.audience not in OPEN and of.audience != FOLLOWERS:
        return QuoteApproval([], [], "denied")
    automatic = _APPROVAL.get(of.quote_policy, []) if of.audience in OPEN else []
    allowed = of.author_id == beside.reader or (beside.reader is not None and automatic == ["public"])
    return QuoteApproval(automatic, [], "automatic" if allowed else "denied")


def _tags(of: Post, kind: str) -> list[Mapping[str, object]]:
    return [tag for tag in of.tags if tag.get("type") == kind and tag.get("href") and tag.get("name")]


def _texts(of: Post) -> Iterable[str]:
    return (of.content, of.summary, *(option.name for option in (of.poll.options if of.poll else ())))


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


async def _answered(tx: Transaction, posts: Iterable[Post]) -> dict[int, int]:
    ids = sorted({each.in_reply_to_id for each in posts if each.in_reply_to_id is not None})
    if not ids:
        return {}
    return {
        row.id: row.author_id for row in await tx.all(select(post.c.id, post.c.author_id).where(post.c.id.in_(ids)))
    }


async def _replies(tx: Transaction, ids: Collection[int]) -> dict[int, int]:
    """Answers that everybody may see."""
    counted = (
        select(post.c.in_reply_to_id, func.count().label("times"))
        .where(post.c.in_reply_to_id.in_(ids), post.c.audience.in_(sorted(OPEN)), post.c.deleted_at.is_(None))
        .group_by(post.c.in_reply_to_id)
    )
    return {row.in_reply_to_id: row.times for row in await tx.all(counted)}


async def _quoted_by(tx: Transaction, posts: Iterable[Post]) -> dict[str, int]:
    """Quotes that stand, and that everybody may see."""
    counted = (
        select(post.c.quote, func.count().label("times"))
        .where(
            post.c.quote.in_(sorted({each.uri for each in posts})),
            post.c.quote_state == quotes.ACCEPTED,
            post.c.audience.in_(sorted(OPEN)),
            post.c.deleted_at.is_(None),
        )
        .group_by(post.c.quote)
    )
    return {row.quote: row.times for row in await tx.all(counted)}


async def _mine(tx: Transaction, ids: Sequence[int], reader: int) -> Mine:
    liked = select(reaction.c.post_id).where(
        reaction.c.post_id.in_(ids), reaction.c.actor_id == reader, reaction.c.emoji == ""
    )
    again = select(boost.c.post_id).where(boost.c.post_id.in_(ids), boost.c.actor_id == reader)
    held = select(pin.c.post_id).where(pin.c.post_id.in_(ids), pin.c.actor_id == reader)
    voted = select(poll_vote.c.post_id, poll_vote.c.choice).where(
        poll_vote.c.post_id.in_(ids), poll_vote.c.actor_id == reader
    )
    votes: dict[int, tuple[int, ...]] = {}
    for row in await tx.all(voted.order_by(poll_vote.c.choice)):
        votes[row.post_id] = (*votes.get(row.post_id, ()), row.choice)
    return Mine(
        frozenset(row.post_id for row in await tx.all(liked)),
        frozenset(row.post_id for row in await tx.all(again)),
        frozenset(row.post_id for row in await tx.all(held)),
        votes,
    )
