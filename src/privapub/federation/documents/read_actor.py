"""Actor documents (ActivityPub, section 4; keys: security/v1 `publicKey` and FEP-521a `assertionMethod`)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from privapub.federation.documents.multikey import algorithm_of, algorithm_of_pem
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import (
    MAX_HTML,
    by_language,
    each,
    flag,
    identities,
    identity,
    line,
    link,
    moment,
    string,
    types,
    web_id,
)

KINDS = frozenset({"Person", "Service", "Application", "Group", "Organization"})
MAX_FIELDS = 16
MAX_FIELD_VALUE = 4000
MAX_KEYS = 10
MAX_ALIASES = 20
_HANDLE = re.compile(r"[^\s@/?#\x00-\x1f\x7f-\x9f]{1,200}")
_HTML = ("text/html",)


@dataclass(frozen=True)
class RemoteActor:
    """What an actor's document says. `summary` and the values of `fields` are raw HTML; `keys` are this actor's own.

    `fields` holds `{"name": plain text, "value": raw HTML}`; `keys` holds (id, owner, `rsa` or `ed25519`, PEM or
    multibase); `notes` names what was there and could not be used.
    """

    uri: str
    kind: str
    handle: str
    name: str
    summary: str
    url: str | None
    icon: str | None
    image: str | None
    fields: tuple[dict[str, str], ...]
    inbox: str
    shared_inbox: str | None
    outbox: str | None
    followers: str | None
    following: str | None
    locked: bool
    discoverable: bool
    indexable: bool
    also_known_as: tuple[str, ...]
    moved_to: str | None
    updated_at: float | None
    keys: tuple[tuple[str, str, str, str], ...]
    notes: tuple[str, ...]


def read_actor(document: dict[str, Any]) -> RemoteActor:
    """The actor in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `gone` (a Tombstone), `wrong-type`, `bad-id` or `no-inbox`.
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
    inbox = web_id(document.get("inbox"))
    if inbox is None:
        raise BadDocument("no-inbox")
    notes: list[str] = []
    return RemoteActor(
        uri=uri,
        kind=kind,
        handle=_handle(document, uri, notes),
        name=line(by_language(document, "name", 4000)[0]),
        summary=by_language(document, "summary", MAX_HTML)[0],
        url=link(document.get("url"), _HTML),
        icon=link(document.get("icon")),
        image=link(document.get("image")),
        fields=tuple(_fields(document)),
        inbox=inbox,
        shared_inbox=_shared_inbox(document),
        outbox=web_id(document.get("outbox")),
        followers=web_id(document.get("followers")),
        following=web_id(document.get("following")),
        locked=flag(document.get("manuallyApprovesFollowers")),
        discoverable=flag(document.get("discoverable")),
        indexable=flag(document.get("indexable")),
        also_known_as=identities(document.get("alsoKnownAs"), MAX_ALIASES),
        moved_to=web_id(document.get("movedTo")),
        updated_at=moment(document.get("updated")),
        keys=tuple(_keys(document, uri, notes)),
        notes=tuple(notes),
    )


def _handle(document: dict[str, Any], uri: str, notes: list[str]) -> str:
    said = string(document.get("preferredUsername"), 1000)
    if _HANDLE.fullmatch(said):
        return said
    if said:
        notes.append("preferredUsername")
    # Without one the last part of the id stands in; webfinger may tell better.
    last = unquote(urlsplit(uri).path.rstrip("/").rpartition("/")[2]).lstrip("@")
    return last if _HANDLE.fullmatch(last) else ""


def _fields(document: dict[str, Any]) -> Iterator[dict[str, str]]:
    found = (item for item in each(document.get("attachment")) if isinstance(item, dict))
    pairs = [item for item in found if "PropertyValue" in types(item) or "schema:PropertyValue" in types(item)]
    for item in pairs[:MAX_FIELDS]:
        value = string(item.get("value", item.get("schema:value")), MAX_FIELD_VALUE)
        if name := line(item.get("name")):
            yield {"name": name, "value": value}


def _shared_inbox(document: dict[str, Any]) -> str | None:
    for endpoints in each(document.get("endpoints")):
        if isinstance(endpoints, dict) and (found := web_id(endpoints.get("sharedInbox"))):
            return found
    return web_id(document.get("sharedInbox"))


def _keys(document: dict[str, Any], uri: str, notes: list[str]) -> Iterator[tuple[str, str, str, str]]:
    seen: set[str] = set()
    for member, holder, read in (("publicKey", "owner", _pem), ("assertionMethod", "controller", _multibase)):
        for item in each(document.get(member))[:MAX_KEYS]:
            if not isinstance(item, dict):
                continue  # the address of a key document: it is fetched when something is signed with it
            key_id = web_id(item)
            owner = identity(item.get(holder)) or uri
            algorithm, text = read(item)
            if key_id is None or owner != uri or algorithm is None or key_id in seen:
                notes.append(member)
                continue
            seen.add(key_id)
            yield key_id, owner, algorithm, text


def _pem(item: dict[str, Any]) -> tuple[str | None, str]:
    text = string(item.get("publicKeyPem"), 5000).strip()
    return algorithm_of_pem(text), text


def _multibase(item: dict[str, Any]) -> tuple[str | None, str]:
    text = string(item.get("publicKeyMultibase"), 5000).strip()
    return algorithm_of(text), text
