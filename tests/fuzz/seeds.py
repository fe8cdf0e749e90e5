"""Real documents and headers to begin from: of the shared data where it is there, and some of our own in any case."""

import json
from functools import cache
from typing import Any

from shared import where

_AS = "https://www.w3.org/ns/activitystreams"
_CAROL = "https://peer.test/u/carol"
_OWN: tuple[dict[str, Any], ...] = (
    {
        "@context": [_AS, {"Hashtag": "as:Hashtag", "toot": "http://joinmastodon.org/ns#", "Emoji": "toot:Emoji"}],
        "id": "https://peer.test/notes/1/activity",
        "type": "Create",
        "actor": _CAROL,
        "to": [f"{_AS}#Public"],
        "cc": [f"{_CAROL}/followers"],
        "published": "2026-03-01T10:00:00Z",
        "object": {
            "id": "https://peer.test/notes/1",
            "type": "Note",
            "attributedTo": _CAROL,
            "to": "as:Public",
            "content": "<p>Hello <a class='mention' href='https://sut.test/@alice'>@alice</a> #tea :cup:</p>",
            "contentMap": {"en": "<p>Hello</p>", "de-CH": "<p>Hallo</p>"},
            "summary": "drinks",
            "sensitive": True,
            "tag": [
                {"type": "Mention", "href": "https://sut.test/actors/a", "name": "@alice@sut.test"},
                {"type": "Hashtag", "href": "https://peer.test/tags/tea", "name": "#tea"},
                {"type": "Emoji", "name": ":cup:", "icon": {"type": "Image", "url": "https://peer.test/cup.png"}},
            ],
            "attachment": [
                {"type": "Document", "mediaType": "image/png", "url": "https://peer.test/1.png", "name": "a cup",
                 "width": 640, "height": 480, "blurhash": "L6PZfSi_.AyE_3t7t7R**0o#DgR4", "focalPoint": [0.1, -0.2]},
            ],
            "replies": {"type": "Collection", "first": {"type": "CollectionPage", "items": []}},
        },
    },
    {
        "@context": [_AS, "https://w3id.org/security/v1"],
        "id": _CAROL,
        "type": "Person",
        "preferredUsername": "carol",
        "name": "Carol",
        "summary": "<p>She</p>",
        "inbox": f"{_CAROL}/inbox",
        "outbox": f"{_CAROL}/outbox",
        "followers": f"{_CAROL}/followers",
        "endpoints": {"sharedInbox": "https://peer.test/inbox"},
        "publicKey": {"id": f"{_CAROL}#main-key", "owner": _CAROL, "publicKeyPem": "-----BEGIN PUBLIC KEY-----\nAA=="},
        "assertionMethod": [{"id": f"{_CAROL}#ed", "type": "Multikey", "controller": _CAROL,
                             "publicKeyMultibase": "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2"}],
        "attachment": [{"type": "PropertyValue", "name": "home", "value": "<a href='https://c.test'>c.test</a>"}],
        "alsoKnownAs": ["https://old.test/u/carol"],
        "published": "2026-01-01T00:00:00.000Z",
    },
    {"@context": _AS, "id": "https://peer.test/q/1", "type": "Question", "attributedTo": _CAROL, "to": "as:Public",
     "oneOf": [{"type": "Note", "name": "tea", "replies": {"type": "Collection", "totalItems": 3}}],
     "endTime": "2026-03-02T10:00:00Z", "votersCount": 3, "content": "What?"},
    {"@context": _AS, "id": "https://peer.test/e/1", "type": "Event", "attributedTo": _CAROL, "name": "A walk",
     "startTime": "2026-03-02T10:00:00+02:00", "duration": "PT2H30M", "to": ["as:Public"],
     "location": {"type": "Place", "name": "The hill", "latitude": 46.9, "longitude": 7.4}},
    {"@context": _AS, "id": "https://peer.test/o", "type": "OrderedCollection", "totalItems": 2,
     "first": {"type": "OrderedCollectionPage", "orderedItems": ["https://peer.test/notes/1", {"id": "x"}]}},
    {"@context": _AS, "id": "https://peer.test/notes/2", "type": "Tombstone", "deleted": "2026-03-02T10:00:00Z"},
    {"@context": _AS, "id": "https://peer.test/f", "type": "Flag", "actor": _CAROL, "content": "spam",
     "object": ["https://sut.test/actors/a", "https://sut.test/posts/b"]},
    {"@context": _AS, "id": "https://peer.test/l", "type": "Like", "actor": _CAROL, "content": ":cup:",
     "object": "https://sut.test/posts/b", "tag": []},
    {"@context": [_AS, "https://w3id.org/security/v1"], "id": "https://peer.test/s", "type": "Announce",
     "actor": _CAROL, "object": "https://other.test/notes/1", "to": ["as:Public"], "published": "2026-03-01T10:00:00Z",
     "signature": {"type": "RsaSignature2017", "creator": f"{_CAROL}#main-key", "created": "2026-03-01T10:00:00Z",
                   "signatureValue": "AAAA"}},
    {"@context": [_AS, "https://w3id.org/security/data-integrity/v1"], "id": "https://peer.test/p", "type": "Like",
     "actor": _CAROL, "object": "https://sut.test/posts/b",
     "proof": {"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "proofPurpose": "assertionMethod",
               "verificationMethod": f"{_CAROL}#ed", "created": "2026-03-01T10:00:00Z", "proofValue": "z" + "3" * 86,
               "@context": [_AS, "https://w3id.org/security/data-integrity/v1"]}},
    {"subject": "acct:carol@peer.test", "aliases": [_CAROL],
     "links": [{"rel": "self", "type": "application/activity+json", "href": _CAROL}]},
    {"links": [{"rel": "http://nodeinfo.diaspora.software/ns/schema/2.0", "href": "https://peer.test/nodeinfo/2.0"}]},
    {"version": "2.0", "software": {"name": "peer", "version": "1.0"}, "protocols": ["activitypub"]},
)  # fmt: skip
_LONGEST = 20_000

Headers = dict[str, str]
_CAVAGE = (
    'keyId="https://peer.test/u/carol#main-key",algorithm="rsa-sha256",'
    'headers="(request-target) host date digest content-type",signature="c2lnbmF0dXJl"'
)
_TIMED = (
    'keyId="https://peer.test/k",algorithm="hs2019",created=1772366400,expires="1772370000.5",'
    'headers="(request-target) (created) (expires) host digest",signature="AAAA"'
)
_MESSAGE = (
    'sig1=("@method" "@target-uri" "@authority" "content-digest");created=1772366400;'
    'keyid="https://peer.test/u/carol#main-key";alg="rsa-v1_5-sha256"'
)
_TWO = (
    'a=("@method" "@path" "@query" "host" "date" "digest");keyid="k", '
    'b=("@method" "@query-param";name="x" "@request-target");created=1;expires=2;keyid="k";tag="t"'
)
_OWN_HEADERS: tuple[Headers, ...] = (
    {"signature": _CAVAGE},
    {"signature": _TIMED},
    {"signature": "sig1=:c2lnbmF0dXJl:", "signature-input": _MESSAGE},
    {"signature": "a=:AAAA:, b=:AAAA:", "signature-input": _TWO},
)


@cache
def documents() -> tuple[dict[str, Any], ...]:
    """Documents as servers wrote them: not the longest, which tell nothing that others do not."""
    found = list(_OWN)
    folder = where("corpus")
    for path in sorted(folder.rglob("*.json")) if folder.is_dir() else ():
        body = path.read_bytes()
        document = _object(body) if len(body) <= _LONGEST else None
        if document is not None:
            found.append(document)
    return tuple(found)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


@cache
def signed_headers() -> tuple[Headers, ...]:
    """The headers of signed requests, by their names in lower case."""
    found = list(_OWN_HEADERS)
    recorded = where("wire/requests.jsonl")
    for line in recorded.read_text().splitlines() if recorded.is_file() else ():
        request = json.loads(line)
        names = {"sig": "signature", "siginput": "signature-input", "digest": "digest", "cdigest": "content-digest",
                 "date": "date", "ct": "content-type", "accept": "accept"}  # fmt: skip
        headers = {name: request[short] for short, name in names.items() if request.get(short)}
        if "signature" in headers and headers not in found:
            found.append(headers)
    return tuple(found)


@cache
def html() -> tuple[str, ...]:
    """Texts of posts and people as their servers wrote them."""
    found: dict[str, None] = {}
    for document in documents():
        inner = document.get("object")
        for thing in (document, inner if isinstance(inner, dict) else {}):
            found |= dict.fromkeys(
                text for name in ("content", "summary", "name") if isinstance(text := thing.get(name), str)
            )
    return tuple(text for text in found if len(text) <= _LONGEST)
