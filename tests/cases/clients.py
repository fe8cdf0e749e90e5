"""The programs of the people here: whatever a case asks of the client API goes over HTTP, each with its own token."""

import io
import json
import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp

from cases.play import Play, Reply
from fakes.world import World
from privapub import clock
from privapub.accounts import tokens
from privapub.actors.read import Actor

SCOPES = "read write follow push profile"
_LINK = re.compile(r'<([^>]+)>; rel="(\w+)"')
_TOKENS: WeakKeyDictionary[World, dict[int, str]] = WeakKeyDictionary()


@dataclass(frozen=True)
class File:
    """A file as a program sends it: its bytes, and what is said of them."""

    data: bytes
    name: str = "file"
    kind: str = "application/octet-stream"


async def token(world: World, who: Actor) -> str:
    """What the program of somebody here shows, the same each time."""
    known = _TOKENS.setdefault(world, {})
    if who.id not in known:
        async with world.database.write() as tx:
            program, _ = await tokens.register(tx, "Case", [tokens.OUT_OF_BAND], SCOPES, None, clock.now())
            _, known[who.id] = await tokens.give(tx, program.id, who.id, program.scopes, clock.now())
    return known[who.id]


async def ask(
    world: World,
    who: Actor | None,
    method: str,
    path: str,
    given: dict[str, Any] | None = None,
    *,
    files: dict[str, File] | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """Ask as somebody here, or as a stranger; what is given goes as JSON, or beside files in parts."""
    sent = {"Host": world.server.base_url.split("//")[1], **(headers or {})}
    if who is not None:
        sent["Authorization"] = f"Bearer {await token(world, who)}"
    body: Any = None
    if files:
        body = aiohttp.FormData({name: str(value) for name, value in (given or {}).items()})
        for name, file in files.items():
            body.add_field(name, io.BytesIO(file.data), filename=file.name, content_type=file.kind)
    elif given is not None:
        body, sent["Content-Type"] = json.dumps(given).encode(), "application/json"
    answer = await world.ask(method, path.removeprefix(world.server.base_url), sent, body)
    return Reply(0, answer.status, answer.body, answer.headers, None, f"{method} {path}")


async def told(world: World, who: Actor | None, method: str, path: str, given: dict[str, Any] | None = None) -> Any:
    """What is answered, with a 200."""
    reply = await ask(world, who, method, path, given)
    assert reply.status == 200, f"{reply.what}: {reply.status} {reply.body}"
    return reply.json


async def get(world: World, who: Actor | None, path: str) -> Any:
    """What is there."""
    return await told(world, who, "GET", path)


async def asked(play: Play, who: Actor | None, method: str, path: str, given: dict[str, Any] | None = None) -> Reply:
    """The same, which counts as an answer of the case."""
    reply = await ask(play.world, who, method, path, given)
    play.replies.append(reply)
    return reply


def link(reply: Reply, relation: str) -> str | None:
    """Where a list goes on, or what is newer (RFC 8288)."""
    found = {name: url for url, name in _LINK.findall(reply.headers.get("link", ""))}
    return found.get(relation)


async def walk(play: Play, who: Actor, path: str, relation: str = "next", most: int = 50) -> list[Reply]:
    """A list from here on, page by page."""
    pages = []
    at: str | None = path
    while at is not None:
        assert len(pages) < most, f"{path} has no end"
        pages.append(await asked(play, who, "GET", at))
        assert pages[-1].status == 200, f"{pages[-1].what}: {pages[-1].body}"
        at = link(pages[-1], relation) if pages[-1].json else None
    return pages


async def number_of(world: World, who: Actor, uri: str) -> str | None:
    """The number of a post that somebody may see, by its address; None where there is none for them."""
    found = await get(world, who, f"/api/v2/search?type=statuses&q={uri}")
    return found["statuses"][0]["id"] if found["statuses"] else None
