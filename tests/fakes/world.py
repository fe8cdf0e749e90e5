"""The server under test, `https://sut.test`, listening on a real socket, and peers that speak to it and answer it.

    async with World(database, authority) as world:
        alice = await world.persona("alice")
        carol = world.person("https://peer.test/u/carol")            # has a key, serves her document and her webfinger
        status = await world.post(alice.inbox, {"type": "Follow", …}, by=carol)
        await world.drain()                                          # runs all jobs that are due
        world.peer.received                                          # what peer.test was asked and sent

Peers speak TLS with certificates of an authority that the server's door trusts; what the server itself hears comes by
plain HTTP, as from a proxy in front of it.
"""

import asyncio
import io
import json
import socket
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

import aiohttp
import uvicorn
from aiohttp import web
from yarl import URL

from fakes import keys, ports
from fakes.certificates import Authority
from fakes.internet import LOOPBACK, Internet, Received, Site
from makers import make_persona
from privapub import clock, identifiers, scope
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, by_uri
from privapub.app import web_application
from privapub.database.connect import Database
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.follows import follow
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.outbound.gate import Gate
from privapub.proxy.cache import ensure as ensure_proxy
from privapub.server import Server
from privapub.settings import Settings
from privapub.telemetry.fetches import FetchRecorder
from privapub.web.connection import Connection

CONTEXT = "https://www.w3.org/ns/activitystreams"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
COVERED = ("(request-target)", "host", "date", "digest", "content-type")


@cache
def rsa(name: str) -> str:
    """The private key of this name, the same for the whole run: making one takes a tenth of a second."""
    del name
    return keys.new_rsa()


@dataclass
class Person:
    """An actor of a peer: what it serves of itself is `document()`, changed by `changes`."""

    uri: str
    handle: str
    key_name: str = ""
    fragment: str = "#main-key"
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def key_id(self) -> str:
        return self.uri + self.fragment

    @property
    def pem(self) -> str:
        return keys.public_pem(rsa(self.key_name or self.uri))

    @property
    def private(self) -> str:
        return rsa(self.key_name or self.uri)

    @property
    def host(self) -> str:
        return urlsplit(self.uri).netloc

    def document(self) -> dict[str, Any]:
        return {
            "@context": [CONTEXT, "https://w3id.org/security/v1"],
            "id": self.uri,
            "type": "Person",
            "preferredUsername": self.handle,
            "inbox": f"{self.uri}/inbox",
            "outbox": f"{self.uri}/outbox",
            "followers": f"{self.uri}/followers",
            "publicKey": {"id": self.key_id, "owner": self.uri, "publicKeyPem": self.pem},
            **self.changes,
        }


@dataclass
class Page:
    """What a peer answers at one URL; `requires` may refuse a request by giving a status."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/activity+json"
    headers: dict[str, str] = field(default_factory=dict)
    requires: Any = None


@dataclass(frozen=True)
class Answered:
    """What the server said to a POST."""

    status: int
    body: str
    headers: dict[str, str]


class _WebServer(uvicorn.Server):
    """Ends when it is told to. (uvicorn looks ten times a second whether it should, and then waits as long again.)"""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up, self.over = asyncio.Event(), asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def main_loop(self) -> None:
        ticks = 0
        while not self.over.is_set():
            await self.on_tick(ticks)
            ticks += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await self.over.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listening in sockets or ():
            listening.close()
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        while tasks := tuple(self.server_state.tasks):
            await asyncio.wait(tasks)
        while self.server_state.connections:  # noqa: ASYNC110 - they tell nobody of their end
            await asyncio.sleep(0)
        for server in self.servers:
            await server.wait_closed()


class World:
    """One server and its peers, for the length of an `async with`."""

    def __init__(
        self,
        database: Database,
        authority: Authority,
        *,
        gate: Gate | None = None,
        address: str = "",
        timeout: float = 5.0,
        **settings: Any,
    ) -> None:
        """`address` is where the peers are, which alone is let through then: else all of loopback is."""
        self.database = database
        self.address = address
        self._timeout = timeout
        self.pages: dict[str, Page] = {}
        self._people: dict[str, Person] = {}
        self._authority = authority
        self._gate = gate
        self._settings = settings
        self._open = AsyncExitStack()
        self.peer: Site
        self.other: Site
        self.server: Server
        self.port = 0

    async def __aenter__(self) -> Self:
        self.internet = await self._open.enter_async_context(Internet())
        self.peer = await self.site("peer.test")
        self.other = await self.site("other.test")
        settings = Settings(data=Path("/nowhere"), **{"base_url": "https://sut.test", **self._settings})
        recorder = FetchRecorder(self.database)
        door = self.internet.door(
            recorder,
            gate=self._gate,
            tls=self._authority.trust(),
            timeout=self._timeout,
            allow=(ip_network(self.address),) if self.address else LOOPBACK,
        )
        self.server = Server.around(settings, self.database, door, recorder)
        async with self.database.write() as tx:
            await ensure_proxy(tx, settings)
        await self._listen()
        self._session = await self._open.enter_async_context(aiohttp.ClientSession())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def _listen(self) -> None:
        listening = ports.bound()
        self.port = listening.getsockname()[1]
        web_server = _WebServer(
            uvicorn.Config(
                web_application(self.server),
                lifespan="off",
                log_config=None,
                http=Connection,
                access_log=False,
                ws="wsproto",
            )
        )
        serving = asyncio.create_task(web_server._serve([listening]))

        async def stop() -> None:
            web_server.over.set()
            async with asyncio.timeout(10):
                await serving
            listening.close()

        self._open.push_async_callback(stop)
        async with asyncio.timeout(10):
            await web_server.up.wait()

    async def restart(self) -> None:
        """Another server on the same database, which knows nothing of what the one before held in memory."""
        before = self.server
        self.server = Server.around(before.settings, self.database, before.door, before.fetches)
        await self._listen()

    # Peers

    async def site(self, host: str) -> Site:
        """A peer of this name, that answers with its pages."""

        async def answer(request: web.Request) -> web.StreamResponse:
            page = self.pages.get(f"https://{host}{request.raw_path}")
            if page is None:
                return web.Response(status=202 if request.method == "POST" else 404)
            status = page.status if page.requires is None else page.requires(request) or page.status
            headers = {**page.headers}
            if page.content_type:
                headers.setdefault("Content-Type", page.content_type)
            return web.Response(status=status, body=page.body if status == page.status else b"", headers=headers)

        address = self.address or "127.0.0.1"
        return await self.internet.site(host, answer, tls=self._authority.serve(host), address=address)

    async def raw(self, host: str, talk: Talk, *, tls: bool = True) -> None:
        """A peer of this name that answers each connection by this, in bytes; without `tls` before any handshake."""
        held: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            held.add(task := asyncio.ensure_future(talk(reader, writer)))
            with suppress(OSError, EOFError):
                await task
            writer.transport.abort()

        context = self._authority.serve(host) if tls else None
        server = await asyncio.start_server(connected, sock=ports.bound(), ssl=context)
        self.internet.names.at(host, server.sockets[0].getsockname()[1])

        async def stop() -> None:
            server.close()
            for task in held:
                task.cancel()
            await asyncio.gather(*held, return_exceptions=True)

        self._open.push_async_callback(stop)

    def serve(self, url: str, document: object = None, **page: Any) -> Page:
        """From now on this URL answers with this document."""
        body = document if isinstance(document, bytes) else b"" if document is None else json.dumps(document).encode()
        self.pages[url] = Page(body, **page)
        return self.pages[url]

    def person(self, uri: str, handle: str = "", **more: Any) -> Person:
        """Somebody at a peer, whose document and webfinger are served."""
        somebody = Person(uri, handle or uri.rstrip("/").rpartition("/")[2], **more)
        self.serve_person(somebody)
        return somebody

    def serve_person(self, somebody: Person) -> None:
        """Serve what they are now."""
        self.serve(somebody.uri.partition("#")[0], somebody.document())
        if urlsplit(somebody.uri).path == "":
            self.serve(somebody.uri + "/", somebody.document())
        self.serve_jrd(f"{somebody.handle}@{somebody.host}", somebody.uri)

    def serve_jrd(self, address: str, uri: str, *, at: str = "", subject: str | None = "", **page: Any) -> Page:
        """Serve webfinger for an address; `subject` is the address that is called its own, None for none."""
        document: dict[str, Any] = {"links": [{"rel": "self", "type": "application/activity+json", "href": uri}]}
        if subject is not None:
            document["subject"] = f"acct:{subject or address}"
        host = at or address.rpartition("@")[2]
        url = f"https://{host}/.well-known/webfinger?resource=acct:{quote(address, safe='@:')}"
        return self.serve(url, document, **{"content_type": "application/jrd+json", **page})

    def asked(self, path: str, site: Site | None = None) -> list[Received]:
        """The GETs that a peer got for this path."""
        return [each for each in (site or self.peer).received if each.method == "GET" and each.path == path]

    def sent(self, site: Site | None = None) -> list[dict[str, Any]]:
        """The activities that a peer was sent, in order."""
        return [each.json for each in (site or self.peer).received if each.method == "POST"]

    # The server

    async def persona(self, handle: str = "alice", *, locked: bool = False) -> Actor:
        """One of ours."""
        async with self.database.write() as tx:
            made = await make_persona(tx, handle, locked)
        return made.actor

    async def drain(self) -> int:
        """Run everything that is due."""
        async with asyncio.timeout(60):
            return await Worker(self.database, job_kinds(self.server)).drain()

    async def follow(self, ours: Actor, theirs: Actor) -> str:
        """One of ours asks one of theirs; the id of the Follow."""
        uri = Addresses("https://sut.test").activity(identifiers.token())
        async with self.database.write() as tx:
            await follow.ask(tx, ours.id, theirs.id, uri, clock.now())
        return uri

    async def post(
        self,
        to: str,
        activity: dict[str, Any] | bytes,
        *,
        by: Person,
        key_id: str = "",
        key_name: str = "",
        scheme: Scheme = "cavage",
        covered: tuple[str, ...] | None = COVERED,
        content_type: str = "application/activity+json",
        headers: tuple[tuple[str, str], ...] = (),
        at: float | None = None,
    ) -> Answered:
        """POST a signed activity; `headers` are there before it is signed (a wrong Digest, another Date)."""
        body = activity if isinstance(activity, bytes) else json.dumps(activity).encode()
        request = HttpRequest("POST", to, (("Host", "sut.test"), ("Content-Type", content_type), *headers), body)
        key = PrivateKey.from_pem(key_id or by.key_id, rsa(key_name) if key_name else by.private)
        covered = covered if scheme == "cavage" else None
        signed = sign(request, key, scheme, clock.now() if at is None else at, covered=covered)
        return await self.send(to, body, (*request.headers, *signed))

    async def send(self, to: str, body: bytes | Any, headers: tuple[tuple[str, str], ...]) -> Answered:
        """POST these bytes with these headers."""
        url = f"http://127.0.0.1:{self.port}{to.removeprefix(self.server.base_url)}"
        data = io.BytesIO(body) if isinstance(body, bytes) else body
        async with asyncio.timeout(30):
            async with self._session.post(url, data=data, headers=list(headers), skip_auto_headers=["User-Agent"]) as r:
                return Answered(r.status, await r.text(), {name.lower(): value for name, value in r.headers.items()})

    async def get(self, path: str, headers: dict[str, str], *, follow: bool = True) -> Answered:
        """GET a path, sent letter by letter as it is; `follow` where a redirect leads."""
        url = URL(f"http://127.0.0.1:{self.port}{path}", encoded=True)
        skipped = ["User-Agent", *(() if "Accept" in headers else ["Accept"])]
        asking = self._session.get(url, headers=headers, skip_auto_headers=skipped, allow_redirects=follow)
        async with asyncio.timeout(30), asking as r:
            return Answered(r.status, await r.text(), {name.lower(): value for name, value in r.headers.items()})

    async def ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> Answered:
        """Ask in any way for a path, sent letter by letter as it is; a redirect is an answer like any other."""
        url = URL(f"http://127.0.0.1:{self.port}{path}", encoded=True)
        asking = self._session.request(
            method, url, headers=headers, data=body, skip_auto_headers=["User-Agent"], allow_redirects=False
        )
        async with asyncio.timeout(60), asking as r:
            return Answered(r.status, await r.text(), {name.lower(): value for name, value in r.headers.items()})

    async def fetch(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes, dict[str, str]]:
        """GET a path, as `get`, of what is no text: status, body and headers."""
        url = URL(f"http://127.0.0.1:{self.port}{path}", encoded=True)
        async with asyncio.timeout(30), self._session.get(url, headers=headers or {}) as r:
            return r.status, await r.read(), {name.lower(): value for name, value in r.headers.items()}

    async def actor(self, uri: str) -> Actor | None:
        """What the server knows of an actor."""
        async with self.database.read() as tx:
            return await by_uri(tx, uri)

    async def learnt(self, somebody: Person) -> Actor:
        """Let the server learn somebody, as if by a search."""
        with scope.trigger("inbox"):
            from_origin = await fetch_actor(self.server, somebody.uri)
        self.peer.received.clear()
        self.other.received.clear()
        return from_origin

    def arrivals(self) -> dict[tuple[str, str, str], int]:
        """What was counted so far and not yet written: (host, outcome, reason) → how often."""
        return {
            (host, outcome, reason): count for (_, host, outcome, reason), count in self.server.arrivals._counts.items()
        }
