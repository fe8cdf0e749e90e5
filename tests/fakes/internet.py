"""An internet of several servers in one process, over real sockets on loopback.

    async with Internet() as internet:
        peer = await internet.site("peer.test", answer)      # a real aiohttp server; peer.url == "http://peer.test"
        other = await internet.site("other.test")            # answers 404 until `other.answer = …`
        internet.names.at("sut.test", port)                  # a server that somebody else runs on 127.0.0.1:port
        door = internet.door(FetchRecorder(database))        # a Door that knows these names; closed with the internet
        with scope.purpose("object"):
            await door.get("http://peer.test/x", accept=…, content_types=…)
        (request,) = await peer.wait_for(1)                  # what it was asked: method, path, headers, body

An `answer` is `async def answer(request: aiohttp.web.Request) -> web.StreamResponse`; the body has been read
(`await request.read()` gives it again), and it may be changed at any time. `reply` makes the usual ones.

Names are looked up by `Names`, a resolver that a Door takes as `resolver=`: it answers with 127.0.0.1 and *the port
of the site*, whatever port the URL names, so that `http://peer.test/x` needs no port. It knows no other names. Since
the addresses are private, a Door needs `allow=LOOPBACK` (as `Internet.door` has it), which lets plain http through.
`Site` alone serves too: `async with Site(answer) as site:` and `site.url` (`http://127.0.0.1:port`).
"""

import asyncio
import json
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from ipaddress import ip_network
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDictProxy

from fakes import ports
from privapub.database.connect import Database
from privapub.outbound.address import Network
from privapub.outbound.client import Door
from privapub.outbound.gate import Gate, OpenGate
from privapub.telemetry.fetches import FetchRecorder

LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1"))
Answerer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Received:
    """A request as it came: `path` with its query, just as it stood on the request line."""

    method: str
    path: str
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def nothing_here(_request: web.Request) -> web.StreamResponse:
    return web.Response(status=404)


def reply(
    document: object = None,
    *,
    status: int = 200,
    content_type: str = "application/activity+json",
    headers: dict[str, str] | None = None,
) -> Answerer:
    """Answers everything with this document (bytes as they are, all else as JSON, None with no body)."""
    body = b"" if document is None else document if isinstance(document, bytes) else json.dumps(document).encode()

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=body, headers={"Content-Type": content_type, **(headers or {})})

    return answer


class Site:
    """A server on 127.0.0.1 (or another address of loopback), for the length of an `async with`."""

    def __init__(
        self,
        answer: Answerer = nothing_here,
        *,
        host: str = "",
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self.answer = answer
        self.host = host
        self.received: list[Received] = []
        self.port = 0
        self._tls = tls
        self._address = address
        self._came = asyncio.Condition()
        self._runner: web.ServerRunner | None = None

    @property
    def url(self) -> str:
        """`http://peer.test` where it has a name, else `http://127.0.0.1:port`; no slash at the end."""
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{self.host}" if self.host else f"{scheme}://{self._address}:{self.port}"

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        received = Received(request.method, request.raw_path, request.headers, body)
        self.received.append(received)
        async with self._came:
            self._came.notify_all()
        return await self.answer(request)  # type: ignore[arg-type]  # a low-level server hands out BaseRequest

    async def wait_for(self, n: int, *, timeout: float = 10.0) -> list[Received]:  # noqa: ASYNC109  # a test's bound
        """All requests so far, as soon as there are n of them; TimeoutError where they do not come."""
        async with asyncio.timeout(timeout), self._came:
            await self._came.wait_for(lambda: len(self.received) >= n)
        return list(self.received)

    async def start(self, port: int = 0) -> None:
        """Listen; on a port given, a site that was stopped comes back where it was."""
        self._runner = web.ServerRunner(web.Server(self._serve, access_log=None), shutdown_timeout=0.1)
        await self._runner.setup()
        if port:
            await web.TCPSite(self._runner, self._address, port, ssl_context=self._tls).start()
        else:
            await web.SockSite(self._runner, ports.bound(self._address), ssl_context=self._tls).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Listen no more, and close what is open."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


class Names(AbstractResolver):
    """Knows the names it was told, and no others."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._ports: dict[str, tuple[str, int]] = {}
        self._addresses: dict[str, list[list[str]]] = {}

    def at(self, host: str, port: int, address: str = "127.0.0.1") -> None:
        """This name is served at this address and this port, whatever port is asked for."""
        self._ports[host] = (address, port)

    def say(self, host: str, *answers: list[str]) -> None:
        """This name has these addresses: the first list at the first look-up, and so on; the last one for ever."""
        self._addresses[host] = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del family
        self.asked.append(host)
        host = host.lower().rstrip(".")  # as in the DNS
        answers = self._addresses.get(host)
        if answers is not None:
            found = answers.pop(0) if len(answers) > 1 else answers[0]
            return [_result(host, address, port) for address in found]
        if host not in self._ports:
            raise OSError(None, f"no such name: {host}")
        return [_result(host, *self._ports[host])]

    async def close(self) -> None:
        """Nothing is open."""


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)


class Internet:
    """Sites with names, and doors that know them; all is closed at the end of the `async with`."""

    def __init__(self) -> None:
        self.names = Names()
        self._open = AsyncExitStack()

    async def site(
        self,
        host: str,
        answer: Answerer = nothing_here,
        *,
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
    ) -> Site:
        """A server of this name."""
        site = await self._open.enter_async_context(Site(answer, host=host, tls=tls, address=address))
        self.names.at(host, site.port, address)
        return site

    def door(
        self,
        recorder: FetchRecorder,
        *,
        gate: Gate | None = None,
        allow: tuple[Network, ...] = LOOPBACK,
        timeout: float = 10.0,
        tls: ssl.SSLContext | None = None,
    ) -> Door:
        """A Door that finds these sites."""
        door = Door(
            recorder=recorder,
            gate=gate or OpenGate(),
            allow=allow,
            user_agent="PrivaPub/test (+http://sut.test/)",
            timeout=timeout,
            resolver=self.names,
            tls=tls,
        )
        self._open.push_async_callback(door.close)
        return door

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()


class Noted(FetchRecorder):
    """A recorder that keeps all it was told in `notes`, also of readers' fetches, and needs no database."""

    def __init__(self, database: Database | None = None) -> None:
        super().__init__(database or Database("sqlite:////never/opened.sqlite3"))
        self.notes: list[dict[str, Any]] = []

    def note(self, **what: Any) -> None:
        self.notes.append(what)
        super().note(**what)
