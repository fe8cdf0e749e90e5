"""Live streams: server-sent events, one a connection; and WebSockets, on which a program may change what it hears.

As Mastodon's streaming API has them. A connection that does not take what it is told is let go: its program asks for
what it missed, as after any other interruption.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from privapub.accounts import scopes, tokens
from privapub.accounts.tokens import Token
from privapub.client_api.channels import NAMES, PATHS, Channel, channel
from privapub.client_api.endpoint import count_call
from privapub.client_api.live import Listener, Live, Message
from privapub.client_api.problems import NO_STORE, NeedsUser, OutOfScope, Unauthenticated, answer, said
from privapub.errors import PrivaPubError
from privapub.federation.served.counted import count_as, counted
from privapub.server import Server
from privapub.telemetry.traffic import API

HEARTBEAT = 15.0  # seconds
_EVENT_STREAM = "text/event-stream"
COUNTED_AS = f"{API}streaming"
MOST_CHANNELS = 50  # of one connection
LONGEST = 4096  # characters of what a program says


def routes(server: Server) -> list[BaseRoute]:
    """The addresses of the streams, and whether they work at all."""
    live = Live(server)
    found: list[BaseRoute] = [
        Route("/api/v1/streaming/health", _counted(server, health), methods=["GET"]),
        WebSocketRoute("/api/v1/streaming", _Socket(server, live).answer),
        WebSocketRoute("/api/v1/streaming/", _Socket(server, live).answer),
    ]
    for path, name in PATHS.items():
        found.append(Route(f"/api/v1/streaming/{path}", _counted(server, _Events(live, name).answer), methods=["GET"]))
    return found


def _counted(server: Server, served: Any) -> Any:
    meant = counted(COUNTED_AS, served)

    async def asked(request: Request) -> Response:
        try:
            return await meant(server, request)
        except PrivaPubError as error:
            return answer(error)

    return asked


async def health(_server: Server, _request: Request) -> Response:
    """`GET /api/v1/streaming/health`."""
    return Response("OK", media_type="text/plain", headers=NO_STORE)


class _Events:
    """One stream as server-sent events (HTML, section 9.2)."""

    def __init__(self, live: Live, name: str) -> None:
        self._live = live
        self._name = name

    async def answer(self, server: Server, request: Request) -> Response:
        token = await _token(server, request)
        asked = request.query_params
        wanted = channel(
            self._name, asked.get("tag", ""), asked.get("list", ""), only_media=_is_on(asked.get("only_media"))
        )
        if isinstance(wanted, str):
            return said(400, wanted)
        listener = Listener(_allowed(token, wanted), token.id, {wanted})
        self._live.check_room(listener)
        return StreamingResponse(
            self._told(listener), headers={**NO_STORE, "X-Accel-Buffering": "no"}, media_type=_EVENT_STREAM
        )

    async def _told(self, listener: Listener) -> AsyncIterator[str]:
        async with self._live.listening(listener):
            yield ":)\n"
            while True:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        message = await listener.waiting.get()
                except TimeoutError:
                    yield ":thump\n"
                    continue
                if message is None:
                    return
                yield f"event: {message.event}\ndata: {message.payload or 'undefined'}\n\n"


class _Socket:
    """Several streams on a WebSocket (RFC 6455)."""

    def __init__(self, server: Server, live: Live) -> None:
        self._server = server
        self._live = live

    async def answer(self, websocket: WebSocket) -> None:
        """Accept who shows a token, and tell what was asked for until one of both ends it."""
        count_as(COUNTED_AS, websocket)
        try:
            token = await _token(self._server, websocket)
            listener = Listener(_persona(token), token.id)
            self._live.check_room(listener)
            asked = dict(websocket.query_params)
            if asked.get("stream") and (wrong := _subscribe(listener, token, asked)):
                await websocket.send_denial_response(said(400, wrong))
                return
        except PrivaPubError as error:
            await websocket.send_denial_response(answer(error))
            return
        # What happens from the moment on in which the program hears that it is let in, it is told.
        async with self._live.listening(listener), asyncio.TaskGroup() as group:
            # A token that came as the protocol is named in the answer, or browsers end it (RFC 6455, section 4.1).
            await websocket.accept(subprotocol=_protocol(websocket))
            reading = group.create_task(_read(websocket, listener, token))
            telling = group.create_task(_tell(websocket, listener))
            done, _ = await asyncio.wait({reading, telling}, return_when=asyncio.FIRST_COMPLETED)
            for task in {reading, telling} - done:
                task.cancel()
        with suppress(RuntimeError, WebSocketDisconnect):  # it may be over, in one way or the other
            await websocket.close()


async def _read(websocket: WebSocket, listener: Listener, token: Token) -> None:
    """What the program says: to which streams it listens from now on, and to which no more."""
    with suppress(WebSocketDisconnect):
        while True:
            text = await websocket.receive_text()
            wrong = _obey(listener, token, text)
            if wrong:
                await websocket.send_text(msgspec.json.encode({"error": wrong, "status": 400}).decode())


def _obey(listener: Listener, token: Token, text: str) -> str:
    try:
        given = msgspec.json.decode(text) if len(text) <= LONGEST else None
    except msgspec.DecodeError:
        given = None
    if not isinstance(given, dict):
        return "Invalid JSON"
    words = {str(name): str(value) for name, value in given.items()}
    if words.get("type") == "subscribe":
        return _subscribe(listener, token, words)
    if words.get("type") == "unsubscribe":
        wanted = channel(words.get("stream", ""), words.get("tag", ""), words.get("list", ""))
        if isinstance(wanted, str):
            return wanted
        listener.channels.discard(wanted)
        return ""
    return "Unknown message type"


def _subscribe(listener: Listener, token: Token, words: dict[str, str]) -> str:
    """The listener hears this stream too; else what is wrong."""
    wanted = channel(
        words.get("stream", ""), words.get("tag", ""), words.get("list", ""), only_media=_is_on(words.get("only_media"))
    )
    if isinstance(wanted, str):
        return wanted
    try:
        _allowed(token, wanted)
    except PrivaPubError as error:
        return str(error).rstrip(".")
    if len(listener.channels) >= MOST_CHANNELS:
        return "Too many streams"
    listener.channels.add(wanted)
    return ""


async def _tell(websocket: WebSocket, listener: Listener) -> None:
    with suppress(WebSocketDisconnect):
        while (message := await listener.waiting.get()) is not None:
            await websocket.send_text(_as_text(message))


def _as_text(message: Message) -> str:
    told: dict[str, Any] = {"stream": message.channel.told, "event": message.event}
    if message.payload:
        told["payload"] = message.payload
    return msgspec.json.encode(told).decode()


async def _token(server: Server, connection: HTTPConnection) -> Token:
    """The token of the header, of the query, or, as browsers can show it, of the WebSocket's protocol."""
    scheme, _, secret = connection.headers.get("authorization", "").partition(" ")
    shown = secret.strip() if scheme.lower() == "bearer" else ""
    shown = shown or connection.query_params.get("access_token", "") or _protocol(connection) or ""
    async with server.database.read() as tx:
        found = await tokens.find(tx, shown) if shown else None
    count_call(server, connection, found)
    if found is None or found.waits is not None:
        raise Unauthenticated
    return found


def _protocol(connection: HTTPConnection) -> str | None:
    """The first protocol that the program offers for a WebSocket: they do not stand among the headers."""
    offered: list[str] = connection.scope.get("subprotocols", [])
    return offered[0] if offered else None


def _persona(token: Token) -> int:
    if token.persona_id is None:
        raise NeedsUser
    return token.persona_id


def _allowed(token: Token, wanted: Channel) -> int:
    """The persona that listens, if its token allows this stream."""
    if not all(scopes.allows(token.scopes, scope) for scope in NAMES[wanted.name]):
        raise OutOfScope
    return _persona(token)


def _is_on(word: str | None) -> bool:
    return (word or "").lower() in {"true", "1", "on"}
