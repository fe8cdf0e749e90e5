"""draft-cavage-http-signatures-12: the `Signature` header that most of the fediverse sends.

Where the field departs from the draft, the field decides: `hs2019` with an RSA key means PKCS #1 v1.5 with SHA-256, a
missing `algorithm` means what the key does, and a GET may leave the query string out of its signed target (Friendica).
"""

import base64
import binascii
import itertools
import re

from privapub.federation.signatures import components
from privapub.federation.signatures.claim import (
    LONGEST_SIGNATURE_FIELD,
    Presented,
    checked_covered,
    checked_key_id,
    malformed,
    not_covered,
)
from privapub.federation.signatures.request import BadSignature, HttpRequest

TARGET, CREATED, EXPIRES = "(request-target)", "(created)", "(expires)"
ALGORITHMS = {"rsa-sha256": "rsa", "rsa-sha512": "rsa", "ed25519": "ed25519", "hs2019": None, None: None}
"""Each name that may be claimed, and the kind of key it needs (None: any)."""

_PARAMETER = re.compile(r'[ \t]*([A-Za-z]+)[ \t]*=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",\s]*))[ \t]*(,|$)', re.ASCII)
_ESCAPED = re.compile(r"\\(.)")
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_FRACTION = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?", re.ASCII)


def read(request: HttpRequest) -> Presented:
    """The signature that the request presents, whatever it covers; BadSignature where it cannot be understood."""
    lines = request.lines("signature")
    if not lines:
        raise BadSignature("no-signature", "This request is not signed.")
    if len(lines) > 1:
        raise malformed()
    found = _parameters(lines[0])
    algorithm = found["algorithm"].lower() if "algorithm" in found else None
    if algorithm not in ALGORITHMS:
        raise BadSignature("wrong-algorithm", "The signature of this request uses an algorithm that is not accepted.")
    # Draft 2.1.6: without a list it is `(created)`; older drafts say `date`. Neither binds enough to be accepted.
    covered = checked_covered(tuple(found.get("headers", "date").lower().split()))
    for name in covered:
        if name not in {TARGET, CREATED, EXPIRES} and not components.is_field_name(name):
            raise malformed()
    return Presented(
        scheme="cavage",
        key_id=checked_key_id(found.get("keyid")),
        algorithm=algorithm,
        covered=covered,
        created=_moment(found.get("created"), _SECONDS, algorithm) if CREATED in covered else None,
        expires=_moment(found.get("expires"), _FRACTION, algorithm) if EXPIRES in covered else None,
        signature=_decode(found.get("signature", "")),
        parameters=",".join(
            f"{name.strip('()')}={found[name.strip('()')]}" for name in (CREATED, EXPIRES) if name in covered
        ),
    )


def require(presented: Presented, request: HttpRequest) -> None:
    """Refuse what does not bind target, host, time and (where there may be content) its digest."""
    covered = set(presented.covered)
    if TARGET not in covered:
        raise not_covered("target")
    if "host" not in covered:
        raise not_covered("host")
    if not covered & {"date", CREATED}:
        raise not_covered("time")
    if not request.bodiless and not covered & {"digest", "content-digest"}:
        raise not_covered("digest")


def bases(presented: Presented, request: HttpRequest) -> tuple[bytes, ...]:
    """The strings that the sender may have signed (draft 2.3), the likeliest first; at most four."""
    times = dict(part.split("=") for part in presented.parameters.split(",") if part)
    choices = [_values(name, request, times) for name in presented.covered]
    return tuple(_encode("\n".join(lines)) for lines in itertools.product(*choices))


def base(covered: tuple[str, ...], request: HttpRequest, created: int | None = None) -> bytes:
    """The string to sign over this list (draft 2.3), as the draft itself says."""
    times = {} if created is None else {"created": str(created)}
    return _encode("\n".join(_values(name, request, times)[0] for name in covered))


def _values(name: str, request: HttpRequest, times: dict[str, str]) -> tuple[str, ...]:
    """The line of one covered name, in each form that counts."""
    if name == TARGET:
        target = request.target
        method = request.method.lower()
        whole = f"{name}: {method} {target.origin_form}"
        return (whole, f"{name}: {method} {target.path}") if target.query and request.bodiless else (whole,)
    if name in {CREATED, EXPIRES}:
        if name.strip("()") not in times:
            raise malformed()
        return (f"{name}: {times[name.strip('()')]}",)
    if name == "host":
        return tuple(f"host: {host}" for host in components.hosts(request))
    return (f"{name}: {components.field(request, name)}",)


def _parameters(text: str) -> dict[str, str]:
    if len(text) > LONGEST_SIGNATURE_FIELD:
        raise malformed()
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        part = _PARAMETER.match(text, at)
        if part is None or part[1].lower() in found or (part[4] and part.end() == len(text)):
            raise malformed()
        found[part[1].lower()] = part[3] if part[2] is None else _ESCAPED.sub(r"\1", part[2])
        at = part.end()
    return found


def _moment(text: str | None, form: re.Pattern[str], algorithm: str | None) -> float:
    """Draft 2.3: `(created)` and `(expires)` are for `hs2019` alone, and need their parameter."""
    if algorithm in {"rsa-sha256", "rsa-sha512"}:
        raise BadSignature(
            "wrong-algorithm", "The signature of this request covers a time that its algorithm does not allow."
        )
    if text is None or not form.fullmatch(text):
        raise malformed("signed time")
    return float(text)


def _decode(text: str) -> bytes:
    try:
        signature = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise malformed() from error
    if not signature:
        raise malformed()
    return signature


def _encode(text: str) -> bytes:
    """Header values come as Latin-1 from the wire, whatever their bytes mean."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise malformed() from error
