"""The job of kind `preview`: fetches a page, and reads in its head what it says of itself.

Its one argument is the address. The page is asked for as any other by the one door: without cookies, without a Referer,
by the server's own name, and signed by nobody.
"""

import asyncio

from sqlalchemy import select

from privapub import scope
from privapub.database.transaction import Transaction
from privapub.jobs.job import Done, Job, Outcome, Retry
from privapub.link_previews.keep import keep
from privapub.link_previews.parse import MOST_BYTES, Found, parse, read_oembed
from privapub.link_previews.tables import link_preview, post_link
from privapub.outbound.answers import IN_A_MOMENT, PAGE_TYPES, FetchProblem
from privapub.outbound.target import host_of
from privapub.posts.tables import post
from privapub.proxy import prefetch
from privapub.proxy.addresses import Wanted
from privapub.server import Server
from privapub.telemetry.previews import CARD, FAILED, NO_CARD

ATTEMPTS = 3
AT_ITS_END = 60.0  # seconds: a job queued while another was about to keep what it found asks for nothing again
_ACCEPT = "text/html, application/xhtml+xml;q=0.9"
_OEMBED_ACCEPT = "application/json"
_OEMBED_TYPES = frozenset({"application/json", "application/json+oembed", "text/json"})
_NO_PAGES = frozenset({"content-type", "410", "404"})  # what is there is no page, or nothing is there


async def fetch(server: Server, job: Job) -> tuple[str, Found | None] | Outcome:
    """How it ended and what was found; nothing is asked where no post leads there, or another job has been there."""
    url: str = job.args["url"]
    async with server.database.read() as tx:
        if not await _is_wanted(tx, url, job.created_at):
            return Done()
    if host_of(url) == host_of(server.base_url):
        return NO_CARD, None
    with scope.purpose("preview"):
        try:
            answer = await server.door.get(url, accept=_ACCEPT, content_types=PAGE_TYPES, page=bytes)
        except FetchProblem as problem:
            if problem.reason in _NO_PAGES:
                return NO_CARD, None
            if problem.reason in IN_A_MOMENT and job.attempt < ATTEMPTS:
                return Retry(None, problem.reason)
            return FAILED, None
        # In a thread: what strangers write is read meanwhile, and everybody else goes on.
        said = answer.headers.get("content-type", "")
        found = await asyncio.to_thread(parse, answer.body, said, answer.url)
        if found.oembed:
            found = await _with_oembed(server, found)
    return (CARD, found) if found.title else (NO_CARD, None)


async def write(tx: Transaction, job: Job, ended: tuple[str, Found | None], now: float) -> None:
    """Keep it, and count it."""
    state, found = ended
    await keep(tx, job.args["url"], state, found, now)
    if found is not None:
        await prefetch.plan(tx, [Wanted("card", found.image)], now)


async def _is_wanted(tx: Transaction, url: str, since: float) -> bool:
    leads = select(post_link.c.post_id).join(post, post.c.id == post_link.c.post_id)
    if await tx.first(leads.where(post_link.c.url == url, post.c.deleted_at.is_(None)).limit(1)) is None:
        return False
    fetched_at = await tx.scalar(select(link_preview.c.fetched_at).where(link_preview.c.url == url))
    return fetched_at is None or fetched_at < since - AT_ITS_END


async def _with_oembed(server: Server, page: Found) -> Found:
    """The page with what its oEmbed address adds to it: one fetch more, by the same rules."""
    try:
        answer = await server.door.get(
            page.oembed, accept=_OEMBED_ACCEPT, content_types=_OEMBED_TYPES, limit=MOST_BYTES
        )
    except FetchProblem:
        return page
    return read_oembed(answer.body, answer.url, page)
