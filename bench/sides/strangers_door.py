"""usage: strangers_door.py one URL WHAT COUNT | flood URL FORGED GOOD | bodies URL COUNT: what strangers cost.

`one`: the processor's seconds for 1,000 requests that are all `accepted` (to the timeline), or all refused for a bad
`digest`, an `unknown` host, or a bad `signature` with a known key; the limits of the door are out of the way.
`flood`: forged requests of a thousand invented actors of ten hosts, a thousand a second over a hundred connections,
from twenty addresses, beside activities of eight welcome senders; `bodies`: large values, drips and bodies without an
end, all at once.
"""

import asyncio
import json
import pickle
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from door import SENDERS, Sender, welcome
from ours_many import rss_anon
from posting import opened
from starlette.types import ASGIApp
from starting import told

from privapub import app
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.limits.limits import MIB
from privapub.server import Server
from privapub.web.connection import Connection

OPEN = {"inbox_per_address": 1_000_000, "inbox_claims_per_host": 1_000_000, "inbox_per_host": 1_000_000}
HOSTS, INVENTED, ADDRESSES, CONNECTIONS = 10, 1_000, 20, 100
EVERY = 0.02  # seconds between two looks at the memory


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[int]:
    """The port at which the server answers."""
    async with answering(app.web_application(server)) as port:
        yield port


@asynccontextmanager
async def answering(application: ASGIApp) -> AsyncIterator[int]:
    """The port at which an application answers, as ours does."""
    web = uvicorn.Server(
        uvicorn.Config(
            application, loop="none", http=Connection, log_level="warning", access_log=False,
            lifespan="off", proxy_headers=False,
        )
    )  # fmt: skip
    listening = _listening("127.0.0.1")
    running = asyncio.create_task(web.serve([listening]))
    try:
        yield listening.getsockname()[1]
    finally:
        web.should_exit = True
        await running


def _listening(address: str, port: int = 0) -> Any:
    import socket  # noqa: PLC0415 - for this alone

    return socket.create_server((address, port), backlog=512)


async def post(port: int, batches: list[list[bytes]], *how: object) -> dict[str, float]:
    """Have everything sent from another process; what that says of it."""
    with tempfile.NamedTemporaryFile(suffix=".requests") as file:
        file.write(pickle.dumps(batches))
        file.flush()
        return await said_by("strangers_client.py", port, file.name, *how)


async def said_by(script: str, *arguments: object) -> dict[str, float]:
    """What a script says in its last line."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"{script} ended with {process.returncode}")
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def spoilt(request: bytes, what: str) -> bytes:
    """The same request, to be refused for this."""
    head, _, body = request.partition(b"\r\n\r\n")
    if what == "digest":
        body = body.replace(b"weather", b"whether")
    if what == "signature":
        before, mark, after = head.partition(b'signature="')
        head = before + mark + (b"B" if after[:1] == b"A" else b"A") + after[1:]
    return head + b"\r\n\r\n" + body


async def one(url: str, what: str, count: str) -> None:
    """The processor's seconds for 1,000."""
    async with opened(url, **OPEN) as (server, persona), serving(server) as port:
        known, reader = await welcome(server, persona)
        senders = [Stranger(f"http://127.0.0.1:1/u/{n}") for n in range(SENDERS)] if what == "unknown" else known
        each = int(count) // SENDERS
        batches = [[spoilt(sender.request(reader.uri), what) for _ in range(each)] for sender in senders]
        await post(port, [[batch.pop()] for batch in batches])  # what is looked up once is not counted
        cpu = time.process_time()
        found = await post(port, batches)
        await Worker(server.database, job_kinds(server)).drain()
        cpu = time.process_time() - cpu
    expected = {"accepted": {"202"}, "digest": {"401"}}.get(what, {"401", "503"})
    if set(found) - {"seconds"} - expected:
        raise SystemExit(f"{what}: {found}")
    told({"cpu_s": 1000 * cpu / (SENDERS * (each - 1))})


class Stranger(Sender):
    """Somebody of whom nothing is known; all of them sign with the key of one."""

    _one: Sender | None = None

    def __init__(self, uri: str) -> None:
        """Take another name."""
        if Stranger._one is None:
            Stranger._one = Sender(0)
        self.uri, self.key = uri, _renamed(Stranger._one.key, f"{uri}#main-key")


def _renamed(key: Any, key_id: str) -> Any:
    from dataclasses import replace  # noqa: PLC0415 - for this alone

    return replace(key, id=key_id)


async def growth(work: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
    """What the work gives, and by how many MiB the memory of this process grew at most."""
    before = most = rss_anon()
    task = asyncio.ensure_future(work())
    while not task.done():
        await asyncio.wait({task}, timeout=EVERY)
        most = max(most, rss_anon())
    return task.result(), most - before


async def flood(url: str, forged: str, good: str) -> None:
    """Good traffic alone, then beside the flood; what was fetched, and the memory."""
    asked: list[tuple[str, float]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((writer.get_extra_info("sockname")[0], time.monotonic()))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    listening = _listening("0.0.0.0")  # noqa: S104 - the ten hosts are ten addresses of this machine
    hosts = await asyncio.start_server(answer, sock=listening)
    names = [f"http://127.0.0.{2 + n}:{listening.getsockname()[1]}" for n in range(HOSTS)]
    async with opened(url, inbox_per_host=1_000_000) as (server, persona), serving(server) as port, hosts:
        senders, reader = await welcome(server, persona)

        def batches() -> list[list[bytes]]:
            return [[sender.request(reader.uri) for _ in range(int(good) // SENDERS)] for sender in senders]

        invented = [Stranger(f"{names[n % HOSTS]}/u/{n}") for n in range(INVENTED)]
        requests = [
            invented[n % INVENTED].request(reader.uri).replace(
                b"Host:", f"X-Forwarded-For: 203.0.113.{n % ADDRESSES}\r\nHost:".encode(), 1
            )
            for n in range(int(forged))
        ]  # fmt: skip
        await post(port, [batch[:20] for batch in batches()])
        alone, beside = batches(), batches()
        found = await post(port, alone)
        rate = SENDERS * len(alone[0]) / found["seconds"]
        split = [requests[n::CONNECTIONS] for n in range(CONNECTIONS)]

        async def both() -> Any:
            return await asyncio.gather(post(port, split, len(requests) / 1000), post(port, beside))

        (bad, well), mib = await growth(both)
    progress = {key: value for key, value in bad.items() if key != "seconds"}
    print(f"forged: {progress} in {bad['seconds']:.1f} s; {len(asked)} fetches", file=sys.stderr)
    if well.get("202") != SENDERS * len(beside[0]) or "202" in bad:
        raise SystemExit(f"{bad} {well}")
    told({
        "alone": rate, "beside": SENDERS * len(beside[0]) / well["seconds"], "mib": mib, "fetches": len(asked),
        "within_ten": max(_most_within_ten_seconds([at for host, at in asked if host == one]) for one, _ in asked),
    })  # fmt: skip


def _most_within_ten_seconds(moments: list[float]) -> int:
    """What goes out a second apart does not arrive so to the millisecond: in ten seconds that does not show."""
    return max(sum(begin <= moment < begin + 10 for moment in moments) for begin in moments)


async def bodies(url: str, count: str) -> None:
    """How much memory they take, and when the last is ended."""
    async with opened(url) as (server, persona), serving(server) as port:
        senders, reader = await welcome(server, persona)
        await post(port, [[sender.request(reader.uri) for _ in range(20)] for sender in senders])
        found, mib = await growth(lambda: said_by("strangers_client.py", port, "bodies", count))
    print(f"{found}; room for bodies {server.settings.inbox_memory * MIB // MIB} MiB", file=sys.stderr)
    told({"mib": mib, "seconds": found["seconds"]})


if __name__ == "__main__":
    ways: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"one": one, "flood": flood, "bodies": bodies}
    uvloop.run(ways[sys.argv[1]](*sys.argv[2:]))
