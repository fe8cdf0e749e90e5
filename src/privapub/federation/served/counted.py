"""Every answer is counted by what it is: a route says which kind it answers, and one place sees all that is sent."""

from collections.abc import Awaitable, Callable

from starlette.requests import HTTPConnection, Request
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
        count_as(kind, request)
        return await served(server, request)

    return answering


def count_as(kind: str, asked: HTTPConnection) -> None:
    """What is answered to this counts as one of this kind."""
    asked.scope[_KIND] = kind


class Counted:
    """The application, with each of its answers told to the meter: whatever made it, an error or a refusal too."""

    def __init__(self, app: ASGIApp, meter: TrafficMeter) -> None:
        """Wrap an application; nothing that answers may stand around it."""
        self.app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def counting(message: Message) -> None:
            status = _status(message)
            if status is not None:
                signed = any(name == b"signature" for name, _ in scope["headers"])
                kind, method = scope.get(_KIND, OTHER), scope.get("method", "GET")
                self._meter.note(kind, method, status, clock.now(), signed=signed)
            await send(message)

        await self.app(scope, receive, counting)


def _status(message: Message) -> int | None:
    """The status with which an answer begins; a WebSocket that is opened is one too (RFC 6455, section 4.2.2)."""
    if message["type"] in {"http.response.start", "websocket.http.response.start"}:
        return int(message["status"])
    return 101 if message["type"] == "websocket.accept" else None
