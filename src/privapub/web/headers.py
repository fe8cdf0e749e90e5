"""The headers that every response carries."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), browsing-topics=()",
}
_LINES = [  # as they go over the wire, in every answer
    (name.lower().encode(), value.encode()) for name, value in _HEADERS.items()
]


class SecurityHeaders:
    """Adds them; one that a response brought itself stays."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                brought = {name for name, _ in message.get("headers", ())}
                message["headers"] = [
                    *message.get("headers", ()),
                    *(line for line in _LINES if line[0] not in brought),
                ]
            await send(message)

        await self.app(scope, receive, adding if scope["type"] == "http" else send)
