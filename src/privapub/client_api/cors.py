"""Programs that run in a browser, on pages of another origin (the Fetch standard, section 3.2: CORS).

They may ask whatever a token allows: no cookie is looked at here, so that it matters nothing from which page they come.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PLACES = ("/api/", "/oauth/token", "/oauth/revoke", "/oauth/userinfo", "/.well-known/", "/nodeinfo/")
EXPOSED = (
    "Link, X-RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, Idempotency-Key, ETag, "
    "Mastodon-Async-Refresh"
)
METHODS = "POST, PUT, DELETE, GET, PATCH, OPTIONS"
KEPT = "86400"  # seconds for which a browser remembers what it was allowed


class Cors:
    """The application, with what browsers want to hear."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not scope["path"].startswith(PLACES):
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        if scope["method"] == "OPTIONS":
            await _allow(asked, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("access-control-allow-origin", "*")
                headers["access-control-expose-headers"] = EXPOSED
            await send(message)

        await self.app(scope, receive, adding if "origin" in asked else send)


async def _allow(asked: Headers, send: Send) -> None:
    headers = {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": asked.get("access-control-request-headers", "authorization, content-type"),
        "access-control-max-age": KEPT,
        "vary": "Access-Control-Request-Headers",
        "content-length": "0",
    }
    lines = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": lines})
    await send({"type": "http.response.body", "body": b""})
