"""Templates as HTTP responses, and the words that they use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.emojis.keep import within
from privapub.federation.served.answer import body
from privapub.link_previews.read import Card, of_posts
from privapub.markup.clean import clean, plain
from privapub.markup.emojis import with_emojis
from privapub.markup.text import shortened, text_of
from privapub.posts.audience import may_see
from privapub.posts.poll_read import Poll
from privapub.posts.read import PUBLIC, Post
from privapub.proxy.addresses import ProxyUrls
from privapub.server import Server
from privapub.web import ours
from privapub.web.assets import address
from privapub.web.media import WEB, ShownMedium, media

HTML = "text/html; charset=utf-8"
EXCERPT = 200
_TITLE = 60
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["asset"] = address


@dataclass(frozen=True)
class ShownPoll:
    """A poll as a page shows it: what may be chosen and until when, each answer with its votes, and their sum."""

    about: str
    answers: tuple[tuple[str, int | None], ...]
    votes: int


@dataclass(frozen=True)
class Shown:
    """A post as a page shows it. `content` and `warning` are HTML that has been cleaned; the rest is plain text."""

    uri: str
    content: Markup
    warning: Markup
    language: str | None
    published: str
    published_at: str
    edited: str
    answers: str | None
    media: tuple[ShownMedium, ...]
    card: Card | None
    picture: str  # of the card: an address here, or ""
    poll: ShownPoll | None


def render(
    server: Server | None, request: Request, template: str, *, status: int = 200, private: bool = False, **values: Any
) -> Response:
    """A page. Without a server (when something went wrong) the pages do with less."""
    values |= {"site": server.settings.name if server else "PrivaPub", "base_url": server.base_url if server else ""}
    values["media_base"] = f"{server.media_base_url}/media" if server else ""
    html = _templates.get_template(template).render(values)
    return body(request, html.encode(), HTML, status=status, vary="Accept", private=private)


def missing(server: Server | None, request: Request) -> Response:
    """The 404 page, the same for what is not there and for what is not for this reader."""
    return problem(server, request, 404, "There is nothing here", "The address may be wrong, or what was here is gone.")


def problem(server: Server | None, request: Request, status: int, title: str, sentence: str) -> Response:
    """A page that says that something did not work; no cache keeps it."""
    return render(server, request, "problem.html", status=status, private=True, title=title, sentence=sentence)


@dataclass(frozen=True)
class Around:
    """What belongs to posts beside themselves: where our media are, pictures of our emojis by name, cards of links.

    `proxy` makes the addresses of files elsewhere; without it they are not shown.
    """

    base: str
    emojis: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[int, Card] = field(default_factory=dict)
    proxy: ProxyUrls | None = None


async def around(tx: Transaction, server: Server, posts: Sequence[Post], people: Sequence[Actor] = ()) -> Around:
    """What these posts and people need to be shown. Emojis are as they are today; one that is gone is text again."""
    base = f"{server.media_base_url}/media"
    texts = [text for post in posts if post.local for text in (post.summary, post.content)]
    found = await within(tx, [*texts, *(text for actor in people if actor.local for text in _texts(actor))])
    emojis = {emoji.shortcode: f"{base}/{emoji.file}" for emoji in found}
    return Around(base, emojis, await of_posts(tx, [post.id for post in posts]), await server.proxy.urls(tx))


def shown(post: Post, beside: Around) -> Shown:
    """A post made ready; raises ValueError for one that a stranger may not see."""
    if not may_see(post, None):
        raise ValueError("not for strangers")
    card = None if post.attachments else beside.cards.get(post.id)
    attached = ours.attachments_at(post.attachments, beside.base) if post.local else tuple(post.attachments)
    emojis = beside.emojis if post.local else {}  # the same name is another emoji elsewhere
    return Shown(
        uri=post.uri,
        content=Markup(with_emojis(clean(post.content), emojis)),  # noqa: S704 - cleaned here
        warning=Markup(with_emojis(escape(plain(post.summary)), emojis)),  # noqa: S704 - escaped here
        language=post.language,
        published=day(post.published_at),
        published_at=clock.iso(post.published_at),
        edited=day(post.edited_at) if post.edited_at is not None else "",
        answers=post.in_reply_to if (post.in_reply_to or "").startswith(WEB) else None,
        media=media(attached, beside.base),
        card=card,
        picture="" if card is None or beside.proxy is None else beside.proxy.of("card", card.image),
        poll=None if post.poll is None else _poll(post.poll, clock.now()),
    )


def _poll(poll: Poll, now: float) -> ShownPoll:
    about = "several answers" if poll.multiple else "one answer"
    if poll.is_over(now):
        about += ", closed"
    elif poll.ends_at is not None:
        about += f", open until {day(poll.ends_at)}"
    if poll.voters is not None:
        about += f", {poll.voters} voted"
    answers = tuple((plain(option.name), option.votes) for option in poll.options)
    return ShownPoll(about, answers, sum(votes or 0 for _, votes in answers))


def cleaned(html: str) -> Markup:
    """HTML that a template does not escape: what `clean` lets through, however often it was cleaned before."""
    return Markup(clean(html))  # noqa: S704 - cleaned in this very line


def _texts(actor: Actor) -> list[str]:
    return [actor.name, actor.summary, *(text for each in actor.fields for text in (each["name"], each["value"]))]


def pictured(text: str, actor: Actor, beside: Around) -> Markup:
    """A plain text of a profile, with pictures for the names of its emojis that are kept here."""
    return _with_pictures(escape(plain(text)), actor, beside)


def pictured_html(html: str, actor: Actor, beside: Around) -> Markup:
    """HTML of a profile, cleaned once more, likewise."""
    return _with_pictures(cleaned(html), actor, beside)


def _with_pictures(html: Markup, actor: Actor, beside: Around) -> Markup:
    emojis = beside.emojis if actor.local else ours.emojis(actor, beside.base)
    return Markup(with_emojis(html, emojis))  # noqa: S704 - escaped or cleaned just before


def name_of(actor: Actor) -> str:
    """What an actor is called: its name, else its handle."""
    return plain(actor.name) or actor.handle


_templates.filters |= {"avatar": ours.avatar, "header": ours.header, "pictured": pictured}


def title_of(actor: Actor, post: Post) -> str:
    """A post's title: who says what."""
    return f"{name_of(actor)}: “{shortened(plain(post.summary) or text_of(post.content), _TITLE)}”"


def excerpt_of(post: Post) -> str:
    """What may stand in a preview of the post elsewhere: nothing unless it is for everyone and without a warning."""
    if post.audience != PUBLIC or post.deleted_at is not None:
        return ""
    return plain(post.summary) or shortened(text_of(post.content), EXCERPT)


def day(moment: float) -> str:
    """`1 December 2026, 20:37 UTC`."""
    text = clock.iso(moment)
    year, month, number = text[:10].split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {year}, {text[11:16]} UTC"
