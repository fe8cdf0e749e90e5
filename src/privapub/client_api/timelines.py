"""Timelines."""

from privapub import clock
from privapub.client_api import show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.database.page import Page
from privapub.database.transaction import Transaction
from privapub.timelines import home as timeline
from privapub.timelines.entry import Entry


async def home(call: Call) -> Answer:
    """`GET /api/v1/timelines/home`."""
    async with call.server.database.read() as tx:
        page = await timeline.home(tx, call.me, call.window(), clock.now())
        return await shown(tx, call, page)


async def shown(tx: Transaction, call: Call, page: Page[Entry], *also: str) -> Answer:
    """A part of a timeline, as the answer to who reads it."""
    some = [(each.post, each.boost_id) for each in page.items]
    return paged(call, await show_statuses.boosts(tx, call.server, some, call.reader), page, *also)


ENDPOINTS = (Endpoint("GET", "/api/v1/timelines/home", home, ("read:statuses",)),)
