"""Documents as HTTP responses: media type, `Vary`, `ETag` and `Cache-Control`."""

import hashlib
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from privapub.federation.documents.encode import encode
from privapub.federation.served.asking import SIGNATURE, media_type

PUBLIC_CACHE = "public, max-age=180"
PRIVATE_CACHE = "private, no-store"
# To somebody who signed: others might not have got it, so that no cache between may give it to them.
SIGNED_CACHE = "private, max-age=180"
# As draft-cavage-http-signatures-12 has it, section 3.1.1; RFC 9421 is read too, and has no word for it.
_HOW_TO_SIGN = 'Signature headers="(request-target) host date"'


def document(request: Request, content: dict[str, Any], *, status: int = 200, private: bool = False) -> Response:
    """An ActivityStreams document; `private` for one that this asker may see and others may not.

    A cache that keeps what it gave to one without a signature does not give it to one with (RFC 9110, section 12.5.5).
    """
    kind = media_type(request.headers.get("accept"))
    headers = {"Cache-Control": SIGNED_CACHE} if SIGNATURE in request.headers and not private else None
    vary = "Accept, Signature"
    return body(request, encode(content), kind, status=status, vary=vary, private=private, headers=headers)


def body(
    request: Request,
    content: bytes,
    kind: str,
    *,
    status: int = 200,
    vary: str = "",
    private: bool = False,
    headers: dict[str, str] | None = None,
) -> Response:
    """Bytes with validators; 304 where the asker has them already (RFC 9110, section 13.1.2)."""
    found = {"Cache-Control": PRIVATE_CACHE if private else PUBLIC_CACHE, **(headers or {})}
    if vary:
        found["Vary"] = vary
    if not private and status == 200:
        found["ETag"] = f'"{hashlib.sha256(kind.encode() + content).hexdigest()[:32]}"'
        if has_it(request.headers.get("if-none-match"), found["ETag"]):
            return Response(status_code=304, headers=found)
    return Response(content, status_code=status, headers={**found, "Content-Type": kind})


def refused(status: int, sentence: str) -> Response:
    """A refusal, 401 or 403, of what is no secret to be there; 401 says how one signs (RFC 9110, section 11.6.1)."""
    headers = {"Cache-Control": PRIVATE_CACHE, "Vary": "Accept, Signature", "Access-Control-Allow-Origin": "*"}
    if status == 401:
        headers["WWW-Authenticate"] = _HOW_TO_SIGN
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)


def has_it(if_none_match: str | None, etag: str) -> bool:
    """Whether a header If-None-Match names this tag (pure)."""
    known = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return etag in known or known == ["*"]
