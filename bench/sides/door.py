"""usage: door.py ours URL COUNT | bare URL COUNT: Creates of eight senders, taken by the inbox or by a bare route.

`ours`: the server's own inbox; nothing is handled before all are accepted. `bare`: a Starlette route that reads the
body, verifies its digest and the RSA signature, and inserts and commits one row.
"""

import asyncio
import base64
import hashlib
import json
import pickle
import re
import socket
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiosqlite
import asyncpg
import uvicorn
import uvloop
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from posting import TEXT, opened
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starting import told

from privapub import app, clock, identifiers
from privapub.actors import remote
from privapub.actors.keys import make
from privapub.actors.read import Actor, by_id
from privapub.federation.documents.encode import encode
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.server import Server

SENDERS = 8
HERE = "https://here.example"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"


class Sender:
    """An actor elsewhere, and what it sends."""

    def __init__(self, number: int) -> None:
        """Make its keys."""
        self.uri = f"https://there{number}.example/u/sender"
        keys = make()
        self.public = (
            serialization.load_pem_private_key(keys.rsa.encode(), None)
            .public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            .decode()
        )
        self.key = PrivateKey.from_pem(f"{self.uri}#main-key", keys.rsa)

    def profile(self) -> remote.Profile:
        """As its server would have told it."""
        return remote.Profile(
            uri=self.uri, kind="Person", handle="sender", host=self.uri.split("/")[2], inbox=f"{self.uri}/inbox",
            followers=f"{self.uri}/followers", keys=(remote.LearntKey(self.key.id, "rsa", self.public),),
        )  # fmt: skip

    def request(self, reader: str) -> bytes:
        """A signed Create that mentions the reader, as it stands on the wire."""
        note = f"{self.uri}/notes/{identifiers.token()}"
        to, cc = [PUBLIC], [f"{self.uri}/followers", reader]
        body = encode({
            "@context": "https://www.w3.org/ns/activitystreams", "id": f"{note}/activity", "type": "Create",
            "actor": self.uri, "to": to, "cc": cc,
            "object": {
                "id": note, "type": "Note", "attributedTo": self.uri, "content": TEXT, "to": to, "cc": cc,
                "published": clock.iso(clock.now()),
                "tag": [{"type": "Mention", "href": reader, "name": "@reader@here.example"}],
            },
        })  # fmt: skip
        headers = (("Host", "here.example"), ("Content-Type", "application/activity+json"))
        added = sign(HttpRequest("POST", f"{HERE}/inbox", headers, body), self.key, "cavage", clock.now())
        lines = "".join(f"{name}: {value}\r\n" for name, value in (*headers, *added))
        return f"POST /inbox HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def send(application: Any, batches: list[list[bytes]]) -> float:
    """Serve the application, have everything sent from another process, and say how many seconds that took."""
    config = uvicorn.Config(application, loop="none", http="httptools", log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    port = listening.getsockname()[1]
    serving = asyncio.create_task(server.serve([listening]))  # who connects before it serves, waits
    with tempfile.NamedTemporaryFile(suffix=".requests") as file:
        file.write(pickle.dumps(batches))
        file.flush()
        script = Path(__file__).with_name("senders.py")
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(script), str(port), file.name, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
    if process.returncode:
        raise SystemExit("not everything was accepted")
    server.should_exit = True
    await serving
    return float(said)


async def welcome(server: Server, persona: int) -> tuple[list[Sender], Actor]:
    """Eight senders whose keys are known, and who is written to."""
    senders = [Sender(number) for number in range(SENDERS)]
    async with server.database.write() as tx:
        for sender in senders:
            await remote.learn(tx, sender.profile(), clock.now())
        reader = await by_id(tx, persona)
    assert reader is not None  # noqa: S101 - just made
    return senders, reader


async def ours(url: str, count: int) -> None:
    """Accepted a second; and the processor's seconds for 1,000, until they stand in the timeline."""
    async with opened(url) as (server, persona):
        senders, reader = await welcome(server, persona)
        batches = [[sender.request(reader.uri) for _ in range(count // SENDERS)] for sender in senders]
        application = app.web_application(server)
        cpu = time.process_time()
        seconds = await send(application, batches)
        await Worker(server.database, job_kinds(server)).drain()
        cpu = time.process_time() - cpu
        async with server.database.read() as tx:
            found = (await tx.raw("SELECT count(*) FROM timeline_entry"))[0][0]
    if found != count:
        raise SystemExit(f"{found} of {count} stand in the timeline")
    told({"a_second": count / seconds, "cpu_s": 1000 * cpu / count})


async def plain_table(url: str) -> tuple[Callable[[str, str], Awaitable[Any]], Callable[[], Awaitable[Any]]]:
    """By the drivers alone: what inserts and commits a row, and what closes the database. Nothing of ours is in it."""
    table = "CREATE TABLE taken (id TEXT PRIMARY KEY, body TEXT NOT NULL)"
    if url.startswith("sqlite"):
        connection = await aiosqlite.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", table):
            await connection.execute(statement)
        return (
            lambda name, body: connection.execute("INSERT INTO taken VALUES (?, ?)", (name, body)),
            connection.close,
        )
    pool = await asyncpg.create_pool(url, min_size=8, max_size=8)
    await pool.execute(table)
    return lambda name, body: pool.execute("INSERT INTO taken VALUES ($1, $2)", name, body), pool.close


async def bare(url: str, count: int) -> None:
    """Accepted a second."""
    senders = [Sender(number) for number in range(SENDERS)]
    keys: dict[str, Any] = {
        sender.key.id: serialization.load_pem_public_key(sender.public.encode()) for sender in senders
    }
    keep, close = await plain_table(url)

    async def take(request: Request) -> Response:
        body = await request.body()
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        if request.headers["digest"] != f"SHA-256={digest}":
            return Response(status_code=401)
        said = dict(re.findall(r'(\w+)="([^"]*)"', request.headers["signature"]))
        lines = [
            f"{name}: post {request.url.path}" if name == "(request-target)" else f"{name}: {request.headers[name]}"
            for name in said["headers"].split()
        ]
        keys[said["keyId"]].verify(
            base64.b64decode(said["signature"]), "\n".join(lines).encode(), padding.PKCS1v15(), hashes.SHA256()
        )
        await keep(json.loads(body)["id"], body.decode())
        return Response(status_code=202)

    batches = [[sender.request(f"{HERE}/u/reader") for _ in range(count // SENDERS)] for sender in senders]
    seconds = await send(Starlette(routes=[Route("/inbox", take, methods=["POST"])]), batches)
    await close()
    told({"a_second": count / seconds})


if __name__ == "__main__":
    uvloop.run({"ours": ours, "bare": bare}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
