"""Errors in the words that programs know from Mastodon: an object with `error`."""

import math

import msgspec
from starlette.responses import Response

from privapub.errors import Conflict, InvalidInput, NotAllowed, NotFound, PrivaPubError, Unavailable

_JSON = "application/json; charset=utf-8"
NO_STORE = {"Cache-Control": "private, no-store"}
_STATUSES: tuple[tuple[type[PrivaPubError], int], ...] = (
    (NotFound, 404),
    (NotAllowed, 403),
    (InvalidInput, 422),
    (Conflict, 422),
    (Unavailable, 503),
)


class Unauthenticated(PrivaPubError):
    """The access token is invalid."""


class OutOfScope(PrivaPubError):
    """This action is outside the authorized scopes."""


class NeedsUser(PrivaPubError):
    """This method requires an authenticated user."""


class Refused(PrivaPubError):
    """What is asked for cannot be done: said with a 422, and as it stands."""


class TooMany(PrivaPubError):
    """Too many requests."""

    def __init__(self, wait: float) -> None:
        """It may be asked again after so many seconds."""
        super().__init__()
        self.wait = wait


def answer(error: PrivaPubError) -> Response:
    """The error as an answer."""
    if isinstance(error, TooMany):
        return said(429, _bare(error), {"Retry-After": str(math.ceil(error.wait))})
    if isinstance(error, Unauthenticated):
        return said(401, _bare(error), {"WWW-Authenticate": 'Bearer realm="PrivaPub", error="invalid_token"'})
    if isinstance(error, OutOfScope):
        return said(403, _bare(error))
    if isinstance(error, NeedsUser | Refused):
        return said(422, _bare(error))
    if isinstance(error, NotFound):
        return said(404, "Record not found")
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    words = f"Validation failed: {error}" if status == 422 else str(error)
    return said(status, words, {"Retry-After": "10"} if status == 503 else {})


def said(status: int, words: str, headers: dict[str, str] | None = None) -> Response:
    """An answer with these words."""
    body = msgspec.json.encode({"error": words})
    return Response(body, status, {"Content-Type": _JSON, **NO_STORE, **(headers or {})})


def _bare(error: PrivaPubError) -> str:
    """Mastodon's sentences have no full stop."""
    return str(error).rstrip(".")
