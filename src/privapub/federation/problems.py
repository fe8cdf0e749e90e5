"""Errors as HTTP, at the entrance for other servers."""

from starlette.responses import JSONResponse, Response

from privapub.errors import Conflict, InvalidInput, NotAllowed, NotFound, PrivaPubError, Unavailable
from privapub.federation.served.answer import PRIVATE_CACHE

_STATUS: tuple[tuple[type[PrivaPubError], int], ...] = (
    (InvalidInput, 400),
    (NotFound, 404),
    (NotAllowed, 404),  # what is there and not for the asker looks like what is not there
    (Conflict, 409),
    (Unavailable, 503),
)
RETRY_AFTER = "300"
NOTHING = "There is nothing here."


def status_of(problem: PrivaPubError) -> int:
    """The HTTP status for an error; 500 for one that no peer can do anything about."""
    return next((status for kind, status in _STATUS if isinstance(problem, kind)), 500)


def answer(problem: PrivaPubError) -> Response:
    """The error as JSON. No cache keeps it: a 404 must not outlive what it hides, nor tell that it hides something.

    Every 404 says the same: who is kept out of a post must not see by the words that there is one.
    """
    status = status_of(problem)
    headers = {"Cache-Control": PRIVATE_CACHE, "Vary": "Accept", "Access-Control-Allow-Origin": "*"}
    if status == 503:
        headers["Retry-After"] = RETRY_AFTER
    sentence = NOTHING if status == 404 else str(problem)
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
