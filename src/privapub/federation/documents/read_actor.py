"""Actor documents (ActivityPub, section 4)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from privapub.federation.documents.fields import Fields, opened
from privapub.federation.documents.limits import MAX_ALIASES, MAX_FIELD_VALUE, MAX_FIELDS, MAX_HTML, MAX_NAME
from privapub.federation.documents.problems import Note
from privapub.federation.documents.properties import line, link, objects, web_id
from privapub.federation.documents.read_attachments import alt_of
from privapub.federation.documents.read_keys import Key, read_key_addresses, read_keys
from privapub.federation.documents.read_tags import Tag, read_tags
from privapub.markup.characters import contained
from privapub.outbound.target import host_of

MAX_DOMAINS = 100
KINDS = frozenset({"Person", "Service", "Application", "Group", "Organization"})
_HANDLE = re.compile(r"[^\s@/?#\x00-\x1f\x7f-\x9f]{1,200}")
_DOMAIN = re.compile(r"[^\s/:@?#\\\[\]]{1,253}")
_HTML = ("text/html",)
_VALUES = ("PropertyValue", "ProperyValue", "Note", "Link")


@dataclass(frozen=True, slots=True)
class RemoteActor:
    """What an actor's document says. `summary` and the values of `fields` are raw HTML; `keys` are this actor's own.

    `fields` holds `{"name": plain text, "value": raw HTML}`; `keys` holds (id, owner, `rsa` or `ed25519`, PEM or
    multibase); `key_addresses` are keys with documents of their own.
    """

    uri: str
    kind: str
    handle: str
    inbox: str
    name: str = ""
    summary: str = ""
    language: str | None = None
    url: str | None = None
    icon: str | None = None
    icon_alt: str = ""
    image: str | None = None
    image_alt: str = ""
    fields: tuple[dict[str, str], ...] = ()
    tags: tuple[Tag, ...] = ()  # the emoji of the name, and hashtags
    shared_inbox: str | None = None
    outbox: str | None = None
    followers: str | None = None
    following: str | None = None
    featured: str | None = None  # pinned posts
    featured_tags: str | None = None
    webfinger: str = ""  # the address that the actor says it has (FEP-2c59), `handle@host`; its host must agree
    locked: bool = False
    discoverable: bool = False
    indexable: bool = False
    memorial: bool = False
    suspended: bool = False
    also_known_as: tuple[str, ...] = ()
    attribution_domains: tuple[str, ...] = ()  # hosts whose pages may name it as their author
    moved_to: str | None = None
    published_at: float | None = None
    updated_at: float | None = None
    keys: tuple[Key, ...] = ()
    key_addresses: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()  # what could not be read, or not whole: (property, sentence)


def read_actor(document: dict[str, Any]) -> RemoteActor:
    """The actor in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `not-activitystreams`, `gone` (a Tombstone), `wrong-type`, `bad-id` or
    `no-inbox`.
    """
    fields = opened(document)
    kind = _kind(fields)
    uri = web_id(fields.raw.get("id"))
    if uri is None:
        raise fields.refusal("bad-id", "It has no id that is an http(s) URL.")
    inbox = fields.web_id("inbox")
    if inbox is None:
        raise fields.refusal("no-inbox", "It has no inbox, so nobody can write to it.")
    summary = fields.text("summary", MAX_HTML)
    return RemoteActor(
        uri=uri,
        kind=kind,
        handle=_handle(fields, uri),
        inbox=inbox,
        name=fields.line("name", MAX_NAME),
        summary=summary.said,
        language=summary.language,
        url=fields.link("url", _HTML),
        icon=fields.link("icon"),
        icon_alt=_alt(fields, "icon"),
        image=fields.link("image"),
        image_alt=_alt(fields, "image"),
        fields=tuple(_fields(fields)),
        tags=read_tags(fields),
        shared_inbox=_shared_inbox(fields),
        outbox=fields.web_id("outbox"),
        followers=fields.web_id("followers"),
        following=fields.web_id("following"),
        featured=fields.web_id("featured"),
        featured_tags=fields.web_id("featuredTags"),
        webfinger=line(fields.raw.get("webfinger")).removeprefix("acct:").removeprefix("@"),
        locked=fields.flag("manuallyApprovesFollowers"),
        discoverable=fields.flag("discoverable"),
        indexable=fields.flag("indexable"),
        memorial=fields.flag("memorial"),
        suspended=fields.flag("suspended"),
        also_known_as=fields.identities("alsoKnownAs", MAX_ALIASES),
        attribution_domains=_domains(fields.raw.get("attributionDomains")),
        moved_to=fields.web_id("movedTo"),
        published_at=fields.moment("published"),
        updated_at=fields.moment("updated"),
        keys=read_keys(fields, uri),
        key_addresses=read_key_addresses(fields),
        notes=fields.notes,
    )


def _kind(fields: Fields) -> str:
    kinds = fields.types()
    if "Tombstone" in kinds:
        raise fields.refusal("gone", "This actor is no more.")
    kind = next((name for name in kinds if name in KINDS), None)
    if kind is None:
        raise fields.refusal("wrong-type", "This is no actor.")
    return kind


def _handle(fields: Fields, uri: str) -> str:
    said = fields.string("preferredUsername", 1000)
    if _is_handle(said):
        return said
    if said:
        fields.note("preferredUsername", "This cannot stand before the @ of an address.")
    # Without one the last part of the id stands in; webfinger may tell better.
    last = unquote(urlsplit(uri).path.rstrip("/").rpartition("/")[2]).lstrip("@")
    return last if _is_handle(last) else ""


def _is_handle(text: str) -> bool:
    """Whether this may stand before the @ of an address: one that turned what comes after it would show another."""
    return _HANDLE.fullmatch(text) is not None and contained(text) == text


def _domains(said: object) -> tuple[str, ...]:
    """Hosts, in the one spelling by which they are known; what is none is passed over (as Mastodon says it)."""
    several = said if isinstance(said, list) else [said]
    found = (
        host_of(f"https://{each}/")
        for each in several[:MAX_DOMAINS]
        if isinstance(each, str) and _DOMAIN.fullmatch(each)
    )
    return tuple(dict.fromkeys(host for host in found if host))


def _fields(fields: Fields) -> Iterator[dict[str, str]]:
    """The table of a profile: Mastodon's PropertyValue, and Notes and Links in its place (FEP-fb2a)."""
    found = [item for item in fields.objects("attachment", 10 * MAX_FIELDS) if set(item.types()) & {*_VALUES}]
    if len(found) > MAX_FIELDS:
        fields.note("attachment", f"Only the first {MAX_FIELDS} of {len(found)} fields were read.")
    for item in found[:MAX_FIELDS]:
        name, value = item.line("name", MAX_NAME), _value(item)
        if name:
            yield {"name": name, "value": value}
        else:
            fields.note("attachment", "One of these fields has no name.")


def _value(item: Fields) -> str:
    if "Link" in item.types():
        href = link(item.raw) or ""
        return f'<a href="{escape(href)}" rel="me">{escape(href, quote=False)}</a>' if href else ""
    return item.string("value", MAX_FIELD_VALUE) or item.text("content", MAX_FIELD_VALUE).said


def _alt(fields: Fields, name: str) -> str:
    return next((alt_of(Fields(picture, fields)) for picture in objects(fields.raw.get(name))), "")


def _shared_inbox(fields: Fields) -> str | None:
    for endpoints in objects(fields.raw.get("endpoints")):
        if found := Fields(endpoints, fields).web_id("sharedInbox"):
            return found
    return fields.web_id("sharedInbox")
