"""Accounts: the persona's own, and everybody else's."""

from collections.abc import Sequence

from privapub import clock
from privapub.actors import featured_tags as tags
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.client_api import show_accounts, show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.account import Account, credentials
from privapub.client_api.shapes.people_list import PeopleList, people_list
from privapub.client_api.shapes.status import Status
from privapub.client_api.shapes.tag import FeaturedTag, Used, featured
from privapub.composing.find import find
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound, Unavailable
from privapub.follows import read as follows
from privapub.follows import search as people
from privapub.follows.read import PENDING, followers_of
from privapub.markup.hashtags import tag_key
from privapub.personas import read as personas
from privapub.posts import tag_read
from privapub.timelines import lists, profile

MOST_AT_ONCE = 100
MOST_SKIPPED = 10_000


async def verify_credentials(call: Call) -> Account:
    """`GET /api/v1/accounts/verify_credentials`: who one is."""
    async with call.server.database.read() as tx:
        return await own(tx, call)


async def own(tx: Transaction, call: Call) -> Account:
    """The persona's account, as it sees it itself."""
    me = await personas.known(tx, call.me)
    shown = await show_accounts.one(tx, call.server, me.id)
    waiting = await followers_of(tx, me.id, state=PENDING, limit=100)
    return credentials(shown, me, len(waiting))


async def one(call: Call) -> Account:
    """`GET /api/v1/accounts/{id}`."""
    async with call.server.database.read() as tx:
        return await show_accounts.one(tx, call.server, call.id())


async def several(call: Call) -> list[Account]:
    """`GET /api/v1/accounts`: those that there are, in the order in which they are asked for."""
    asked = list(dict.fromkeys(call.ids("id")))[:MOST_AT_ONCE]
    async with call.server.database.read() as tx:
        found = await show_accounts.by_ids(tx, call.server, asked)
    return [found[each] for each in asked if each in found]


async def lookup(call: Call) -> Account:
    """`GET /api/v1/accounts/lookup`: somebody who is known, by address; nobody is asked."""
    handle, _, host = call.text("acct").strip().removeprefix("@").partition("@")
    async with call.server.database.read() as tx:
        found = await people.by_address(tx, handle, host.lower() or call.server.domain)
        if found is None:
            raise NotFound
        return await show_accounts.one(tx, call.server, found.id)


async def search(call: Call) -> list[Account]:
    """`GET /api/v1/accounts/search`."""
    found = await looked_for(
        call, call.text("q"), resolve=call.flag("resolve") is True, following=call.flag("following") is True
    )
    async with call.server.database.read() as tx:
        return await show_accounts.in_order(tx, call.server, found)


async def looked_for(call: Call, text: str, *, resolve: bool, following: bool) -> Sequence[Actor]:
    """People by what they are called or by their address; with `resolve`, who is not known is asked for elsewhere."""
    limit, offset = call.number("limit", 40, 1, 80), call.number("offset", 0, 0, MOST_SKIPPED)
    async with call.server.database.read() as tx:
        known = await people.named(tx, call.me, text, following=following, limit=limit, offset=offset)
    name, _, host = text.strip().removeprefix("@").lower().partition("@")
    is_known = any((each.handle.lower(), each.host) == (name, host) for each in known)
    if not resolve or following or offset or is_known or not (host or text.strip().startswith("https://")):
        return known
    try:
        found = await find(call.server, text.strip())
    except (NotFound, InvalidInput, NotAllowed, Unavailable):
        return known
    if not isinstance(found, Actor) or found.id in {each.id for each in known}:
        return known
    return [found, *known][:limit]


async def statuses(call: Call) -> Answer | list[Status]:
    """`GET /api/v1/accounts/{id}/statuses`."""
    async with call.server.database.read() as tx:
        author = await actors.known(tx, call.id())
        if call.flag("pinned"):
            posts = await profile.pinned(tx, author.id, call.reader)
            return await show_statuses.statuses(tx, call.server, posts, call.reader)
        page = await profile.of_author(
            tx,
            author.id,
            call.reader,
            call.window(),
            clock.now(),
            media=call.flag("only_media") is True,
            replies=call.flag("exclude_replies") is not True,
            boosts=call.flag("exclude_reblogs") is not True,
            tag=tag_key(call.text("tagged").removeprefix("#")),
        )
        some = [(each.post, each.boost_id) for each in page.items]
        shown = await show_statuses.boosts(tx, call.server, some, call.reader)
        return paged(call, shown, page, "only_media", "exclude_replies", "exclude_reblogs", "tagged")


async def followers(call: Call) -> Answer:
    """`GET /api/v1/accounts/{id}/followers`."""
    return await _people(call, followers=True)


async def following(call: Call) -> Answer:
    """`GET /api/v1/accounts/{id}/following`."""
    return await _people(call, followers=False)


async def _people(call: Call, *, followers: bool) -> Answer:
    async with call.server.database.read() as tx:
        of = await actors.known(tx, call.id())
        persona = await personas.by_id(tx, of.id) if of.local else None
        hides = persona is not None and not persona.shows_follows
        page = await follows.shown_page(
            tx, of.id, call.window(80, 40), followers=followers, reader_id=call.reader, hides=hides
        )
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def endorsements(call: Call) -> Answer:
    """`GET /api/v1/accounts/{id}/endorsements`: whom somebody names in their profile."""
    async with call.server.database.read() as tx:
        of = await actors.known(tx, call.id())
        page = await follows.endorsed(tx, of.id, call.window(80, 40))
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def featured_tags(call: Call) -> list[FeaturedTag]:
    """`GET /api/v1/accounts/{id}/featured_tags`."""
    async with call.server.database.read() as tx:
        return await shown_tags(tx, call, await actors.known(tx, call.id()))


async def shown_tags(tx: Transaction, call: Call, of: Actor) -> list[FeaturedTag]:
    """The hashtags that somebody shows in their profile."""
    found = await tags.of_actor(tx, of.id)
    used = await tag_read.used(tx, of.id, [each.tag for each in found])
    counted = {key: Used(times, clock.iso_day(last)) for key, (times, last) in used.items()}
    handle = of.handle if of.local else ""
    return [featured(each.name, call.server.base_url, handle, counted.get(each.tag, Used())) for each in found]


async def on_lists(call: Call) -> list[PeopleList]:
    """`GET /api/v1/accounts/{id}/lists`: those of the persona's lists that somebody is on."""
    async with call.server.database.read() as tx:
        other = await actors.known(tx, call.id())
        return [people_list(each) for each in await lists.of(tx, call.me, holding=other.id)]


ENDPOINTS = (
    Endpoint("GET", "/api/v1/accounts/verify_credentials", verify_credentials, ("profile", "read:accounts")),
    Endpoint("GET", "/api/v1/accounts/lookup", lookup, ("read:accounts",), who="anyone"),
    Endpoint("GET", "/api/v1/accounts/search", search, ("read:accounts",)),
    Endpoint("GET", "/api/v1/accounts", several, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}", one, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/statuses", statuses, ("read:statuses",), who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/followers", followers, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/following", following, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/endorsements", endorsements, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/featured_tags", featured_tags, who="anyone"),
    Endpoint("GET", "/api/v1/accounts/{id}/lists", on_lists, ("read:lists",)),
)
