"""The headers that every response carries."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), browsing-topics=()",
}


def policy(media: str, forms: str = "'none'", script: str = "") -> str:
    """What a page may load: from here alone, and pictures, films and sounds from `media` besides, if it is a host.

    `forms` are the places to which its forms may lead, `script` the address of the one script that it has, if any.
    """
    places = f"'self' {media}".rstrip()
    scripts = f"script-src {script}; " if script else ""
    return (
        f"default-src 'none'; {scripts}style-src 'self'; img-src {places}; media-src {places}; base-uri 'none'; "
        f"form-action {forms}; frame-ancestors 'none'"
    )


class SecurityHeaders:
    """Adds them; one that a response brought itself stays."""

    def __init__(self, app: ASGIApp, media: str = "") -> None:
        """Wrap an application; `media` is the origin of a host of their own that media have."""
        self.app = app
        headers = {"Content-Security-Policy": policy(media), **_HEADERS}
        # As they go over the wire, in every answer.
        self._lines = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                brought = {name for name, _ in message.get("headers", ())}
                message["headers"] = [
                    *message.get("headers", ()),
                    *(line for line in self._lines if line[0] not in brought),
                ]
            await send(message)

        await self.app(scope, receive, adding if scope["type"] == "http" else send)
