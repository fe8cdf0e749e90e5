"""Notifications: one by one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from privapub import clock, identifiers
from privapub.client_api import show_accounts, show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes import filter as filter_shapes
from privapub.client_api.shapes.notification import TYPES, Count, Notification, kinds_of, notification
from privapub.client_api.shapes.status import Status
from privapub.database.page import Page, Window
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.notifications import markers, read
from privapub.notifications.read import Notification as OurNotification
from privapub.server import Server

MOST_UNREAD, UNREAD = 1000, 100
CHOOSE = ("types", "exclude_types", "account_id", "include_filtered")  # parameters that say which are asked for


@dataclass(frozen=True)
class Chosen:
    """Which notifications are asked for."""

    kinds: Collection[str]
    by: int | None
    filtered: bool


def chosen(call: Call) -> Chosen:
    """Which notifications are asked for. What the API has no word for is not among them."""
    types = call.texts("types") if call.has("types") else TYPES.values()
    without = call.texts("exclude_types")
    by = (identifiers.number_in(call.text("account_id")) or 0) if call.has("account_id") else None
    return Chosen(kinds_of([name for name in types if name not in without]), by, bool(call.flag("include_filtered")))


async def page_of(tx: Transaction, me: int, which: Chosen, window: Window) -> Page[OurNotification]:
    """A part of them."""
    return await read.of(tx, me, window, clock.now(), kinds=which.kinds, by=which.by, filtered=which.filtered)


async def statuses_of(tx: Transaction, server: Server, me: int, some: Sequence[OurNotification]) -> dict[int, Status]:
    """The posts that these are about, by number; `read` has asked whether they may be seen."""
    about = {each.post.id: each for each in some if each.post is not None}
    posts = [each.post for each in about.values() if each.post is not None]
    made = await show_statuses.statuses(tx, server, posts, me) if posts else []
    for status, post in zip(made, posts, strict=True):
        status.filtered = [filter_shapes.result(match, post.id) for match in about[post.id].matches]
    return {post.id: status for status, post in zip(made, posts, strict=True)}


async def shown(tx: Transaction, server: Server, me: int, some: Sequence[OurNotification]) -> list[Notification]:
    """These notifications, in their order."""
    accounts = await show_accounts.by_ids(tx, server, {each.actor_id for each in some})
    statuses = await statuses_of(tx, server, me, some)
    return [
        notification(each, accounts[each.actor_id], None if each.post is None else statuses[each.post.id])
        for each in some
    ]


async def every(call: Call) -> Answer:
    """`GET /api/v1/notifications`."""
    async with call.server.database.read() as tx:
        page = await page_of(tx, call.me, chosen(call), call.window(most=80, default=40))
        return paged(call, await shown(tx, call.server, call.me, page.items), page, *CHOOSE)


async def one(call: Call) -> Notification:
    """`GET /api/v1/notifications/{id}`."""
    async with call.server.database.read() as tx:
        found = await read.by_id(tx, call.me, call.id(), clock.now())
        if found is None or found.kind not in TYPES:
            raise NotFound
        return (await shown(tx, call.server, call.me, [found]))[0]


async def unread(call: Call) -> Count:
    """`GET /api/v1/notifications/unread_count`: those after the marker, counted up to a limit."""
    limit = call.number("limit", UNREAD, 1, MOST_UNREAD)
    async with call.server.database.read() as tx:
        after = await markers.last_read(tx, call.me, markers.NOTIFICATIONS)
        page = await page_of(tx, call.me, chosen(call), Window(after=after, limit=limit))
    return Count(len(page.items))


async def clear(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/clear`."""
    async with call.server.database.write() as tx:
        await read.dismiss(tx, call.me, clock.now())
    return {}


async def dismiss(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/{id}/dismiss`."""
    async with call.server.database.write() as tx:
        if not await read.dismiss(tx, call.me, clock.now(), call.id()):
            raise NotFound
    return {}


_READ, _WRITE = ("read:notifications",), ("write:notifications",)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/notifications", every, _READ),
    Endpoint("POST", "/api/v1/notifications/clear", clear, _WRITE),
    Endpoint("GET", "/api/v1/notifications/unread_count", unread, _READ),
    Endpoint("GET", "/api/v1/notifications/{id}", one, _READ),
    Endpoint("POST", "/api/v1/notifications/{id}/dismiss", dismiss, _WRITE),
)
