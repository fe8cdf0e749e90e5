"""usage: ours_threads.py thread URL COUNT | boosts URL COUNT: a thread of COUNT replies, or a boosted post.

`thread`: how many posts were kept, how many requests their author took, how many were kept before what they answer,
the most requests at a time, how many requests were made twice, and the seconds. `boosts`: as many actors boost one
post at once; how often it was fetched.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvloop
from aiohttp import web
from posting import TEXT, opened
from sqlalchemy import func, select
from starting import told

from privapub import clock
from privapub.actors import remote
from privapub.database.transaction import Transaction
from privapub.federation.documents import canonical
from privapub.federation.inbox.store import Accepted, store
from privapub.follows import follow
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.posts import threads
from privapub.posts.tables import boost, post

CONTEXT = "https://www.w3.org/ns/activitystreams"
PUBLIC = f"{CONTEXT}#Public"
PAGE = 20
LATENCY = 0.01  # seconds that the peer takes for an answer


class Peer:
    """A server with one author, whose thread it serves, page by page; it counts what it is asked."""

    def __init__(self, count: int) -> None:
        """A thread of this many replies, each third of which answers a reply."""
        self.asked: Counter[str] = Counter()
        self.at_once = self.most = 0
        self.count = count
        self.base = ""

    def parent(self, number: int) -> int | None:
        """What a post of the thread answers; 0 is the first."""
        return None if number == 0 else number - 1 if number % 3 == 0 else 0

    def document(self, path: str) -> dict[str, Any] | None:
        """What is served at a path."""
        author = f"{self.base}/u/author"
        head, _, rest = path.lstrip("/").partition("/")
        if head == ".well-known":
            link = {"rel": "self", "type": "application/activity+json", "href": author}
            return {"subject": f"acct:author@{self.base.partition('//')[2]}", "links": [link]}
        if head == "u":
            return {"@context": CONTEXT, "id": author, "type": "Person", "preferredUsername": "author",
                    "inbox": f"{author}/inbox", "outbox": f"{author}/outbox"}  # fmt: skip
        if head == "n":
            number = int(rest)
            above = self.parent(number)
            return {
                "@context": CONTEXT, "id": f"{self.base}{path}", "type": "Note", "attributedTo": author,
                "content": TEXT, "to": [PUBLIC], "published": f"2026-11-01T{number // 60 % 24:02}:{number % 60:02}:00Z",
                "inReplyTo": None if above is None else f"{self.base}/n/{above}",
                "context": f"{self.base}/c", "replies": f"{self.base}/r/{number}",
            }  # fmt: skip
        if path == "/c":
            return {"@context": CONTEXT, "id": f"{self.base}/c", "type": "OrderedCollection",
                    "totalItems": self.count + 1, "first": f"{self.base}/c/0"}  # fmt: skip
        page = int(rest)
        numbers = range(page * PAGE, min((page + 1) * PAGE, self.count + 1))
        more = f"{self.base}/c/{page + 1}" if numbers.stop <= self.count else None
        return {"@context": CONTEXT, "id": f"{self.base}{path}", "type": "OrderedCollectionPage", "next": more,
                "orderedItems": [f"{self.base}/n/{number}" for number in numbers]}  # fmt: skip

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """After a while, as from another machine."""
        self.asked[request.raw_path] += 1
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(LATENCY)
        self.at_once -= 1
        kind = "application/jrd+json" if request.path.startswith("/.well") else "application/activity+json"
        return web.json_response(self.document(request.path), content_type=kind)


@asynccontextmanager
async def peer(count: int) -> AsyncIterator[Peer]:
    """One that listens."""
    made = Peer(count)
    runner = web.ServerRunner(web.Server(made.answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()


async def thread(url: str, count: int) -> None:
    """Read it, as the job does."""
    async with opened(url) as (server, _persona), peer(count) as there:
        async with server.database.write() as tx:
            await threads.ask(tx, f"{there.base}/n/0", clock.now())
        began = time.perf_counter()
        await Worker(server.database, job_kinds(server)).drain()
        seconds = time.perf_counter() - began
        async with server.database.read() as tx:
            rows = await tx.all(select(post.c.uri, post.c.in_reply_to).order_by(post.c.received_at, post.c.id))
    kept: set[str] = set()
    out_of_order = 0
    for row in rows:
        out_of_order += row.in_reply_to is not None and row.in_reply_to not in kept
        kept.add(row.uri)
    twice = sum(times - 1 for times in there.asked.values())
    of_author = sum(times for path, times in there.asked.items() if path.startswith(("/u/", "/.well-known")))
    told({
        "kept": len(rows), "of_author": of_author, "out_of_order": out_of_order, "at_once": there.most, "twice": twice,
        "seconds": seconds,
    })  # fmt: skip


async def boosts(url: str, count: int) -> None:
    """All have arrived before the first is handled."""
    async with opened(url) as (server, persona), peer(0) as there:
        for start in range(0, count, 100):
            async with server.database.write() as tx:
                for number in range(start, min(start + 100, count)):
                    await _boosted(
                        tx, persona, f"https://there{number % 50}.example/u/fan{number}", f"{there.base}/n/0"
                    )
        async with server.database.write() as tx:
            await tx.raw("DELETE FROM job WHERE kind NOT IN ('inbox')")  # no Follow is delivered to nowhere
            await tx.raw("DELETE FROM lane WHERE kind NOT IN ('inbox')")
        await Worker(server.database, job_kinds(server)).drain()
        async with server.database.read() as tx:
            kept = await tx.scalar(select(func.count()).select_from(boost))
    told({"fetched": there.asked["/n/0"], "kept": kept})


async def _boosted(tx: Transaction, persona: int, fan: str, what: str) -> None:
    """Somebody whom the persona follows boosts this."""
    now = clock.now()
    announce = {"@context": CONTEXT, "id": f"{fan}/boost", "type": "Announce", "actor": fan, "object": what,
                "to": [PUBLIC]}  # fmt: skip
    handle = fan.rpartition("/")[2]
    profile = remote.Profile(
        uri=fan,
        kind="Person",
        handle=handle,
        host=fan.split("/")[2],
        inbox=f"{fan}/inbox",
        followers=f"{fan}/followers",
    )
    actor = await remote.learn(tx, profile, now)
    await follow.ask(tx, persona, actor, f"https://here.example/activities/{handle}", now)
    await follow.accepted(tx, persona, actor, now)
    boost = Accepted(
        owner="", activity_id=f"{fan}/boost", digest=canonical.digest(announce), kind="Announce",
        actor_id=actor, actor_uri=fan, document=announce, now=now,
    )  # fmt: skip
    await store(tx, boost)


if __name__ == "__main__":
    uvloop.run({"thread": thread, "boosts": boosts}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
