"""Posts for later."""

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.client_api import show_accounts, writing
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.edits import ScheduledStatus
from privapub.client_api.shapes.edits import scheduled as shape
from privapub.client_api.shapes.media import attachment
from privapub.composing import scheduled
from privapub.composing.scheduled import Scheduled
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.media import attach
from privapub.media import read as media


async def shown(tx: Transaction, call: Call, *some: Scheduled) -> list[ScheduledStatus]:
    """Posts for later, with their files."""
    pictures = await show_accounts.pictures_of(tx, call.server)
    addresses = Addresses(call.server.base_url, call.server.media_base_url)
    found = await media.by_ids(tx, {number for each in some for number in each.params.asked.media})
    items = {number: attach.attachment(each, addresses) for number, each in found.items()}
    return [
        shape(each, [attachment(items[one], str(one), pictures) for one in each.params.asked.media if one in items])
        for each in some
    ]


async def every(call: Call) -> Answer:
    """`GET /api/v1/scheduled_statuses`."""
    async with call.server.database.read() as tx:
        page = await scheduled.of(tx, call.me, call.window())
        return paged(call, await shown(tx, call, *page.items), page)


async def one(call: Call) -> ScheduledStatus:
    """`GET /api/v1/scheduled_statuses/{id}`."""
    async with call.server.database.read() as tx:
        return (await shown(tx, call, await scheduled.by_id(tx, call.me, call.id())))[0]


async def put_off(call: Call) -> ScheduledStatus:
    """`PUT /api/v1/scheduled_statuses/{id}`."""
    at = writing.moment_of(call, "scheduled_at")
    if at is None:
        raise InvalidInput("Scheduled at can't be blank")
    async with call.server.database.write() as tx:
        return (await shown(tx, call, await scheduled.put_off(tx, call.me, call.id(), at, clock.now())))[0]


async def cancel(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/scheduled_statuses/{id}`."""
    async with call.server.database.write() as tx:
        await scheduled.cancel(tx, call.me, call.id())
    return {}


_READ, _WRITE = ("read:statuses",), ("write:statuses",)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/scheduled_statuses", every, _READ),
    Endpoint("GET", "/api/v1/scheduled_statuses/{id}", one, _READ),
    Endpoint("PUT", "/api/v1/scheduled_statuses/{id}", put_off, _WRITE),
    Endpoint("DELETE", "/api/v1/scheduled_statuses/{id}", cancel, _WRITE),
)
