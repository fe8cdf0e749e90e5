"""What one does with posts, and who did."""

from collections.abc import Awaitable, Callable, Sequence

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.client_api import show_accounts, show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.status import Status
from privapub.client_api.statuses import seen
from privapub.client_api.writing import audience_of
from privapub.database.page import Page
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.markup.reactions import LIKE
from privapub.posts import audience, bookmarks, boost_read, reaction_read, thread_mutes
from privapub.posts import boost as boosts
from privapub.posts import pin as pins
from privapub.posts import react as reactions
from privapub.posts.read import DIRECT, Post, by_id

Act = Callable[[Transaction, Call, Post, float], Awaitable[object]]
Undo = Callable[[Transaction, Call, int, float], Awaitable[bool]]


def _doing(act: Act) -> Callable[[Call], Awaitable[Status]]:
    """The handler that does this with the post that the path names, and shows how it stands then."""

    async def handler(call: Call) -> Status:
        async with call.server.database.write() as tx:
            found = await seen(tx, call.id(), call.me)
            await act(tx, call, found, clock.now())
        async with call.server.database.read() as tx:
            return await show_statuses.one(tx, call.server, await seen(tx, found.id, call.me), call.me)

    return handler


def _undoing(undo: Undo) -> Callable[[Call], Awaitable[Status]]:
    """The handler that takes back what was done with the post that the path names, and shows how it stands then.

    Of one that has gone out of sight too: of that nothing is shown. Where nothing is to be taken back, it is as if one
    had asked for the post.
    """

    async def handler(call: Call) -> Status:
        async with call.server.database.write() as tx:
            named = await _named(tx, call.id())
            if named is None or not await undo(tx, call, named.id, clock.now()):
                named = await seen(tx, call.id(), call.me)
        async with call.server.database.read() as tx:
            found = await by_id(tx, named.id)
            if found is None or found.deleted_at is not None:
                raise NotFound
            seen_still = await audience.may_see_now(tx, found, call.me)
            show = show_statuses.one if seen_still else show_statuses.empty
            return await show(tx, call.server, found, call.me)

    return handler


async def _named(tx: Transaction, number: int) -> Post | None:
    """The post with this number, or that a boost with this number passes on, whoever may see it."""
    found = await by_id(tx, number)
    if found is None and (boost := await boost_read.by_id(tx, number)) is not None:
        return await by_id(tx, boost.post_id)
    return found


def _fresh(call: Call) -> str:
    return Addresses(call.server.base_url).activity(identifiers.token())


async def _favourite(tx: Transaction, call: Call, of: Post, now: float) -> None:
    await reactions.react(tx, call.me, of.id, LIKE, _fresh(call), now)


async def _unfavourite(tx: Transaction, call: Call, number: int, now: float) -> bool:
    return await reactions.withdraw(tx, call.me, number, LIKE, now)


async def _unreblog(tx: Transaction, call: Call, number: int, now: float) -> bool:
    return await boosts.withdraw(tx, call.me, number, now)


async def _bookmark(tx: Transaction, call: Call, of: Post, now: float) -> None:
    await bookmarks.keep(tx, call.me, of.id, now)


async def _unbookmark(tx: Transaction, call: Call, number: int, _now: float) -> bool:
    return await bookmarks.let_go(tx, call.me, number)


async def _mute(tx: Transaction, call: Call, of: Post, now: float) -> None:
    await thread_mutes.mute(tx, call.me, of.id, now)


async def _unmute(tx: Transaction, call: Call, number: int, _now: float) -> bool:
    return await thread_mutes.unmute(tx, call.me, number)


async def _pin(tx: Transaction, call: Call, of: Post, now: float) -> None:
    if of.author_id != call.me:
        raise InvalidInput("Someone else's post cannot be pinned")
    if of.audience == DIRECT:
        raise InvalidInput("Posts that are only visible to mentioned users cannot be pinned")
    await pins.pin(tx, of.id, call.me, now)


async def _unpin(tx: Transaction, call: Call, of: Post, now: float) -> None:
    if of.author_id == call.me:
        await pins.unpin(tx, of.id, call.me, now)


async def reblog(call: Call) -> Status:
    """`POST /api/v1/statuses/{id}/reblog`: the boost, around the post."""
    wanted = audience_of(call, "") or None
    async with call.server.database.write() as tx:
        found = await seen(tx, call.id(), call.me)
        if not boosts.may_boost(found, call.me) or wanted == DIRECT:
            raise NotAllowed("This action is not allowed")
        number = await boosts.boost(tx, call.me, found.id, _fresh(call), clock.now(), audience=wanted)
    async with call.server.database.read() as tx:
        found = await seen(tx, found.id, call.me)
        return (await show_statuses.boosts(tx, call.server, [(found, number)], call.me))[0]


async def favourited_by(call: Call) -> Answer:
    """`GET /api/v1/statuses/{id}/favourited_by`."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        page = await reaction_read.likers(tx, found.id, call.window(most=80, default=40))
        return await _people(tx, call, page)


async def reblogged_by(call: Call) -> Answer:
    """`GET /api/v1/statuses/{id}/reblogged_by`."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        page = await boost_read.boosters(tx, found.id, call.window(most=80, default=40))
        return await _people(tx, call, page)


async def _people(tx: Transaction, call: Call, page: Page[int]) -> Answer:
    accounts = await show_accounts.by_ids(tx, call.server, page.items)
    return paged(call, [accounts[number] for number in page.items if number in accounts], page)


async def bookmarked(call: Call) -> Answer:
    """`GET /api/v1/bookmarks`."""
    async with call.server.database.read() as tx:
        return await _posts(tx, call, await bookmarks.of(tx, call.me, call.window()))


async def favourites(call: Call) -> Answer:
    """`GET /api/v1/favourites`."""
    async with call.server.database.read() as tx:
        return await _posts(tx, call, await reaction_read.liked(tx, call.me, call.window(), audience.visible(call.me)))


async def _posts(tx: Transaction, call: Call, page: Page[Post]) -> Answer:
    visible: Sequence[Post] = await audience.visible_to(tx, page.items, call.me)
    return paged(call, await show_statuses.statuses(tx, call.server, visible, call.me), page)


_AT = "/api/v1/statuses/{id}"
ENDPOINTS = (
    Endpoint("POST", f"{_AT}/favourite", _doing(_favourite), ("write:favourites",)),
    Endpoint("POST", f"{_AT}/unfavourite", _undoing(_unfavourite), ("write:favourites",)),
    Endpoint("POST", f"{_AT}/reblog", reblog, ("write:statuses",)),
    Endpoint("POST", f"{_AT}/unreblog", _undoing(_unreblog), ("write:statuses",)),
    Endpoint("POST", f"{_AT}/bookmark", _doing(_bookmark), ("write:bookmarks",)),
    Endpoint("POST", f"{_AT}/unbookmark", _undoing(_unbookmark), ("write:bookmarks",)),
    Endpoint("POST", f"{_AT}/mute", _doing(_mute), ("write:mutes",)),
    Endpoint("POST", f"{_AT}/unmute", _undoing(_unmute), ("write:mutes",)),
    Endpoint("POST", f"{_AT}/pin", _doing(_pin), ("write:accounts",)),
    Endpoint("POST", f"{_AT}/unpin", _doing(_unpin), ("write:accounts",)),
    Endpoint("GET", f"{_AT}/favourited_by", favourited_by, ("read:statuses",), who="anyone"),
    Endpoint("GET", f"{_AT}/reblogged_by", reblogged_by, ("read:statuses",), who="anyone"),
    Endpoint("GET", "/api/v1/bookmarks", bookmarked, ("read:bookmarks",)),
    Endpoint("GET", "/api/v1/favourites", favourites, ("read:favourites",)),
)
