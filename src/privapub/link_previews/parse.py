"""What a page says of itself in its head, for a preview (pure): OpenGraph, Twitter's cards, JSON-LD, HTML.

Whatever comes out is plain text of a bounded length, an http(s) address, or a number within bounds. Nothing of a page's
HTML is passed on, nor any of what an oEmbed answer holds.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urljoin

import msgspec

from privapub.link_previews.decode import decode
from privapub.markup.clean import plain
from privapub.markup.text import shortened
from privapub.outbound import target

MOST_BYTES = 256 * 1024
MOST_ELEMENTS = 3000
LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_NAME, LONGEST_ADDRESS = 200, 500, 100, 2000
LARGEST = 16384  # of a side, in pixels
_MOST_OF_A_FIELD = 4096  # characters that are looked at
_MOST_JSON = 64 * 1024
_MOST_SCRIPTS = 5
_MOST_NODES = 50

Kind = Literal["link", "photo", "video"]

_END_OF_HEAD = re.compile(r"</head\s*>|<body[\s>]", re.IGNORECASE)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|\d{3}))?(?:[-_.@].*)?")
_CREATOR = re.compile(r"@?([\w.-]{1,100})@([\w.-]{1,253}(?::\d{1,5})?)")
_OEMBED_TYPES = frozenset({"application/json+oembed", "text/json+oembed"})
_TELLING = (
    "NewsArticle", "Article", "BlogPosting", "ReportageNewsArticle", "SocialMediaPosting", "VideoObject", "Recipe",
    "Product", "Event", "Book", "Movie", "MusicRecording", "PodcastEpisode", "WebPage",
)  # fmt: skip


class Found(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a page says of itself; "" and 0 where it does not. `width` and `height` are of the picture.

    `url` is the address under which the page wants to be known, if that is on its own host. `creator` is the address
    in the fediverse of whoever the page names as its author, `user@host`: a claim, until that actor names `host`, from
    which the page came in the end.
    """

    title: str = ""
    description: str = ""
    kind: Kind = "link"
    url: str = ""
    provider_name: str = ""
    author_name: str = ""
    author_url: str = ""
    image: str = ""
    image_description: str = ""
    width: int = 0
    height: int = 0
    language: str = ""
    published_at: float | None = None
    creator: str = ""
    oembed: str = ""
    host: str = ""


def parse(body: bytes, content_type: str, url: str) -> Found:
    """What the page that answered at `url` says, of which at most 256 KiB are looked at, and of them only the head.

    `content_type` is the header. Whatever is in the page, this raises nothing.
    """
    text = decode(body[:MOST_BYTES], content_type).replace("\x00", "\ufffd")
    end = _END_OF_HEAD.search(text)
    head = _Head()
    from lxml import etree  # noqa: PLC0415 - many megabytes, which a process that builds no preview never needs

    parser = etree.HTMLParser(target=head, encoding="utf-8", no_network=True, recover=True, huge_tree=False)
    try:
        parser.feed((text[: end.start()] if end else text).encode("utf-8", "replace"))
        parser.close()
    except etree.LxmlError:  # what was met until then stands
        pass
    return _Page(head, url).found()


class _Head:
    """Takes what the parser meets; only what a preview may need, and only so much of it."""

    def __init__(self) -> None:
        self.metas: dict[str, str] = {}
        self.links: list[tuple[frozenset[str], str, str]] = []
        self.title = ""
        self.scripts: list[str] = []
        self.language = ""
        self.base = ""
        self._taking: list[str] | None = None
        self._seen = 0
        self._titled = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._seen += 1
        self._taking = None
        if self._seen > MOST_ELEMENTS:
            return
        if tag == "meta":
            self._meta(attributes)
        elif tag == "link":
            self._link(attributes)
        elif tag == "title" and not self._titled:
            self._taking, self._titled = [], True
        elif tag == "script" and attributes.get("type", "").strip().lower() == "application/ld+json":
            self._taking = [] if len(self.scripts) < _MOST_SCRIPTS else None
        elif tag == "html":
            self.language = attributes.get("lang", "") or attributes.get("xml:lang", "")
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")

    def _meta(self, attributes: Mapping[str, str]) -> None:
        content = attributes.get("content", "")[:_MOST_OF_A_FIELD]
        for name in (attributes.get("property"), attributes.get("name"), attributes.get("itemprop")):
            if name and content.strip():
                self.metas.setdefault(name.strip().lower()[:100], content)

    def _link(self, attributes: Mapping[str, str]) -> None:
        rels = frozenset(attributes.get("rel", "")[:200].lower().split())
        href = attributes.get("href", "")
        if rels and href:
            self.links.append((rels, attributes.get("type", "").strip().lower(), href))

    def data(self, text: str) -> None:
        if self._taking is not None:
            self._taking.append(text)

    def end(self, tag: str) -> None:
        if self._taking is None:
            return
        if tag == "title":
            self.title = "".join(self._taking)[:_MOST_OF_A_FIELD]
        elif tag == "script":
            self.scripts.append("".join(self._taking))
        self._taking = None

    def comment(self, _text: str) -> None:
        pass

    def close(self) -> None:
        pass


class _Page:
    def __init__(self, head: _Head, url: str) -> None:
        self._head = head
        self._url = url
        self._base = _address(head.base, url) or url
        self._told = _of_scripts(head.scripts)

    def found(self) -> Found:
        head, told = self._head, self._told
        author = _first_object(told.get("author"))
        article_author = self._meta("article:author")
        authors_page = self._first(article_author, _string(author.get("url")), *self._linked("author"))
        image, described = self._image()
        sizes = (_side(self._meta("og:image:width")), _side(self._meta("og:image:height")))
        width, height = sizes if image and all(sizes) else (0, 0)
        author_name = self._meta("author", "parsely-author", "sailthru.author") or _name(author)
        if not author_name and not _is_address(article_author):
            author_name = article_author
        return Found(
            title=_text(
                self._meta("og:title", "twitter:title") or _string(told.get("headline")) or head.title
                or _string(told.get("name")),
                LONGEST_TITLE,
            ),
            description=_text(
                self._meta("og:description", "twitter:description")
                or _string(told.get("description"))
                or self._meta("description"),
                LONGEST_DESCRIPTION,
            ),
            kind="video" if self._meta("og:type").lower().startswith("video") else "link",
            url=self._canonical(),
            provider_name=_text(
                self._meta("og:site_name", "application-name") or _name(_first_object(told.get("publisher"))),
                LONGEST_NAME,
            ),
            author_name=_text(author_name, LONGEST_NAME),
            author_url=authors_page,
            image=image,
            image_description=_text(described, LONGEST_DESCRIPTION),
            width=width,
            height=height,
            language=_language(head.language, self._meta("og:locale"), _string(told.get("inLanguage"))),
            published_at=_moment(self._meta("article:published_time"), _string(told.get("datePublished"))),
            creator=_creator(self._meta("fediverse:creator")),
            oembed=self._oembed(),
            host=target.host_of(self._url),
        )  # fmt: skip

    def _meta(self, *names: str) -> str:
        return next((found for name in names if (found := self._head.metas.get(name, "").strip())), "")

    def _linked(self, rel: str) -> Iterator[str]:
        yield from (href for rels, _type, href in self._head.links if rel in rels)

    def _first(self, *addresses: str) -> str:
        return next((found for each in addresses if (found := _address(each, self._base))), "")

    def _image(self) -> tuple[str, str]:
        image = self._first(self._meta("og:image:secure_url"), self._meta("og:image:url"), self._meta("og:image"))
        if image:
            return image, self._meta("og:image:alt")
        image = self._first(self._meta("twitter:image"), self._meta("twitter:image:src"))
        if image:
            return image, self._meta("twitter:image:alt")
        told = self._told.get("image") or self._told.get("thumbnailUrl")
        return self._first(*_strings(told), *self._linked("image_src"), self._meta("image")), ""

    def _canonical(self) -> str:
        """Where the page says it is, which it may say only of its own host."""
        for said in (*self._linked("canonical"), self._meta("og:url")):
            address = _address(said, self._base)
            if address and same_place(address, self._url):
                return address
        return ""

    def _oembed(self) -> str:
        return self._first(
            *(href for rels, kind, href in self._head.links if "alternate" in rels and kind in _OEMBED_TYPES)
        )


def read_oembed(body: bytes, url: str, page: Found) -> Found:
    """The page with what an oEmbed answer (oembed.com, section 2.3.4) from `url` adds to it; its HTML is never read.

    What is no JSON object adds nothing.
    """
    try:
        told = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return page
    if not isinstance(told, dict):
        return page
    kind: Kind = {"photo": "photo", "video": "video"}.get(str(told.get("type")), page.kind)  # type: ignore[assignment]  # the literals above
    picture = _address(_string(told.get("thumbnail_url")), url)
    sides = _side(told.get("thumbnail_width")), _side(told.get("thumbnail_height"))
    if kind == "photo" and not picture:
        picture = _address(_string(told.get("url")), url)
        sides = _side(told.get("width")), _side(told.get("height"))
    if page.image or not picture:
        picture, sides = page.image, (page.width, page.height)
    return msgspec.structs.replace(
        page,
        title=page.title or _text(_string(told.get("title")), LONGEST_TITLE),
        kind=kind,
        provider_name=page.provider_name or _text(_string(told.get("provider_name")), LONGEST_NAME),
        author_name=page.author_name or _text(_string(told.get("author_name")), LONGEST_NAME),
        author_url=page.author_url or _address(_string(told.get("author_url")), url),
        image=picture,
        width=sides[0] if all(sides) else 0,
        height=sides[1] if all(sides) else 0,
    )


def same_place(one: str, other: str) -> bool:
    """Whether two addresses are of one host and port (pure)."""
    try:
        first, second = target.read(one), target.read(other)
    except ValueError:
        return False
    return (first.host, first.wire.port) == (second.host, second.wire.port)


def _text(said: str, longest: int) -> str:
    return shortened(plain(said[:_MOST_OF_A_FIELD]), longest)


def _address(said: str, base: str) -> str:
    """An http(s) address in its absolute form and in ASCII; "" for anything else."""
    said = said.strip()
    if not said or len(said) > LONGEST_ADDRESS:
        return ""
    try:
        wire = str(target.read(urljoin(base, said)).wire)
    except ValueError:
        return ""
    return wire if len(wire) <= LONGEST_ADDRESS and wire.isascii() else ""


def _is_address(said: str) -> bool:
    return "://" in said or said.startswith(("/", "www.", "javascript:", "data:"))


def _side(said: object) -> int:
    """A width or height; 0 for one that is none."""
    try:
        number = int(float(str(said)[:12]))
    except (ValueError, OverflowError):
        return 0
    return min(number, LARGEST) if number > 0 else 0


def _language(*said: str) -> str:
    for each in said:
        found = _LANGUAGE.fullmatch(each.strip()[:40])
        if found is not None:
            language, script, region = found.groups(default="")
            return "-".join(part for part in (language.lower(), script.title(), region.upper()) if part)
    return ""


def _moment(*said: str) -> float | None:
    for each in said:
        try:
            found = datetime.fromisoformat(each.strip()[:40])
            moment = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            continue
        if 0 < moment < 1e11:
            return moment
    return None


def _creator(said: str) -> str:
    found = _CREATOR.fullmatch(said.strip())
    return f"{found[1]}@{found[2].lower()}" if found is not None else ""


def _of_scripts(scripts: list[str]) -> Mapping[str, Any]:
    """The object of the page's JSON-LD that tells most of it: schema.org's kinds in the order of `_TELLING`."""
    best: Mapping[str, Any] = {}
    rank = len(_TELLING)
    for script in scripts:
        if len(script) > _MOST_JSON:
            continue
        try:
            document = msgspec.json.decode(script.encode())
        except (ValueError, RecursionError):
            continue
        for node in _nodes(document):
            for kind in _strings(node.get("@type")):
                if kind in _TELLING and _TELLING.index(kind) < rank:
                    best, rank = node, _TELLING.index(kind)
    return best


def _nodes(document: object) -> Iterator[Mapping[str, Any]]:
    for each in document[:_MOST_NODES] if isinstance(document, list) else [document]:
        if isinstance(each, dict):
            yield each
            graph = each.get("@graph")
            if isinstance(graph, list):
                yield from (node for node in graph[:_MOST_NODES] if isinstance(node, dict))


def _string(said: object) -> str:
    return next(iter(_strings(said)), "")


def _strings(said: object) -> list[str]:
    """The strings that stand where one is expected: itself, the first ones of a list, an object's address."""
    several = said[:5] if isinstance(said, list) else [said]
    texts = [each.get("url") or each.get("@id") if isinstance(each, dict) else each for each in several]
    return [text[:_MOST_OF_A_FIELD] for text in texts if isinstance(text, str) and text.strip()]


def _first_object(said: object) -> Mapping[str, Any]:
    first = said[0] if isinstance(said, list) and said else said
    if isinstance(first, str):
        return {"name": first}
    return first if isinstance(first, dict) else {}


def _name(told: Mapping[str, Any]) -> str:
    return _string(told.get("name"))
