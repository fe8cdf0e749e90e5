"""Asking the whole web application, `https://sut.test`, in this process and without a socket.

async with serving(database) as sut:
    answer = await sut.get("/@alice", accept=HTML)
    document = (await sut.get(alice.uri, accept=DOCUMENT, by=carol)).json   # signed by carol
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio

from fakes.internet import Names
from makers import private_keys
from privapub import clock
from privapub.actors.read import Actor
from privapub.app import web_application
from privapub.database.connect import Database
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.outbound.client import Door
from privapub.outbound.gate import OpenGate
from privapub.server import Server
from privapub.settings import Settings
from privapub.telemetry.fetches import FetchRecorder

BASE = "https://sut.test"
DOCUMENT = "application/activity+json"
HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True)
class Answered:
    """What the application said; the names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Application:
    """The pages and the documents of one server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.app = web_application(server)

    async def get(
        self,
        url: str,
        *,
        accept: str | None = None,
        by: Actor | None = None,
        signed_at: float | None = None,
        method: str = "GET",
        **headers: str,
    ) -> Answered:
        """Ask for a path or a whole URL; `by` signs with the key of every actor that `makers` makes."""
        path = url.removeprefix(BASE)
        sent = [("Host", "sut.test"), *((name.replace("_", "-"), value) for name, value in headers.items())]
        if accept is not None:
            sent.append(("Accept", accept))
        if by is not None:
            key = PrivateKey.from_pem(f"{by.uri}#main-key", private_keys().rsa)
            request = HttpRequest(method, BASE + path, tuple(sent))
            sent += sign(request, key, "cavage", clock.now() if signed_at is None else signed_at)
        return await self.ask(method, path, sent)

    async def ask(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b"") -> Answered:
        """Send a request as it is."""
        raw_path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(raw_path),
            "raw_path": raw_path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        said: list[dict[str, Any]] = []

        asked = iter(({"type": "http.request", "body": body, "more_body": False},))

        async def receive() -> dict[str, Any]:
            message = next(asked, None)
            if message is None:
                await anyio.sleep_forever()  # nobody hangs up
            return message or {}

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        with anyio.fail_after(30):
            try:
                await self.app(scope, receive, send)  # type: ignore[arg-type]  # plain dicts are what ASGI speaks
            except Exception:
                # What was not foreseen is answered and then raised once more, for the log of the web server.
                if not said:
                    raise
        start = said[0]
        found = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
        return Answered(start["status"], found, b"".join(message.get("body", b"") for message in said[1:]))


@asynccontextmanager
async def serving(database: Database, door: Door | None = None, **settings: Any) -> AsyncIterator[Application]:
    """The server under test on this database, with these settings; without a door of its own it reaches nobody."""
    recorder = FetchRecorder(database)
    door = door or Door(recorder=recorder, gate=OpenGate(), user_agent="PrivaPub (test)", resolver=Names())
    made = Settings(data=Path("/nowhere"), **{"base_url": BASE, **settings})
    try:
        yield Application(Server.around(made, database, door, recorder))
    finally:
        await door.close()
