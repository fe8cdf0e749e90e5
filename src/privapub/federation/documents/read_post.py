"""Post documents: Note and what is shown like one (ActivityStreams Vocabulary, section 3.3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import (
    MAX_HTML,
    PUBLIC,
    by_language,
    each,
    flag,
    identities,
    identity,
    language,
    line,
    link,
    moment,
    string,
    types,
    web_id,
)
from privapub.markup.characters import contained
from privapub.markup.clean import plain
from privapub.markup.text import text_of

KINDS = frozenset({"Note", "Article", "Question", "Page", "Video", "Audio", "Image", "Event", "ChatMessage"})
_WITH_WARNING = frozenset({"Note", "Question", "ChatMessage"})
_WITH_TITLE = frozenset({"Article", "Page", "Video", "Audio", "Image", "Event"})
MAX_TAGS = 200
MAX_ATTACHMENTS = 32
MAX_ALT = 10_000
MAX_SUMMARY = 2000
MAX_SIDE = 100_000
_HTML = ("text/html",)
_PLAIN_TYPES = frozenset({"text/plain", "text/markdown", "text/x.misskeymarkdown", "text/bbcode"})


@dataclass(frozen=True)
class RemotePost:
    """What a post's document says. `content` is raw HTML; `name` and `summary` are plain text.

    `tags`: `{"type": "Mention"|"Hashtag"|"Emoji", "name": …, "href": …}`. `attachments`: `{"type", "media_type", "url",
    "alt", "width", "height", "blurhash"}`. A title (`name`) stands at the top of `content` too, except a Note's: a Note
    with a name and no content is a vote.
    """

    uri: str
    kind: str
    author: str
    name: str
    content: str
    summary: str
    sensitive: bool
    language: str | None
    url: str | None
    in_reply_to: str | None
    to: tuple[str, ...]
    cc: tuple[str, ...]
    tags: tuple[dict[str, str], ...]
    attachments: tuple[dict[str, Any], ...]
    published_at: float | None
    updated_at: float | None


def read_post(document: dict[str, Any]) -> RemotePost:
    """The post in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `gone` (a Tombstone), `wrong-type`, `bad-id` or `no-author`.
    """
    kinds = types(document)
    if "Tombstone" in kinds:
        raise BadDocument("gone")
    kind = next((name for name in kinds if name in KINDS), None)
    if kind is None:
        raise BadDocument("wrong-type")
    uri = web_id(document.get("id", document.get("@id")))
    if uri is None:
        raise BadDocument("bad-id")
    author = _author(document)
    if author is None:
        raise BadDocument("no-author")
    name = line(by_language(document, "name", 4000)[0])
    content, tag = _content(document)
    if name and kind in _WITH_TITLE:
        content = f"<h2>{escape(name, quote=False)}</h2>{content}"
    summary = by_language(document, "summary", MAX_SUMMARY)[0] if kind in _WITH_WARNING else ""
    return RemotePost(
        uri=uri,
        kind=kind,
        author=author,
        name=name,
        content=content,
        summary=plain(text_of(summary)),
        sensitive=flag(document.get("sensitive")),
        language=tag or language(document.get("language")),
        url=link(document.get("url"), _HTML),
        in_reply_to=web_id(document.get("inReplyTo")),
        to=identities(document.get("to")),
        cc=identities(document.get("cc")),
        tags=tuple(_tags(document)),
        attachments=tuple(_attachments(document, kind)),
        published_at=moment(document.get("published")),
        updated_at=moment(document.get("updated")),
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


def _author(document: dict[str, Any]) -> str | None:
    """The person of `attributedTo`; PeerTube lists the person and the channel, in no fixed order."""
    found = each(document.get("attributedTo"))
    people = [item for item in found if isinstance(item, dict) and "Person" in types(item)]
    return web_id(people) or web_id(found) or web_id(document.get("actor"))


def _content(document: dict[str, Any]) -> tuple[str, str | None]:
    text, tag = by_language(document, "content", MAX_HTML)
    if string(document.get("mediaType"), 100).partition(";")[0].strip().lower() in _PLAIN_TYPES:
        paragraphs = re.split(r"\n\s*\n", contained(text).strip())
        text = "".join(f"<p>{escape(part, quote=False).replace(chr(10), '<br>')}</p>" for part in paragraphs if part)
    return text, tag


def _tags(document: dict[str, Any]) -> Iterator[dict[str, str]]:
    kept = 0
    for item in each(document.get("tag")):
        if not isinstance(item, dict) or kept == MAX_TAGS:
            continue
        kind = next((name for name in types(item) if name in {"Mention", "Hashtag", "Emoji"}), None)
        name = line(item.get("name"), 300)
        if kind == "Mention":
            href = identity(item.get("href"))
        elif kind == "Hashtag":
            name, href = "#" + name.lstrip("#"), link(item.get("href")) or ""
        else:
            href = link(item.get("icon"))
        if kind is None or href is None or (kind != "Mention" and name in {"", "#"}):
            continue
        kept += 1
        yield {"type": kind, "name": name, "href": href}


def _attachments(document: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    found = [item for item in each(document.get("attachment")) if isinstance(item, dict)]
    if kind == "Image":
        found.insert(0, document)
    for item in found[:MAX_ATTACHMENTS]:
        url = link(item.get("url", item.get("href")))
        of_kind = next(iter(types(item)), "")
        if url is None or of_kind not in {"Document", "Image", "Video", "Audio"}:
            continue
        alt = contained(
            string(item.get("summary") if kind == "Image" and item is document else item.get("name"), MAX_ALT)
        )
        yield {
            "type": of_kind,
            "media_type": line(item.get("mediaType"), 100),
            "url": url,
            "alt": alt,
            "width": _side(item.get("width")),
            "height": _side(item.get("height")),
            "blurhash": line(item.get("blurhash"), 200),
        }


def _side(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_SIDE else None
