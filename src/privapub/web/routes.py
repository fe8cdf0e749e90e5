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
from privapub.federation.served.actor import actor
from privapub.federation.served.asking import wants_document
from privapub.federation.served.counted import Counted, Served, counted
from privapub.federation.served.post import post
from privapub.federation.served.refusal import unless_blocked
from privapub.federation.served.secure_mode import for_servers
from privapub.proxy.addresses import PATH
from privapub.server import Server
from privapub.telemetry.traffic import ASSET, MEDIA, PAGE, PROXY
from privapub.web import password, sign_in, sign_up
from privapub.web.about import PATHS as ABOUT
from privapub.web.about import about
from privapub.web.assets import asset
from privapub.web.authorize import authorize
from privapub.web.files import file
from privapub.web.front import front
from privapub.web.headers import SecurityHeaders
from privapub.web.media_host import MediaHost, at_its_host, has_its_own
from privapub.web.persona import actor_page, persona
from privapub.web.post import numbered
from privapub.web.post import post as post_page
from privapub.web.problems import answer, broken, outage, unrouted
from privapub.web.proxy import proxied
from privapub.web.security import new_address, security
from privapub.web.tag import tag
from privapub.web.visits import Visits


def routes(server: Server) -> list[Route]:
    """The routes of the pages; they come before those of `federation`, with which they share two addresses."""
    pages: dict[str, Served] = {
        "/": counted(PAGE, front),
        "/@{handle}": counted(PAGE, persona),
        "/@{handle}/{number}": counted(PAGE, numbered),
        "/actors/{token}": _document_or_page("actor", actor, actor_page),
        "/posts/{token}": _document_or_page("post", post, post_page),
        "/tags/{name}": counted(PAGE, tag),
        **{path: counted(PAGE, about) for path in ABOUT},
        "/static/{name}": counted(ASSET, asset),
        "/media/{name}": counted(MEDIA, at_its_host(file)),
        PATH: counted(PROXY, at_its_host(proxied)),
    }
    forms: dict[str, Served] = {
        "/oauth/authorize": authorize,
        "/auth/sign_in": sign_in.sign_in,
        "/auth/code": sign_in.code,
        "/settings/security": security,
        "/auth/sign_up": sign_up.sign_up,
        "/auth/confirmation": sign_up.confirmation,
        "/auth/password": password.forgotten,
        "/auth/password/new": password.anew,
        "/auth/email": new_address,
    }
    sent: dict[str, Served] = {"/auth/passkey": sign_in.passkey, "/auth/sign_out": sign_in.sign_out}
    return [
        *(Route(path, _endpoint(server, page), methods=["GET"]) for path, page in pages.items()),
        *(Route(path, _endpoint(server, counted(PAGE, page)), methods=["GET", "POST"]) for path, page in forms.items()),
        *(Route(path, _endpoint(server, counted(PAGE, page)), methods=["POST"]) for path, page in sent.items()),
    ]


def wrap(app: Starlette, server: Server, inner: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
    """The application with its error pages, with the security headers on everything it says, and all of it counted.

    `inner` is what stands around the routes alone.
    """
    # The way without the slash would name whatever host the asker named.
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(Exception, broken)
    for kind in ERRORS:
        app.add_exception_handler(kind, outage)
    inside: ASGIApp = Visits(inner(app), server.limits)
    if not has_its_own(server):
        return Counted(SecurityHeaders(inside), server.traffic)
    inside = MediaHost(inside, server.media_base_url)
    return Counted(SecurityHeaders(inside, server.media_base_url), server.traffic)


def _document_or_page(kind: str, document: Served, page: Served) -> Served:
    """What was asked for by `Accept`: the document, which is of this kind, or for people the page."""
    document, page = for_servers(kind, document), counted(PAGE, unless_blocked(page))

    async def answering(server: Server, request: Request) -> Response:
        wanted = document if wants_document(request.headers.get("accept")) else page
        return await wanted(server, request)

    return answering


def _endpoint(server: Server, page: Served) -> Callable[[Request], Awaitable[Response]]:
    async def answering(request: Request) -> Response:
        try:
            return await page(server, request)
        except PrivaPubError as error:
            return answer(server, request, error)

    return answering
