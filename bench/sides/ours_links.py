"""usage: ours_links.py URL COUNT: so many posts from elsewhere that lead to one page come within ten seconds.

They come in ten parts, and the clock is moved by a second after each; then by a minute, in which a page is fetched at
the latest. Tells how many posts are kept, how many of them have a card, and how often the page was fetched.
"""

import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvloop
from aiohttp import web
from posting import opened
from sqlalchemy import func, select
from starting import told

from privapub import app, clock
from privapub.actors import remote
from privapub.database.transaction import Transaction
from privapub.federation.documents import canonical
from privapub.federation.inbox.store import Accepted, store
from privapub.follows import follow
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.link_previews.plan import SPREAD
from privapub.link_previews.tables import link_preview, post_link
from privapub.posts.tables import post
from privapub.telemetry.previews import CARD

CONTEXT = "https://www.w3.org/ns/activitystreams"
PUBLIC = f"{CONTEXT}#Public"
AUTHORS, PARTS = 10, 10
PAGE = "<!doctype html><title>The weather</title><meta property='og:description' content='It rains'><p>It rains."


@asynccontextmanager
async def site() -> AsyncIterator[tuple[Counter[str], str]]:
    """What the site was asked for, and the address of its page."""
    asked: Counter[str] = Counter()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        asked[request.path] += 1
        return web.Response(text=PAGE, content_type="text/html")

    runner = web.ServerRunner(web.Server(answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield asked, f"http://127.0.0.1:{runner.addresses[0][1]}/page"
    finally:
        await runner.cleanup()


async def measure(url: str, count: int) -> None:
    """Have them come."""
    async with opened(url) as (server, persona), site() as (asked, page):
        await app.check_ready(server)
        async with server.database.write() as tx:
            authors = [await _followed(tx, persona, number) for number in range(AUTHORS)]
            await tx.raw("DELETE FROM job")  # no Follow is delivered to nowhere
            await tx.raw("DELETE FROM lane")
        worker = Worker(server.database, job_kinds(server))
        for part in range(PARTS):
            async with server.database.write() as tx:
                for number in range(part, count, PARTS):
                    author, uri = authors[number % AUTHORS]
                    await store(tx, _note(author, uri, number, page))
            await worker.drain()
            clock.advance(1.0)
        clock.advance(SPREAD)
        await worker.drain()
        async with server.database.read() as tx:
            kept = await tx.scalar(select(func.count()).select_from(post))
            cards = post_link.join(link_preview, link_preview.c.url == post_link.c.url)
            shown = await tx.scalar(select(func.count()).select_from(cards).where(link_preview.c.state == CARD))
    told({"kept": kept, "cards": shown, "fetched": asked["/page"]})


async def _followed(tx: Transaction, persona: int, number: int) -> tuple[int, str]:
    """Somebody elsewhere whom the persona follows."""
    now, uri = clock.now(), f"https://there{number}.example/u/author"
    profile = remote.Profile(
        uri=uri, kind="Person", handle="author", host=uri.split("/")[2], inbox=f"{uri}/inbox",
        followers=f"{uri}/followers",
    )  # fmt: skip
    actor = await remote.learn(tx, profile, now)
    await follow.ask(tx, persona, actor, f"https://here.example/activities/{number}", now)
    await follow.accepted(tx, persona, actor, now)
    return actor, uri


def _note(author: int, uri: str, number: int, page: str) -> Accepted:
    now = clock.now()
    name = f"{uri}/notes/{number}"
    document = {
        "@context": CONTEXT, "id": f"{name}/activity", "type": "Create", "actor": uri, "to": [PUBLIC],
        "object": {
            "id": name, "type": "Note", "attributedTo": uri, "to": [PUBLIC], "published": clock.iso(now),
            "content": f'<p>Number {number}: <a href="{page}">the weather</a></p>',
        },
    }  # fmt: skip
    return Accepted(
        owner="", activity_id=f"{name}/activity", digest=canonical.digest(document), kind="Create",
        actor_id=author, actor_uri=uri, document=document, now=now,
    )  # fmt: skip


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], int(sys.argv[2])))
