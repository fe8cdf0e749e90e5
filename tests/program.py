"""A program that asks the client API, as an app does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec

from asgi import Answered, Application, serving
from makers import make_persona
from privapub import clock
from privapub.accounts import tokens
from privapub.database.connect import Database
from privapub.personas.read import Persona
from privapub.proxy.cache import ensure as ensure_proxy
from privapub.settings import Settings

EVERYTHING = "read write follow push profile"


@dataclass
class Program:
    """What a persona's app says, with its token; `token` "" says none."""

    sut: Application
    token: str = ""

    async def ask(
        self, method: str, path: str, given: dict[str, Any] | None = None, *, form: bool = False, **headers: str
    ) -> Answered:
        """Ask; `given` goes as JSON, or as a form."""
        lines = [("Host", "sut.test"), *((name.replace("_", "-"), value) for name, value in headers.items())]
        if self.token:
            lines.append(("Authorization", f"Bearer {self.token}"))
        body = b""
        if given is not None and form:
            body = urlencode(given, doseq=True).encode()
            lines.append(("Content-Type", "application/x-www-form-urlencoded"))
        elif given is not None:
            body = msgspec.json.encode(given)
            lines.append(("Content-Type", "application/json"))
        return await self.sut.ask(method, path, lines, body)

    async def get(self, path: str) -> Any:
        """What is at a path, which is there."""
        return await self.told("GET", path)

    async def told(self, method: str, path: str, given: dict[str, Any] | None = None, *, form: bool = False) -> Any:
        """What is answered, with a 200."""
        answer = await self.ask(method, path, given, form=form)
        assert answer.status == 200, (answer.status, answer.body)
        return msgspec.json.decode(answer.body)

    async def refused(self, method: str, path: str, given: dict[str, Any] | None = None) -> tuple[int, str]:
        """The status and the words with which it is refused."""
        answer = await self.ask(method, path, given)
        assert answer.status >= 400, (answer.status, answer.body)
        return answer.status, msgspec.json.decode(answer.body)["error"]


@dataclass
class Town:
    """A server with programs of its personas."""

    sut: Application
    database: Database

    async def program(self, handle: str = "alice", scopes: str = EVERYTHING) -> tuple[Persona, Program]:
        """A new persona, and the program by which it acts."""
        async with self.database.write() as tx:
            persona = await make_persona(tx, handle)
        return persona, await self.another(persona, scopes)

    async def another(self, persona: Persona, scopes: str = EVERYTHING) -> Program:
        """Another program of a persona."""
        async with self.database.write() as tx:
            of, _ = await tokens.register(tx, "Test", [tokens.OUT_OF_BAND], scopes, None, clock.now())
            _, secret = await tokens.give(tx, of.id, persona.id, of.scopes, clock.now())
        return Program(self.sut, secret)

    @property
    def stranger(self) -> Program:
        """A program that shows no token."""
        return Program(self.sut)


@asynccontextmanager
async def town(database: Database, **settings: Any) -> AsyncIterator[Town]:
    """The server under test on this database."""
    async with database.write() as tx:
        await ensure_proxy(tx, Settings())
    async with serving(database, **settings) as sut:
        yield Town(sut, database)
