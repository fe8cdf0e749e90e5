"""Search: people, hashtags, and posts."""

from collections.abc import Sequence

from msgspec import Struct

from privapub import clock, identifiers
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.client_api import show_accounts, show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.status import Status
from privapub.client_api.shapes.tag import Tag
from privapub.client_api.tags import shown as shown_tags
from privapub.composing.find import find
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound, Unavailable
from privapub.follows import search as people
from privapub.posts import audience
from privapub.posts import read as posts
from privapub.posts import search as found
from privapub.posts.read import Post

ACCOUNTS, HASHTAGS, STATUSES = "accounts", "hashtags", "statuses"
EVERY = (ACCOUNTS, HASHTAGS, STATUSES)
MOST_SKIPPED = 10_000


class Search(Struct):
    """Entity `Search`."""

    accounts: list[Account]
    statuses: list[Status]
    hashtags: list[Tag]


async def search(call: Call) -> Search | Answer:
    """`GET /api/v2/search`: of one `type`, or of each a page. What is an address is looked up as such."""
    query = call.text("q").strip()
    if not query:
        return Answer({"error": "param is missing or the value is empty or invalid: q"}, 400)
    kind = call.text("type")
    wanted = (kind,) if kind else EVERY
    at = await _at_address(call, query)
    async with call.server.database.read() as tx:
        if query.startswith(("https://", "http://")):
            who = [at] if isinstance(at, Actor) and ACCOUNTS in wanted else []
            some = [at] if isinstance(at, Post) and STATUSES in wanted else []
            return await _shown(tx, call, who, some, [])
        limit = call.number("limit", 20, 1, 40)
        # Where one asks for everything there is no telling which list goes on.
        offset = call.number("offset", 0, 0, MOST_SKIPPED) if kind else 0
        who = await _people(tx, call, query, at, limit, offset) if ACCOUNTS in wanted else []
        tags = await found.tags(tx, query, limit=limit, offset=offset) if HASHTAGS in wanted else []
        some = await _posts(tx, call, query, limit, offset) if STATUSES in wanted else []
        return await _shown(tx, call, who, some, tags)


async def _at_address(call: Call, query: str) -> Actor | Post | None:
    """Who or what is at an address, which with `resolve` is asked for elsewhere; a post only if it may be seen."""
    is_url = query.startswith(("https://", "http://"))
    name, _, host = query.removeprefix("@").partition("@")
    if not is_url and not (name and "." in host and " " not in query):
        return None
    async with call.server.database.read() as tx:
        known: Actor | Post | None
        if is_url:
            known = await posts.by_uri(tx, query) or await actors.by_uri(tx, query)
        else:
            known = await people.by_address(tx, name, host.lower())
    ours = is_url and Addresses(call.server.base_url).is_ours(query)
    if known is None and (ours or call.flag("resolve")):  # of ours nobody is asked
        try:
            known = await find(call.server, query)
        except (NotFound, InvalidInput, NotAllowed, Unavailable):
            return None
    if isinstance(known, Post):
        async with call.server.database.read() as tx:
            return known if await audience.may_see_now(tx, known, call.me) else None
    return known


async def _people(
    tx: Transaction, call: Call, query: str, at: Actor | Post | None, limit: int, offset: int
) -> list[Actor]:
    following = call.flag("following") is True
    some = await people.named(tx, call.me, query, following=following, limit=limit, offset=offset)
    if isinstance(at, Actor) and not following and not offset and at.id not in {each.id for each in some}:
        return [at, *some][:limit]
    return list(some)


async def _posts(tx: Transaction, call: Call, query: str, limit: int, offset: int) -> list[Post]:
    number = identifiers.number_in
    return await found.posts(
        tx,
        call.me,
        query,
        clock.now(),
        author_id=(number(call.text("account_id")) or 0) if call.has("account_id") else None,
        before=number(call.text("max_id")),
        after=number(call.text("min_id")),
        limit=limit,
        offset=offset,
    )


async def _shown(
    tx: Transaction, call: Call, who: Sequence[Actor], some: Sequence[Post], tags: Sequence[str]
) -> Search:
    return Search(
        await show_accounts.in_order(tx, call.server, who),
        await show_statuses.statuses(tx, call.server, some, call.me),
        await shown_tags(tx, call, tags),
    )


ENDPOINTS = (Endpoint("GET", "/api/v2/search", search, ("read:search",)),)
