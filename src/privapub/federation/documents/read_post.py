"""Post documents: Note and what is shown like one (ActivityStreams Vocabulary, section 3.3)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.body import as_html, pointing, titled, when_and_where
from privapub.federation.documents.fields import Fields, opened
from privapub.federation.documents.languages import Text, language
from privapub.federation.documents.limits import (
    MAX_AUTHORS,
    MAX_HTML,
    MAX_NAME,
    MAX_SOURCE,
    MAX_SUMMARY,
    MAX_TEXTS,
    cut,
)
from privapub.federation.documents.moments import duration
from privapub.federation.documents.problems import Note
from privapub.federation.documents.properties import (
    PUBLIC,
    count,
    each,
    identities,
    identity,
    line,
    link,
    media_type,
    objects,
    string,
    types,
    web_id,
)
from privapub.federation.documents.read_attachments import Attachment, any_sensitive, read_attachments
from privapub.federation.documents.read_place import Event, Place, read_event, read_places
from privapub.federation.documents.read_poll import Poll, read_poll
from privapub.federation.documents.read_quote import QuotePolicy, read_quote, read_quote_policy
from privapub.federation.documents.read_tags import Tag, read_tags
from privapub.markup.clean import plain
from privapub.markup.text import text_of

KINDS = frozenset({"Note", "Article", "Question", "Page", "Video", "Audio", "Image", "Event", "ChatMessage"})
_WITH_WARNING = frozenset({"Note", "Question", "ChatMessage"})
_WITH_TITLE = frozenset({"Article", "Page", "Video", "Audio", "Image", "Event"})
_HTML = ("text/html",)
_MOST_KNOWN_REPLIES = 100


@dataclass(frozen=True, slots=True)
class Source:
    """What was typed, and in which markup (`text/markdown`, `text/bbcode`, … or "")."""

    content: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """A collection that belongs to a post: its address if it has one, and how many it holds if that is said."""

    uri: str | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class RemotePost:
    """What a post's document says. Ids are verbatim, moments are seconds since 1970, languages are BCP 47.

    `content` is raw HTML and everything that a reader needs: a title (`name`), an event's times and places, the pages
    that it points to and a link to the original stand in it, except a Note's title: a Note with a name and no content
    is a vote. `name`, `excerpt`, `license` and `summary` (the warning) are plain text.
    """

    uri: str
    kind: str
    author: str
    authors: tuple[str, ...] = ()  # everybody in `attributedTo`: PeerTube lists the person and the channel
    name: str = ""
    content: str = ""
    translations: tuple[tuple[str, str], ...] = ()  # the same in other languages: (language, raw HTML)
    source: Source | None = None
    excerpt: str = ""  # the summary of an Article and its like, where it is no warning
    summary: str = ""
    sensitive: bool = False
    language: str | None = None
    url: str | None = None
    in_reply_to: str | None = None
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()  # the groups that it was posted in (FEP-1b12); says nothing of who may see it
    tags: tuple[Tag, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    published_at: float | None = None
    updated_at: float | None = None
    poll: Poll | None = None
    event: Event | None = None
    places: tuple[Place, ...] = ()
    duration: float | None = None  # seconds, of a Video or Audio
    quote: str | None = None
    quote_authorization: str | None = None  # the stamp of the quoted author (FEP-044f)
    quote_policy: QuotePolicy | None = None
    license: str = ""  # a URL, or what it is called
    replies: Collected = Collected()
    known_replies: tuple[str, ...] = ()  # ids that the document itself lists
    likes: Collected = Collected()
    shares: Collected = Collected()
    context: str | None = None  # FEP-7888; a collection where it can be fetched
    conversation: str | None = None  # an opaque id (OStatus)
    notes: tuple[Note, ...] = ()  # what could not be read, or not whole: (property, sentence)


def read_post(document: dict[str, Any]) -> RemotePost:
    """The post in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `not-activitystreams`, `gone` (a Tombstone), `wrong-type`, `bad-id` or
    `no-author`.
    """
    fields = opened(document)
    kind = _kind(fields)
    uri = web_id(fields.raw.get("id"))
    text = fields.text("content", MAX_HTML)
    title = fields.line("name", MAX_NAME)
    url = fields.link("url", _HTML)
    warning, excerpt = _summary(fields, kind, fields.flag("sensitive"))
    if uri is None:
        raise fields.refusal("bad-id", "It has no id that is an http(s) URL.")
    author = _author(fields)
    if author is None:
        raise fields.refusal("no-author", "It does not say who wrote it.")
    tags = read_tags(fields)
    attachments, pointers = read_attachments(fields, kind)
    places = read_places(fields)
    event = read_event(fields) if kind == "Event" else None
    html = as_html(text.said, media_type(fields.raw)) or (f"<p>{excerpt.said}</p>" if excerpt.said else "")
    html = when_and_where(event, places) + html
    if kind in _WITH_TITLE:
        html = titled(title, html)
    content, translations = _fitting(
        fields, pointing(html, pointers, (url or uri) if kind in _WITH_TITLE else None), text.others
    )
    return RemotePost(
        uri=uri,
        kind=kind,
        author=author,
        authors=identities(fields.raw.get("attributedTo"), MAX_AUTHORS),
        name=title,
        content=content,
        translations=translations,
        source=_source(fields),
        excerpt=plain(text_of(excerpt.said)),
        summary=warning,
        sensitive=fields.flag("sensitive") or any_sensitive(fields),
        language=text.language or _language(fields),
        url=url,
        in_reply_to=fields.web_id("inReplyTo"),
        to=fields.identities("to"),
        cc=fields.identities("cc"),
        audience=fields.identities("audience"),
        tags=tags,
        attachments=attachments,
        published_at=fields.moment("published"),
        updated_at=fields.moment("updated"),
        poll=read_poll(fields),
        event=event,
        places=places,
        duration=fields.read("duration", duration, "This is no duration."),
        quote=read_quote(fields, tags),
        quote_authorization=fields.web_id("quoteAuthorization"),
        quote_policy=read_quote_policy(fields),
        license=_license(fields),
        replies=_collected(fields, "replies", "comments"),
        known_replies=_known_replies(fields),
        likes=_collected(fields, "likes"),
        shares=_collected(fields, "shares"),
        context=_context(fields),
        conversation=fields.identity("conversation") or fields.identity("inConversation"),
        notes=fields.notes,
    )


def audience_of(record: RemotePost, author_followers_uri: str | None) -> str:
    """`public`, `unlisted`, `followers` or `direct`: whatever is in doubt falls to the more private side."""
    if PUBLIC in record.to:
        return "public"
    if PUBLIC in record.cc:
        return "unlisted"
    if author_followers_uri and author_followers_uri in (*record.to, *record.cc):
        return "followers"
    return "direct"


def _kind(fields: Fields) -> str:
    kinds = fields.types()
    if "Tombstone" in kinds:
        raise fields.refusal("gone", "This has been deleted.")
    kind = next((name for name in kinds if name in KINDS), None)
    if kind is None:
        raise fields.refusal("wrong-type", "This is no post.")
    return kind


def _author(fields: Fields) -> str | None:
    """The person of `attributedTo`; PeerTube lists the person and the channel, in no fixed order."""
    found = each(fields.raw.get("attributedTo"))
    people = [item for item in found if isinstance(item, dict) and "Person" in types(item)]
    return web_id(people) or web_id(found) or web_id(fields.raw.get("actor"))


def _summary(fields: Fields, kind: str, sensitive: bool) -> tuple[str, Text]:
    """The warning as plain text, and the excerpt. An Article's summary warns where it is said to be sensitive."""
    said = fields.text("summary", MAX_SUMMARY)
    if kind in _WITH_WARNING or sensitive:
        return plain(text_of(said.said)), Text()
    return "", Text() if plain(said.said) == plain(fields.text("name", MAX_SUMMARY).said) else said


def _fitting(fields: Fields, html: str, others: tuple[tuple[str, str], ...]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """As much of the HTML and of its translations as there is room for together: all of it is cleaned."""
    content = cut(html, MAX_TEXTS)
    left, kept = MAX_TEXTS - len(content), []
    for tag, said in others:
        if len(said) <= left:
            left -= len(said)
            kept.append((tag, said))
    if len(content) < len(html) or len(kept) < len(others):
        fields.note("content", f"Of this and its translations only {MAX_TEXTS} characters were read.")
    return content, tuple(kept)


def _language(fields: Fields) -> str | None:
    """The language that the document says apart from its texts; else that of any of them."""
    for name in ("language", "inLanguage"):
        if found := language(fields.get(name)):
            return found
    return fields.text("summary", MAX_SUMMARY).language or fields.text("name", MAX_NAME).language


def _source(fields: Fields) -> Source | None:
    """What was typed: an object, a string (Pleroma), or Misskey's own property."""
    for item in objects(fields.raw.get("source")):
        content = string(item.get("content"), MAX_SOURCE)
        return Source(content, media_type(item)) if content else None
    if said := string(fields.raw.get("source"), MAX_SOURCE):
        return Source(said)
    misskey = string(fields.raw.get("_misskey_content"), MAX_SOURCE)
    return Source(misskey, "text/x.misskeymarkdown") if misskey else None


def _license(fields: Fields) -> str:
    """A URL, or the name of it: schema.org's `license`, PeerTube's `licence` with number and name."""
    value = fields.get("license", "licence")
    for item in each(value):
        if isinstance(item, dict):
            return link(item) or identity(item) or line(item.get("name")) or line(item.get("identifier"))
    return line(value)


def _collected(fields: Fields, *names: str) -> Collected:
    value = fields.get(*names)
    if value is None:
        return Collected()
    found = Collected(web_id(value), next((count(item) for item in objects(value)), None))
    if found == Collected():
        fields.note(names[0], "This is no collection.")
    return found


def _known_replies(fields: Fields) -> tuple[str, ...]:
    """The replies that a collection within the document lists, or its first page does."""
    found: list[Any] = []
    for replies in objects(fields.raw.get("replies")):
        for page in (replies, *objects(replies.get("first"))):
            found += each(page.get("items")) + each(page.get("orderedItems"))
    return tuple(one for one in identities(found, _MOST_KNOWN_REPLIES) if one != PUBLIC)


def _context(fields: Fields) -> str | None:
    """FEP-7888's `context`; FEP-76ea calls it `thread`."""
    return fields.identity("context") or fields.identity("thread")
