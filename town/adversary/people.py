"""Who takes part in the siege, how they sign, and what they serve at two addresses of this machine.

The innocent host is where carol lives, who does nothing wrong, and mallory, who does; the evil host is eve's own.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from privapub import clock
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.ld_quads import canonical
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign

CONTEXT = "https://www.w3.org/ns/activitystreams"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
JSON = "application/activity+json"
Headers = tuple[tuple[str, str], ...]
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Person:
    """An actor at one of the two hosts, and its key."""

    uri: str
    handle: str
    more: dict[str, Any] = field(default_factory=dict)
    pem: str = ""
    public: str = ""

    def __post_init__(self) -> None:
        """Make a key, for who has none."""
        if self.pem:
            return
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        self.public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ).decode()  # fmt: skip

    @property
    def key_id(self) -> str:
        """The id of the key, a part of the actor."""
        return f"{self.uri}#main-key"

    def document(self, **changes: Any) -> dict[str, Any]:
        """What the actor's own host says of it."""
        return {
            "@context": [CONTEXT, "https://w3id.org/security/v1"],
            "id": self.uri, "type": "Person", "preferredUsername": self.handle, "name": self.handle,
            "inbox": f"{self.uri}/inbox", "outbox": f"{self.uri}/outbox", "followers": f"{self.uri}/followers",
            "featured": f"{self.uri}/featured",
            "publicKey": {"id": self.key_id, "owner": self.uri, "publicKeyPem": self.public},
            **self.more, **changes,
        }  # fmt: skip

    def signed(self, method: str, url: str, body: bytes = b"", **how: Any) -> Headers:
        """The headers of a request; `how`: key_id, scheme, at, headers."""
        host = url.split("/")[2]
        kind = (("Content-Type", how.get("kind", JSON)),) if method == "POST" else (("Accept", JSON),)
        request = HttpRequest(method, url, (("Host", host), *kind, *how.get("headers", ())), body)
        key = PrivateKey.from_pem(how.get("key_id") or self.key_id, self.pem)
        scheme: Scheme = how.get("scheme", "cavage")
        return (*request.headers, *sign(request, key, scheme, how.get("at") or clock.now()))

    def linked(self, document: dict[str, Any]) -> dict[str, str]:
        """An RsaSignature2017 of a document, as older servers make them."""
        created = "2026-03-01T12:00:00Z"
        options = (
            f'_:c14n0 <http://purl.org/dc/terms/created> "{created}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
            f"_:c14n0 <http://purl.org/dc/terms/creator> <{self.key_id}> .\n"
        )
        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (options, canonical(document)[1])]
        value = PrivateKey.from_pem(self.key_id, self.pem).sign("".join(hashes).encode())
        return {
            "type": "RsaSignature2017", "creator": self.key_id, "created": created,
            "signatureValue": base64.b64encode(value).decode(),
        }  # fmt: skip


class Host:
    """One of the two: pages by path, what begins with a path, and all that was asked and said."""

    def __init__(self, origin: str) -> None:
        """Nothing is served yet."""
        self.origin = origin
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.below: dict[str, Answer] = {}
        self.asked: Counter[str] = Counter()
        self.heard: list[str] = []
        self.signed: dict[str, set[str]] = {}  # where each signature came to
        self.posted: list[dict[str, Any]] = []

    def serve(self, url: str, document: object, *, kind: str = JSON, status: int = 200, **headers: str) -> str:
        """Answer with this at a URL of this host; returns it."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.pages[url.removeprefix(self.origin)] = (status, {"Content-Type": kind, **headers}, body)
        return url

    def person(self, person: Person) -> Person:
        """Serve an actor and its webfinger."""
        self.serve(person.uri, person.document())
        host = self.origin.partition("//")[2]
        self.finger(f"{person.handle}@{host}", person.uri)
        return person

    def finger(self, address: str, uri: str, subject: str = "") -> None:
        """Serve webfinger for an address."""
        jrd = {"subject": f"acct:{subject or address}", "links": [{"rel": "self", "type": JSON, "href": uri}]}
        self.serve(f"{self.origin}/.well-known/webfinger?resource=acct:{address}", jrd, kind="application/jrd+json")

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer, and remember what was said to us."""
        body = await request.read()
        path = request.raw_path
        self.asked[path] += 1
        for name in ("Signature", "Authorization"):
            if value := request.headers.get(name):
                self.signed.setdefault(value, set()).add(f"{request.method} {self.origin}{path}")
        self.heard.append(f"{request.method} {path} {dict(request.headers)} {body.decode(errors='replace')}")
        for begin, answer in self.below.items():
            if path.startswith(begin):
                return await answer(request)
        if request.method == "POST":
            self.posted.append(json.loads(body))
            return web.Response(status=202)
        status, headers, found = self.pages.get(path, (404, {}, b""))
        return web.Response(status=status, headers=headers, body=found)


def note(by: Person, uri: str, **changes: Any) -> dict[str, Any]:
    """A note."""
    return {
        "type": "Note", "id": uri, "attributedTo": by.uri, "content": "<p>hello</p>", "to": [PUBLIC],
        "published": "2026-03-01T10:00:00Z", **changes,
    }  # fmt: skip


def of(kind: str, by: Person, what: object, uri: str = "", **more: Any) -> dict[str, Any]:
    """An activity."""
    uri = uri or f"{by.uri}/{kind}/{hashlib.sha256(repr((what, more)).encode()).hexdigest()[:12]}"
    return {"@context": CONTEXT, "type": kind, "id": uri, "actor": by.uri, "object": what, **more}


def create(by: Person, post: dict[str, Any], uri: str = "") -> dict[str, Any]:
    """A Create of a note."""
    return of("Create", by, post, uri, to=post.get("to", []), cc=post.get("cc", []))
