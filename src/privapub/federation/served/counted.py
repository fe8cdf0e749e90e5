"""Every answer is counted by what it is: a route says which kind it answers, and one place sees all that is sent."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privapub import clock
from privapub.server import Server
from privapub.telemetry.traffic import KINDS, OTHER, TrafficMeter

Served = Callable[[Server, Request], Awaitable[Response]]
_KIND = "privapub.kind"  # where the scope of a request says it


def counted(kind: str, served: Served) -> Served:
    """The same answer, counted as one of this kind; ValueError for a kind that is not counted."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not counted: see telemetry/traffic.py")

    async def answering(server: Server, request: Request) -> Response:
        request.scope[_KIND] = kind
        return await served(server, request)

    return answering


class Counted:
    """The application, with each of its answers told to the meter: whatever made it, an error or a refusal too."""

    def __init__(self, app: ASGIApp, meter: TrafficMeter) -> None:
        """Wrap an application; nothing that answers may stand around it."""
        self.app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                signed = any(name == b"signature" for name, _ in scope["headers"])
                kind, method = scope.get(_KIND, OTHER), scope["method"]
                self._meter.note(kind, method, message["status"], clock.now(), signed=signed)
            await send(message)

        await self.app(scope, receive, counting if scope["type"] == "http" else send)
