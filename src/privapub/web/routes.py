"""Every address that has a page, and what is around the whole web application."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from privapub.database.outage import ERRORS
from privapub.errors import PrivaPubError
from privapub.federation.served.refusal import unless_blocked
from privapub.server import Server
from privapub.web.assets import asset
from privapub.web.front import front
from privapub.web.headers import SecurityHeaders
from privapub.web.persona import actor_or_page, persona
from privapub.web.post import post_or_page
from privapub.web.problems import answer, broken, outage, unrouted
from privapub.web.tag import tag

Page = Callable[[Server, Request], Awaitable[Response]]


def routes(server: Server) -> list[Route]:
    """The routes of the pages; they come before those of `federation`, with which they share two addresses."""
    pages: dict[str, Page] = {
        "/": front,
        "/@{handle}": persona,
        "/actors/{token}": unless_blocked(actor_or_page),
        "/posts/{token}": unless_blocked(post_or_page),
        "/tags/{name}": tag,
        "/static/{name}": asset,
    }
    return [Route(path, _endpoint(server, page), methods=["GET"]) for path, page in pages.items()]


def wrap(app: Starlette) -> ASGIApp:
    """The application with its error pages, and with the security headers on everything it says."""
    # The way without the slash would name whatever host the asker named.
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(Exception, broken)
    for kind in ERRORS:
        app.add_exception_handler(kind, outage)
    return SecurityHeaders(app)


def _endpoint(server: Server, page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def answering(request: Request) -> Response:
        try:
            return await page(server, request)
        except PrivaPubError as error:
            return answer(server, request, error)

    return answering
