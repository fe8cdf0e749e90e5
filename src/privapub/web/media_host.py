"""Media at a host of their own: whatever a browser takes them for, they can do nothing there to the pages.

That host is this server too. It gives out media there and nothing else, so that no page, no document and no inbox has a
second address.
"""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from privapub.federation.served.answer import PUBLIC_CACHE
from privapub.federation.served.counted import Served
from privapub.server import Server

PLACES = ("/media/", "/proxy/")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def has_its_own(server: Server) -> bool:
    """Whether media have a host of their own."""
    return _place(server.media_base_url) != _place(server.base_url)


class MediaHost:
    """The application, that answers nothing but media where it is asked by the name of their host."""

    def __init__(self, app: ASGIApp, base_url: str) -> None:
        """Wrap an application; `base_url` is where its media are."""
        self.app = app
        self._place = _place(base_url)
        self._scheme = urlsplit(base_url).scheme

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and not scope["path"].startswith(PLACES):
            # Of several names one could be another's: any of them will do to say no.
            names = (value.decode("latin-1") for name, value in scope["headers"] if name == b"host")
            if any(_asked(each, self._scheme) == self._place for each in names):
                await PlainTextResponse("There is nothing here.\n", 404)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def at_its_host(served: Served) -> Served:
    """The same answer; who asks by the name of the host of the pages is sent to that of media, if it is another.

    Addresses that were handed out before go on working, and no byte of what somebody uploaded comes from the host of
    the pages. By any other name, such as a proxy's of this machine, it is answered: there is no circle.
    """

    async def answering(server: Server, request: Request) -> Response:
        scheme = urlsplit(server.base_url).scheme
        if has_its_own(server) and _asked(request.headers.get("host", ""), scheme) == _place(server.base_url):
            headers = {"Cache-Control": PUBLIC_CACHE}
            return RedirectResponse(f"{server.media_base_url}{request.url.path}", status_code=308, headers=headers)
        return await served(server, request)

    return answering


def _place(base_url: str) -> str:
    parts = urlsplit(base_url)
    return _asked(parts.netloc, parts.scheme)


def _asked(host: str, scheme: str) -> str:
    """The host of a request or an address in one spelling."""
    return host.lower().removesuffix(_DEFAULT_PORTS[scheme]).removesuffix(".")
