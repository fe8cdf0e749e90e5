"""What the sides that deliver share: a receiver in another process, a server with a persona, a fan-out of its post."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from privapub import app, clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.keys import make
from privapub.actors.read import by_id
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.personas.create import create
from privapub.posts.publish import publish
from privapub.server import Server
from privapub.settings import load

TEXT = "<p>" + "A post of usual length, with a few words about the weather. " * 8 + "</p>"


@asynccontextmanager
async def receiver() -> AsyncIterator[int]:
    """The port of a fresh receiver."""
    script = Path(__file__).with_name("receiver.py")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, str(script), stdin=pipe, stdout=pipe)
    assert process.stdin is not None  # noqa: S101 - for the type
    assert process.stdout is not None  # noqa: S101 - for the type
    try:
        yield int(await process.stdout.readline())
    finally:
        process.stdin.close()
        await process.wait()


async def ask(port: int, path: str) -> dict[str, float]:
    """What the receiver answers to a GET."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
    writer.close()
    found: dict[str, float] = json.loads(body)
    return found


@asynccontextmanager
async def opened(url: str, **settings: object) -> AsyncIterator[tuple[Server, int]]:
    """A server as `serve` opens it, and the number of a persona on it."""
    with tempfile.TemporaryDirectory(prefix="privapub-bench-data-") as folder:
        environ = {
            "PRIVAPUB_DATA": folder,
            "PRIVAPUB_DATABASE_URL": url,
            "PRIVAPUB_BASE_URL": "https://here.example",
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8",
        } | {f"PRIVAPUB_{name.upper()}": str(value) for name, value in settings.items()}
        one = load(environ).settings
        app.begin_logging(one)
        server = app.open_server(one)
        keys = await asyncio.to_thread(make)
        async with server.database.write() as tx:
            handle = f"a{os.urandom(4).hex()}"
            persona = await create(
                tx, handle, keys, addresses=Addresses(server.base_url), domain=server.domain, now=clock.now()
            )
        app.calm_collector()  # as a process does that serves or works
        try:
            yield server, persona
        finally:
            await app.close_server(server)


async def fan_out(server: Server, persona: int, inboxes: list[str]) -> int:
    """A post on its way to these inboxes, as what follows a published post puts it; the post's number."""
    async with server.database.write() as tx:
        actor = await by_id(tx, persona)
        assert actor is not None  # noqa: S101 - just made
        now = clock.now()
        post_id = await publish(
            tx, author_id=persona, audience="public", source="Hello", content_html=TEXT,
            addresses=Addresses(server.base_url), now=now,
        )  # fmt: skip
        await tx.raw("DELETE FROM job WHERE kind = 'post_published'")
        await tx.raw("DELETE FROM lane WHERE kind = 'post_published'")
        activity = activity_of(actor.uri)
        targets = [Target(inbox) for inbox in inboxes]
        await deliver(tx, persona, activity, targets, about=activity["object"]["id"], post_id=post_id, now=now)
    return post_id


def activity_of(actor: str) -> dict[str, Any]:
    """A Create with a Note, of the size that they usually have."""
    note = f"{actor}/notes/{identifiers.token()}"
    public = "https://www.w3.org/ns/activitystreams#Public"
    return {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": f"{note}/activity",
        "type": "Create",
        "actor": actor,
        "to": [public],
        "cc": [f"{actor}/followers"],
        "object": {
            "id": note, "type": "Note", "attributedTo": actor, "content": TEXT, "to": [public],
            "cc": [f"{actor}/followers"], "published": "2026-12-01T00:00:00Z",
        },
    }  # fmt: skip


def inboxes_at(port: int, hosts: int, each: int = 1, *, net: str = "127.100") -> list[str]:
    """Inboxes of so many hosts, with addresses of their own below `net`."""
    return [
        f"http://{net}.{host // 250}.{host % 250 + 1}:{port}/{number}/inbox"
        for number in range(each)
        for host in range(hosts)
    ]
