"""Posts made ready to be shown, many at once.

What these functions are given has been asked of `posts.audience` for this reader; what they look up besides, the posts
that are quoted, is asked here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from privapub import clock
from privapub.actors.read import Actor
from privapub.client_api import gathered, show_accounts
from privapub.client_api.gathered import Told
from privapub.client_api.shapes.account import Account, visibility
from privapub.client_api.shapes.card import PreviewCard, card
from privapub.client_api.shapes.emoji import CustomEmoji, of_tags
from privapub.client_api.shapes.emoji import ours as own_emoji
from privapub.client_api.shapes.filter import result
from privapub.client_api.shapes.media import attachment
from privapub.client_api.shapes.pictures import Pictures
from privapub.client_api.shapes.poll import Poll, poll
from privapub.client_api.shapes.status import Mention, Quote, QuoteApproval, Status, StatusTag, WrittenWith
from privapub.database.transaction import Transaction
from privapub.emojis.keep import Emoji, within
from privapub.link_previews.parse import Found
from privapub.link_previews.read import Card
from privapub.link_previews.read import cards as cards_of
from privapub.markup.clean import clean, plain
from privapub.personas import read as personas
from privapub.posts import boost_read, quotes
from privapub.posts.audience import OPEN
from privapub.posts.boost_read import Boost
from privapub.posts.read import FOLLOWERS, Post
from privapub.server import Server
from privapub.timelines.matching import Match

_APPROVAL = {"public": ["public"], "followers": ["followers"], "nobody": []}


Matches = Mapping[int, Sequence[Match]]


@dataclass(frozen=True)
class Beside:
    """What was looked up for a number of posts, by number (of people: by actor)."""

    pictures: Pictures
    accounts: Mapping[int, Account]
    named: Mapping[str, Actor]  # by uri
    emojis: Sequence[Emoji]
    cards: Mapping[int, Card]
    told: Told
    quoted: Mapping[int, Post]  # by number of the quoting post
    matches: Matches  # of the reader's filters
    reader: int | None
    now: float


async def statuses(
    tx: Transaction, server: Server, posts: Sequence[Post], reader: int | None, matches: Matches | None = None
) -> list[Status]:
    """These posts, in their order, each with what it quotes. `matches` are the reader's filters that are about each."""
    quoted = await quotes.shown(tx, posts, reader)
    beside = await gather(tx, server, [*posts, *quoted.values()], reader, quoted=quoted, matches=matches or {})
    return [status(each, beside) for each in posts]


async def one(tx: Transaction, server: Server, post: Post, reader: int | None) -> Status:
    """This post."""
    return (await statuses(tx, server, [post], reader))[0]


async def empty(tx: Transaction, server: Server, post: Post, reader: int) -> Status:
    """A post that its reader may not see any more, and did something with: who wrote it and when, and no more of it."""
    bare = replace(
        post,
        content="",
        summary="",
        sensitive=False,
        language=None,
        in_reply_to_id=None,
        tags=(),
        attachments=(),
        edited_at=None,
        poll=None,
        quote=None,
        quote_policy="nobody",
        likes_elsewhere=None,
        shares_elsewhere=None,
        replies_elsewhere=None,
    )
    shown = await one(tx, server, bare, reader)
    shown.card = None
    shown.replies_count = shown.reblogs_count = shown.favourites_count = shown.quotes_count = 0
    return shown


async def boosts(
    tx: Transaction,
    server: Server,
    some: Sequence[tuple[Post, int | None]],
    reader: int | None,
    matches: Matches | None = None,
    known: Mapping[int, Boost] | None = None,
) -> list[Status]:
    """Posts and boosts of posts, in their order: with each post the number of the boost that brought it, or None.

    `known` are boosts that need not be looked up.
    """
    every = list({each.id: each for each, _ in some}.values())
    found = dict(known or {})
    found |= await boost_read.by_ids(tx, {number for _, number in some if number is not None} - set(found))
    quoted = await quotes.shown(tx, every, reader)
    people = {each.actor_id for each in found.values()}
    beside = await gather(
        tx, server, [*every, *quoted.values()], reader, quoted=quoted, matches=matches or {}, people=people
    )
    made = {each.id: status(each, beside) for each in every}
    return [
        boosted(made[each.id], found[number], beside.accounts) if number in found else made[each.id]
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
    tx: Transaction,
    server: Server,
    posts: Sequence[Post],
    reader: int | None,
    *,
    quoted: Mapping[int, Post],
    matches: Matches,
    people: Collection[int] = (),
) -> Beside:
    """What these posts, and these people, need to be shown: a few questions, however many they are."""
    who = {*people, *(each.author_id for each in posts)}
    uris = {str(tag["href"]) for each in posts for tag in _tags(each, "Mention")}
    found, ours = await personas.among(tx, who, uris)
    pictures = await show_accounts.pictures_of(tx, server)
    there = await show_accounts.moved(tx, [each for each in found if each.id in who])
    told = await gathered.of(
        tx,
        people={*who, *(each.id for each in there.values())},
        posts={each.id for each in posts},
        bare={each.id for each in posts if not each.attachments},
        own={each.id for each in posts if each.author_id == reader},
        reader=reader,
    )
    texts = [text for each in posts if each.local for text in _texts(each)]
    names = [show_accounts.text_of(each) for each in found if each.id in ours and each.id in who]
    emojis = await within(tx, [*texts, *names])
    beside = show_accounts.Beside(pictures, ours, told, emojis, there)
    accounts = {each.id: show_accounts.made(each, beside) for each in found if each.id in who}
    cards = await cards_of(
        tx,
        [
            (number, row.text, msgspec.json.decode(row.also, type=Found))
            for number, (row, *_) in told.every("card").items()
        ],
    )
    writers = {each.author_actor_id for each in cards.values() if each.author_actor_id is not None} - set(accounts)
    return Beside(
        pictures=pictures,
        accounts=accounts | await show_accounts.by_ids(tx, server, writers),
        named={each.uri: each for each in found},
        emojis=emojis,
        cards=cards,
        told=told,
        quoted=quoted,
        matches=matches,
        reader=reader,
        now=clock.now(),
    )


def status(of: Post, beside: Beside, *, deep: bool = True) -> Status:
    """A post as its reader sees it (pure)."""
    mentions = [beside.named[uri] for tag in _tags(of, "Mention") if (uri := str(tag["href"])) in beside.named]
    emojis = _emojis(of, beside)
    told = beside.told
    held, answers = told.every("held").get(of.id), told.has("answered", of.in_reply_to_id or 0)
    shown = Status(
        id=str(of.id),
        created_at=clock.iso(of.published_at),
        in_reply_to_id=None if of.in_reply_to_id is None else str(of.in_reply_to_id),
        in_reply_to_account_id=str(told.number("answered", of.in_reply_to_id or 0)) if answers else None,
        sensitive=of.sensitive or bool(of.summary),
        spoiler_text=plain(of.summary),
        visibility=visibility(held[0].text if held else of.audience),
        language=of.language,
        uri=of.uri,
        url=_url(of, beside),
        replies_count=max(told.number("replies", of.id), of.replies_elsewhere or 0),
        reblogs_count=max(told.number("boosts", of.id), of.shares_elsewhere or 0),
        favourites_count=max(told.number("likes", of.id), of.likes_elsewhere or 0),
        quotes_count=told.number("quotes", of.id),
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
        shown.favourited = told.has("liked", of.id)
        shown.reblogged = told.has("boosted", of.id)
        shown.muted = told.has("muted", of.id)
        shown.bookmarked = told.has("bookmarked", of.id)
        if of.author_id == beside.reader:
            shown.pinned = told.has("pinned", of.id)
            for row in told.every("program").get(of.id, ()):
                shown.application = WrittenWith(row.text, row.also)
        shown.filtered = [result(match, of.id) for match in beside.matches.get(of.id, ())]
    return shown


def _url(of: Post, beside: Beside) -> str:
    """Its page. Programs take the last part of it for the number by which they ask for the post."""
    if not of.local:
        return of.url or of.uri
    return f"{beside.pictures.base_url}/@{beside.accounts[of.author_id].username}/{of.id}"


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
    chosen = None if beside.reader is None else sorted(row.number for row in beside.told.every("vote").get(of.id, ()))
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
    follows = beside.told.has("followed", of.author_id)
    among = beside.reader is not None and (automatic == ["public"] or (automatic == ["followers"] and follows))
    allowed = of.author_id == beside.reader or among
    return QuoteApproval(automatic, [], "automatic" if allowed else "denied")


def _tags(of: Post, kind: str) -> list[Mapping[str, object]]:
    return [tag for tag in of.tags if tag.get("type") == kind and tag.get("href") and tag.get("name")]


def _texts(of: Post) -> Iterable[str]:
    return (of.content, of.summary, *(option.name for option in (of.poll.options if of.poll else ())))
