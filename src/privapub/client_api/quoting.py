"""Quotes: who quotes a post, who may, and taking a yes back."""

from privapub import clock
from privapub.client_api import show_statuses, writing
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.status import Status
from privapub.client_api.statuses import own, seen
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.posts import audience, quotes, stamps


async def every(call: Call) -> Answer:
    """`GET /api/v1/statuses/{id}/quotes`: what quotes it with its author's yes, as far as the reader may see it."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        page = await quotes.of(tx, found, call.window(), audience.seen_by(call.reader))
        visible = await audience.visible_to(tx, page.items, call.reader)
        return paged(call, await show_statuses.statuses(tx, call.server, visible, call.reader), page)


async def revoke(call: Call) -> Status:
    """`POST /api/v1/statuses/{id}/quotes/{quoting_status_id}/revoke`: the quoting post, which shows it no more."""
    async with call.server.database.write() as tx:
        found = await seen(tx, call.id(), call.me)
        quoting = await seen(tx, call.id("quoting_status_id"), call.me)
        if found.author_id != call.me:
            raise NotAllowed("This action is not allowed")
        if quoting.quote != found.uri:
            raise NotFound
        if quoting.author_id != call.me:
            await stamps.revoke(tx, found.id, call.me, quoting.uri, clock.now())
    async with call.server.database.read() as tx:
        return await show_statuses.one(tx, call.server, await seen(tx, quoting.id, call.me), call.me)


async def policy(call: Call) -> Status:
    """`PUT /api/v1/statuses/{id}/interaction_policy`."""
    wanted = writing.policy_of(call, "")
    if not wanted:
        raise InvalidInput("Quote approval policy is not included in the list")
    async with call.server.database.write() as tx:
        found = await own(tx, call)
        await quotes.set_policy(tx, found.id, call.me, wanted, clock.now())
    async with call.server.database.read() as tx:
        return await show_statuses.one(tx, call.server, await own(tx, call), call.me)


ENDPOINTS = (
    Endpoint("GET", "/api/v1/statuses/{id}/quotes", every, ("read:statuses",)),
    Endpoint("POST", "/api/v1/statuses/{id}/quotes/{quoting_status_id}/revoke", revoke, ("write:statuses",)),
    Endpoint("PUT", "/api/v1/statuses/{id}/interaction_policy", policy, ("write:statuses",)),
)
