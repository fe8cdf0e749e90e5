"""Errors as pages, and as JSON for who cannot read pages."""

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from privapub.database.outage import is_outage
from privapub.errors import NotAllowed, NotFound, PrivaPubError, Unavailable
from privapub.federation import problems as federation
from privapub.federation.served.answer import PRIVATE_CACHE
from privapub.federation.served.asking import wants_document
from privapub.server import Server
from privapub.web.pages import missing, problem

_TITLES = {400: "This cannot be understood", 405: "This cannot be done here", 503: "Not at the moment"}
_HEADERS = {"Cache-Control": PRIVATE_CACHE, "Vary": "Accept"}

log = structlog.get_logger()


def answer(server: Server, request: Request, error: PrivaPubError) -> Response:
    """The error in the form in which the answer was wanted."""
    if wants_document(request.headers.get("accept")):
        return federation.answer(error)
    if isinstance(error, NotFound | NotAllowed):
        return missing(server, request)
    status = federation.status_of(error)
    return problem(server, request, status, _TITLES.get(status, "This did not work"), str(error))


async def unrouted(request: Request, error: Exception) -> Response:
    """What no route answers, or not by this method."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if _by_program(request):
        sentence = "There is nothing here." if status == 404 else "This cannot be done here."
        return JSONResponse({"error": sentence}, status_code=status, headers={**_HEADERS, **headers})
    if status == 404:
        return missing(None, request)
    page = problem(
        None, request, status, _TITLES.get(status, "This did not work"), "This address takes other questions."
    )
    page.headers.update(headers)
    return page


async def outage(request: Request, error: Exception) -> Response:
    """The database is away, full, locked or read-only: nothing was taken, and whoever asked is to ask again.

    Anything else is raised again.
    """
    if not is_outage(error):
        raise error
    log.warning("the database cannot be used", error=type(getattr(error, "orig", None) or error).__name__)
    later = federation.answer(Unavailable())
    if request.method == "POST" or _by_program(request):
        return later
    page = problem(None, request, later.status_code, _TITLES[later.status_code], str(Unavailable()))
    page.headers["Retry-After"] = later.headers["Retry-After"]
    return page


async def broken(request: Request, _error: Exception) -> Response:
    """Something went wrong on our side: the log knows what, the page does not tell."""
    if _by_program(request):
        return JSONResponse({"error": "Something went wrong here."}, status_code=500, headers=_HEADERS)
    return problem(None, request, 500, "Something went wrong here", "It is not your fault. Try again later.")


def _by_program(request: Request) -> bool:
    """Whether whoever asks cannot read pages."""
    return request.url.path.startswith(("/api/", "/oauth/")) or wants_document(request.headers.get("accept"))
