"""Programs that run in a browser, on pages of another origin (the Fetch standard, section 3.2: CORS).

They may ask whatever a token allows, and read what everybody may: no cookie is looked at in these places, so that it
matters nothing from which page they come. What is read here says so to everybody, also to who is no such program: what
a browser or a cache has kept of one answer it gives to the other.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CALLED = ("/api/", "/oauth/token", "/oauth/revoke", "/oauth/userinfo")
READ = ("/.well-known/", "/nodeinfo/", "/media/", "/proxy/", "/static/", "/@", "/actors/")
EXPOSED = (
    "Link, X-RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, Idempotency-Key, ETag, "
    "Retry-After, Mastodon-Async-Refresh"
)
CALLING, READING = "POST, PUT, DELETE, GET, PATCH, OPTIONS", "GET, HEAD, OPTIONS"
KEPT = "86400"  # seconds for which a browser remembers what it was allowed


class Cors:
    """The application, with what browsers want to hear."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not scope["path"].startswith(CALLED + READ):
            await self.app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS":
            methods = CALLING if scope["path"].startswith(CALLED) else READING
            await _allowed(Headers(scope=scope), methods)(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("access-control-allow-origin", "*")
                headers["access-control-expose-headers"] = EXPOSED
            await send(message)

        await self.app(scope, receive, adding)


def _allowed(asked: Headers, methods: str) -> Response:
    """What a browser may send, which it asks before it does (a preflight)."""
    wanted = asked.get("access-control-request-headers", "authorization, content-type")
    return Response(
        headers={
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": wanted,
            "Access-Control-Max-Age": KEPT,
            "Vary": "Access-Control-Request-Headers",
        }
    )
