"""Signing a request: RFC 9421 or draft-cavage, with the header fields that the signature needs."""

import base64

from privapub import clock
from privapub.federation.signatures import cavage, message_signature
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.digest import sha256_base64
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest

LABEL = "sig1"

# Beside what is always covered: what tells of more than the body, where a request has it (FEP-8fcf).
_ALSO = ("collection-synchronization",)
_CAVAGE = (cavage.TARGET, "host", "date")
_MESSAGE = ("@method", "@target-uri", "@authority")


def sign(
    request: HttpRequest,
    key: PrivateKey,
    scheme: Scheme,
    now: float,
    digest_b64: str | None = None,
    *,
    covered: tuple[str, ...] | None = None,
) -> tuple[tuple[str, str], ...]:
    """The header fields to add to the request, so that it is signed at `now`; those it already has are left alone.

    `digest_b64` is the SHA-256 of the content in base64 where it is known already. `covered` is another list than the
    usual one (`(request-target) host date` and `digest` where there may be content; `@method @target-uri @authority`
    and `content-digest`; both with what of `_ALSO` the request has); the fields it names must be on the request, but
    for Host, Date and the digests, which are made.
    """
    names = covered or _usual(request, scheme)
    added = tuple(
        (field, value)
        for field, name, value in _made(request, now, digest_b64 or "", names)
        if name in names and request.header(name) is None
    )
    whole = HttpRequest(request.method, request.url, (*request.headers, *added), request.body)
    if scheme == "cavage":
        return (*added, ("Signature", _cavage(whole, key, names, int(now))))
    return (*added, *_message(whole, key, names, int(now)))


def _usual(request: HttpRequest, scheme: Scheme) -> tuple[str, ...]:
    also = tuple(name for name in _ALSO if request.header(name) is not None)
    if scheme == "cavage":
        return (*_CAVAGE, *also) if request.bodiless else (*_CAVAGE, "digest", *also)
    return (*_MESSAGE, *also) if request.bodiless else (*_MESSAGE, "content-digest", *also)


def _made(
    request: HttpRequest, now: float, digest_b64: str, names: tuple[str, ...]
) -> tuple[tuple[str, str, str], ...]:
    wanted = {"digest", "content-digest"} & set(names)
    hashed = (digest_b64 or sha256_base64(request.body)) if wanted else ""
    return (
        ("Host", "host", request.target.authority),
        ("Date", "date", clock.http_date(now)),
        ("Digest", "digest", f"SHA-256={hashed}"),
        ("Content-Digest", "content-digest", f"sha-256=:{hashed}:"),
    )


def _cavage(request: HttpRequest, key: PrivateKey, names: tuple[str, ...], created: int) -> str:
    """Friendica refuses a signature without `algorithm`, and takes `rsa-sha256` and `hs2019`."""
    timed = cavage.CREATED in names
    algorithm = "rsa-sha256" if key.algorithm == "rsa" and not timed else "hs2019"
    signature = base64.b64encode(key.sign(cavage.base(names, request, created))).decode()
    parts = [f'keyId="{key.id}"', f'algorithm="{algorithm}"']
    if timed:
        parts.append(f"created={created}")
    return ",".join([*parts, f'headers="{" ".join(names)}"', f'signature="{signature}"'])


def _message(
    request: HttpRequest, key: PrivateKey, names: tuple[str, ...], created: int
) -> tuple[tuple[str, str], ...]:
    algorithm = "rsa-v1_5-sha256" if key.algorithm == "rsa" else "ed25519"
    parameters = message_signature.parameters(names, created=created, keyid=key.id, alg=algorithm)
    signature = base64.b64encode(key.sign(message_signature.base(names, parameters, request))).decode()
    return (("Signature-Input", f"{LABEL}={parameters}"), ("Signature", f"{LABEL}=:{signature}:"))
