"""What stands between the programs and the server: it passes all on as it is, and writes every answer down."""

import asyncio
import base64
import contextlib
import ipaddress
import itertools
import json
import logging
import threading
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

import aiohttp
from aiohttp import http_exceptions, web

_LOG = logging.getLogger("aiohttp.server")
UNENDING = "schemathesis"  # it waits for the end of a stream, which has none: for it, the first piece is all
AMONG = ipaddress.IPv4Address("198.18.0.1")  # and those after it: of nobody, for measurements
BOUND = 64 * 1024 * 1024  # bytes of a body
OF_THE_CONNECTION = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
    "upgrade",
}  # fmt: skip
SOCKETS = ("host", "user-agent", "origin", "authorization", "cookie")


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether what is complained of is more than a request that is none: to send one is a judge's business."""
    return not (record.exc_info and isinstance(record.exc_info[1], http_exceptions.BadHttpMessage))


class Recorder:
    """A proxy on a port of this machine, in a thread of its own; `judge` says whose answers are being written."""

    def __init__(self, port: int, written: Path) -> None:
        """Nothing is passed on before `behind` says where to."""
        self.port, self.written = port, written
        self.behind = ""
        self.judge = ""
        # Limits are by the address; many people ask here.
        self._senders = (str(AMONG + number % 2**16) for number in itertools.count())
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._into: TextIO
        self._session: aiohttp.ClientSession
        self._runner: web.AppRunner

    def __enter__(self) -> Self:
        """Listen."""
        self._into = self.written.open("w")
        _LOG.addFilter(_is_ours)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Listen no more."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        _LOG.removeFilter(_is_ours)
        self._into.close()

    async def _open(self) -> None:
        self._session = aiohttp.ClientSession(
            auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=600)
        )
        app = web.Application(client_max_size=BOUND)
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        self._runner = web.AppRunner(app, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    async def _close(self) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        url = self.behind + request.raw_path
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._speak(request, url)
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in OF_THE_CONNECTION]
        # What was sent packed is not to be read packed here: programs are told that anyway.
        headers = [it for it in headers if it[0].lower() not in {"accept-encoding", "content-length"}]
        headers += [("Accept-Encoding", "identity"), ("X-Forwarded-For", next(self._senders))]
        body = await request.read()
        async with self._session.request(
            request.method, aiohttp.client.URL(url, encoded=True), headers=headers, data=body or None,
            allow_redirects=False, skip_auto_headers=("User-Agent", "Content-Type", "Accept"),
        ) as answer:  # fmt: skip
            kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in OF_THE_CONNECTION]
            if answer.content_type == "text/event-stream":
                return await self._stream(request, answer, kept)
            said = await answer.read()
            self._write(request, body, answer, said)
            passed = web.Response(status=answer.status, reason=answer.reason, body=said)
            passed.headers.clear()
            passed.headers.extend(kept)
            return passed

    async def _stream(
        self, request: web.Request, answer: aiohttp.ClientResponse, headers: list[tuple[str, str]]
    ) -> web.StreamResponse:
        passed = web.StreamResponse(status=answer.status, headers=headers)
        await passed.prepare(request)
        with contextlib.suppress(ConnectionError, aiohttp.ClientError):
            async for piece in answer.content.iter_any():
                await passed.write(piece)
                if self.judge == UNENDING:
                    break
        return passed

    async def _speak(self, request: web.Request, url: str) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if name.lower() in SOCKETS}
        asked = [it.strip() for it in request.headers.get("Sec-WebSocket-Protocol", "").split(",") if it.strip()]
        async with self._session.ws_connect(
            aiohttp.client.URL(url, encoded=True), headers=headers, protocols=asked, autoclose=False
        ) as there:
            here = web.WebSocketResponse(protocols=[there.protocol] if there.protocol else (), autoping=False)
            await here.prepare(request)
            both = {asyncio.ensure_future(_say_on(here, there)), asyncio.ensure_future(_say_on(there, here))}
            _, left = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for each in left:
                each.cancel()
            await there.close()
            await here.close()
        return here

    def _write(self, request: web.Request, asked: bytes, answer: aiohttp.ClientResponse, said: bytes) -> None:
        json.dump(
            {
                "judge": self.judge,
                "method": request.method,
                "path": request.rel_url.raw_path,
                "query": request.rel_url.raw_query_string,
                "status": answer.status,
                "type": answer.headers.get("Content-Type", ""),
                "asked": asked[:2000].decode("utf-8", "replace"),
                "body": base64.b64encode(said).decode(),
            },
            self._into,
        )
        self._into.write("\n")
        self._into.flush()


Socket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse


async def _say_on(from_: Socket, to: Socket) -> None:
    async for message in from_:
        if message.type is aiohttp.WSMsgType.TEXT:
            await to.send_str(message.data)
        elif message.type is aiohttp.WSMsgType.BINARY:
            await to.send_bytes(message.data)
        elif message.type is aiohttp.WSMsgType.PING:
            await to.ping(message.data)
        elif message.type is aiohttp.WSMsgType.PONG:
            await to.pong(message.data)
