"""Lists of people, and who is on them."""

from privapub import clock
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.people_list import PeopleList, people_list
from privapub.database.page import Window
from privapub.errors import NotFound
from privapub.timelines import lists


async def every(call: Call) -> list[PeopleList]:
    """`GET /api/v1/lists`."""
    async with call.server.database.read() as tx:
        return [people_list(each) for each in await lists.of(tx, call.me)]


async def one(call: Call) -> PeopleList:
    """`GET /api/v1/lists/{id}`."""
    async with call.server.database.read() as tx:
        return people_list(await lists.by_id(tx, call.me, call.id()))


async def create(call: Call) -> PeopleList:
    """`POST /api/v1/lists`."""
    replies = call.text("replies_policy") or lists.LIST
    async with call.server.database.write() as tx:
        number = await lists.add(
            tx,
            call.me,
            call.text("title"),
            replies=replies,
            exclusive=call.flag("exclusive") is True,
            now=clock.now(),
        )
        return people_list(await lists.by_id(tx, call.me, number))


async def change(call: Call) -> PeopleList:
    """`PUT /api/v1/lists/{id}`."""
    async with call.server.database.write() as tx:
        changed = await lists.change(
            tx,
            call.me,
            call.id(),
            title=call.text("title") if call.has("title") else None,
            replies=call.text("replies_policy") or None,
            exclusive=call.flag("exclusive"),
        )
    return people_list(changed)


async def remove(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/lists/{id}`."""
    async with call.server.database.write() as tx:
        if not await lists.remove(tx, call.me, call.id()):
            raise NotFound
    return {}


async def members(call: Call) -> Answer:
    """`GET /api/v1/lists/{id}/accounts`: with a `limit` of 0 all of them."""
    window = call.window(80, 40)
    if call.text("limit") == "0":
        window = Window(window.before, window.after, window.just_after, lists.MOST_MEMBERS)
    async with call.server.database.read() as tx:
        page = await lists.members(tx, call.me, call.id(), window)
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def put_on(call: Call) -> dict[str, str]:
    """`POST /api/v1/lists/{id}/accounts`."""
    async with call.server.database.write() as tx:
        await lists.put_on(tx, call.me, call.id(), call.ids("account_ids"))
    return {}


async def take_off(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/lists/{id}/accounts`."""
    async with call.server.database.write() as tx:
        await lists.take_off(tx, call.me, call.id(), call.ids("account_ids"))
    return {}


_READ, _WRITE = ("read:lists",), ("write:lists",)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/lists", every, _READ),
    Endpoint("POST", "/api/v1/lists", create, _WRITE),
    Endpoint("GET", "/api/v1/lists/{id}", one, _READ),
    Endpoint("PUT", "/api/v1/lists/{id}", change, _WRITE),
    Endpoint("DELETE", "/api/v1/lists/{id}", remove, _WRITE),
    Endpoint("GET", "/api/v1/lists/{id}/accounts", members, _READ),
    Endpoint("POST", "/api/v1/lists/{id}/accounts", put_on, _WRITE),
    Endpoint("DELETE", "/api/v1/lists/{id}/accounts", take_off, _WRITE),
)
