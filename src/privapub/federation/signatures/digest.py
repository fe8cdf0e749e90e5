"""RFC 9530 (Content-Digest) and RFC 3230 (Digest): the hash of a request's content in its header.

Every value of every digest field that is present must be right where we know its algorithm, and each field must hold at
least one that we know: whichever of the two fields the signature covers then binds the content.
"""

import base64
import binascii
import hashlib
import hmac

from privapub.federation.signatures import structured
from privapub.federation.signatures.request import BadSignature, HttpRequest

LONGEST_FIELD = 2048
_KNOWN = {"sha-256": hashlib.sha256, "sha-512": hashlib.sha512}


def sha256_base64(body: bytes) -> str:
    """The SHA-256 of the content in base64: what both fields are made of, so that it is computed once."""
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


def check_digest(request: HttpRequest) -> None:
    """Compare the content with the digests that came with it.

    A request that may carry content must have one; a GET or HEAD may. Raises BadSignature with the reason `no-digest`,
    `wrong-digest`, `unknown-digest` (no algorithm that is known: SHA-256, SHA-512) or `malformed-digest`.
    """
    fields = [
        read(text)
        for name, read in (("digest", _read_digest), ("content-digest", _read_content_digest))
        if (text := _field(request, name))
    ]
    if not fields and not request.bodiless:
        raise BadSignature("no-digest", "This request has no digest of its content.")
    for values in fields:
        _compare(values, request.body)


def _field(request: HttpRequest, name: str) -> str | None:
    text = request.header(name)
    if text is not None and len(text) > LONGEST_FIELD:
        raise _malformed()
    return text


def _compare(values: list[tuple[str, bytes]], body: bytes) -> None:
    known = [(algorithm, value) for algorithm, value in values if algorithm in _KNOWN]
    if not known:
        raise BadSignature("unknown-digest", "The digest of this request uses no algorithm that is known here.")
    for algorithm, value in known:
        if not hmac.compare_digest(_KNOWN[algorithm](body).digest(), value):
            raise BadSignature("wrong-digest", "The digest of this request does not fit its content.")


def _read_digest(text: str) -> list[tuple[str, bytes]]:
    """Algorithm names are case-insensitive, and the field is a list (RFC 3230, section 4.1.1)."""
    values = []
    for part in text.split(","):
        algorithm, equals, value = part.partition("=")
        name = algorithm.strip(" \t").lower()
        if not equals or not name:
            raise _malformed()
        if name in _KNOWN:
            values.append((name, _decode(value.strip(" \t"))))
    return values


def _read_content_digest(text: str) -> list[tuple[str, bytes]]:
    try:
        members = structured.read_dictionary(text)
    except structured.Malformed as error:
        raise _malformed() from error
    values = []
    for name, member in members.items():
        if not isinstance(member, structured.Item) or not isinstance(member.value, bytes):
            raise _malformed()
        values.append((name, member.value))
    return values


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _malformed() from error


def _malformed() -> BadSignature:
    return BadSignature("malformed-digest", "The digest of this request cannot be understood.")
