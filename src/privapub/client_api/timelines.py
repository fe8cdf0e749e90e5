"""Timelines."""

from collections.abc import Sequence

from privapub import clock
from privapub.client_api import show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.database.page import Page
from privapub.database.transaction import Transaction
from privapub.markup.hashtags import is_hashtag, tag_key
from privapub.timelines import home as timeline
from privapub.timelines import read
from privapub.timelines.entry import Entry
from privapub.timelines.read import Where

MOST_TAGS = 4  # beside each other, as on Mastodon


async def home(call: Call) -> Answer:
    """`GET /api/v1/timelines/home`."""
    async with call.server.database.read() as tx:
        page = await timeline.home(tx, call.me, call.window(), clock.now())
        return await shown(tx, call, page)


async def shown(tx: Transaction, call: Call, page: Page[Entry], *also: str) -> Answer:
    """A part of a timeline, as the answer to who reads it."""
    some = [(each.post, each.boost_id) for each in page.items]
    matches = {each.post.id: each.matches for each in page.items}
    known = {each.boost.id: each.boost for each in page.items if each.boost is not None}
    return paged(call, await show_statuses.boosts(tx, call.server, some, call.reader, matches, known), page, *also)


async def public(call: Call) -> Answer:
    """`GET /api/v1/timelines/public`."""
    async with call.server.database.read() as tx:
        page = await read.public(
            tx, call.reader, call.window(), clock.now(), where=_where(call), only_media=bool(call.flag("only_media"))
        )
        return await shown(tx, call, page, "local", "remote", "only_media")


async def tagged(call: Call) -> Answer:
    """`GET /api/v1/timelines/tag/{hashtag}`: with this tag or `any`, with `all` and with `none` of others."""
    some = _keys([str(call.request.path_params["hashtag"]).lstrip("#"), *call.texts("any")])
    async with call.server.database.read() as tx:
        if not some:
            return Answer([])
        page = await read.tagged(
            tx,
            some,
            call.reader,
            call.window(),
            clock.now(),
            where=_where(call),
            also=_keys(call.texts("all")),
            never=_keys(call.texts("none")),
            only_media=bool(call.flag("only_media")),
        )
        return await shown(tx, call, page, "local", "remote", "only_media", "any", "all", "none")


def _keys(names: Sequence[str]) -> tuple[str, ...]:
    """The keys of the first few of these; what can be no hashtag is none."""
    return tuple(tag_key(name) for name in names[:MOST_TAGS] if is_hashtag(name))


async def of_list(call: Call) -> Answer:
    """`GET /api/v1/timelines/list/{list_id}`."""
    async with call.server.database.read() as tx:
        page = await timeline.of_list(tx, call.me, call.id("list_id"), call.window(), clock.now())
        return await shown(tx, call, page)


async def of_link(call: Call) -> Answer:
    """`GET /api/v1/timelines/link`: what leads to a page, which has a card."""
    async with call.server.database.read() as tx:
        page = await read.leading_to(tx, call.text("url"), call.reader, call.window(), clock.now())
        return await shown(tx, call, page, "url")


async def nothing(_call: Call) -> list[str]:
    """`GET /api/v1/trends…`: nobody is counted here to find out what many look at."""
    return []


def _where(call: Call) -> Where:
    if call.flag("local"):
        return "local"
    return "remote" if call.flag("remote") else "all"


_READ = ("read:statuses",)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/timelines/home", home, _READ),
    Endpoint("GET", "/api/v1/timelines/public", public, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/timelines/tag/{hashtag}", tagged, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/timelines/list/{list_id}", of_list, ("read:lists",)),
    Endpoint("GET", "/api/v1/timelines/link", of_link, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/trends", nothing, who="anyone"),
    Endpoint("GET", "/api/v1/trends/statuses", nothing, who="anyone"),
    Endpoint("GET", "/api/v1/trends/links", nothing, who="anyone"),
    Endpoint("GET", "/api/v1/trends/tags", nothing, who="anyone"),
)
