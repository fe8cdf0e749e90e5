"""Notifications in groups: what several did within half a day is told as one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from privapub import clock
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.notifications import CHOOSE, MOST_UNREAD, UNREAD, Chosen, chosen, page_of, statuses_of
from privapub.client_api.paging import paged
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.notification import (
    GROUPED,
    TYPES,
    Count,
    Grouped,
    NotificationGroup,
    group_key,
    group_of,
    partial,
    read_key,
)
from privapub.database.page import Page, Window
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.notifications import markers, read
from privapub.notifications.groups import Counted, Group
from privapub.notifications.read import Notification

ROUNDS = 5  # of reading: where one group is very large, a page has fewer groups
PARTIAL = "partial_avatars"


@dataclass
class Gathered:
    """A group, and what of it is on the page: the newest first."""

    group: Group | None
    items: list[Notification] = field(default_factory=list)


async def every(call: Call) -> Answer:
    """`GET /api/v2/notifications`."""
    types = call.texts("grouped_types") if call.has("grouped_types") else list(GROUPED)
    async with call.server.database.read() as tx:
        found, page = await _gather(tx, call.me, chosen(call), types, call.window(most=80, default=40))
        shown = await _shown(tx, call, found)
    return Answer(shown, headers=paged(call, (), page, *CHOOSE, "grouped_types", "expand_accounts").headers)


async def one(call: Call) -> Grouped:
    """`GET /api/v2/notifications/{group_key}`."""
    async with call.server.database.read() as tx:
        return await _shown(tx, call, [await _by_key(tx, call)])


async def accounts(call: Call) -> Answer:
    """`GET /api/v2/notifications/{group_key}/accounts`: who did it, the last first."""
    async with call.server.database.read() as tx:
        found = await _by_key(tx, call)
        page = Page((found.items[0],))
        if found.group is not None:
            page = await read.of(tx, call.me, call.window(most=80, default=40), clock.now(), group=found.group)
        who = await show_accounts.by_ids(tx, call.server, {each.actor_id for each in page.items})
        listed = dict.fromkeys(each.actor_id for each in page.items)
        return paged(call, [who[number] for number in listed if number in who], page)


async def dismiss(call: Call) -> dict[str, Any]:
    """`POST /api/v2/notifications/{group_key}/dismiss`."""
    key = read_key(call.request.path_params["group_key"])
    if key is None:
        raise NotFound
    async with call.server.database.write() as tx:
        if isinstance(key, Group):
            await read.dismiss(tx, call.me, clock.now(), group=key)
        else:
            await read.dismiss(tx, call.me, clock.now(), key)
    return {}


async def unread(call: Call) -> Count:
    """`GET /api/v2/notifications/unread_count`: groups that have something after the marker."""
    types = call.texts("grouped_types") if call.has("grouped_types") else list(GROUPED)
    limit = call.number("limit", UNREAD, 1, MOST_UNREAD)
    async with call.server.database.read() as tx:
        after = await markers.last_read(tx, call.me, markers.NOTIFICATIONS)
        found, _ = await _gather(tx, call.me, chosen(call), types, Window(after=after, limit=limit))
    return Count(len(found))


async def _gather(
    tx: Transaction, me: int, which: Chosen, types: Collection[str], window: Window
) -> tuple[list[Gathered], Page[Notification]]:
    """As many groups as are wanted, of what there is in this direction; each stands where its newest is."""
    found: dict[Group | int, Gathered] = {}
    taken: list[Notification] = []
    part, more = window, False
    for _ in range(ROUNDS):
        page = await page_of(tx, me, which, part)
        upwards = window.just_after is not None
        items = tuple(reversed(page.items)) if upwards else page.items
        for item in items:
            group = group_of(item, types)
            key: Group | int = item.id if group is None else group
            if key not in found and len(found) == window.limit:
                break
            found.setdefault(key, Gathered(group)).items.append(item)
            taken.append(item)
        further = page.newer if upwards else page.older
        stopped = len(items) > 0 and taken[-1] is not items[-1]
        more = stopped or further is not None
        if stopped or further is None or not items or (upwards and len(items) < part.limit):
            break
        part = window.beyond(further, window.limit)
    listed = list(found.values())
    for each in listed:
        each.items.sort(key=lambda item: -item.id)
    listed.sort(key=lambda each: -each.items[0].id)
    if not taken:
        return [], Page()
    numbers = [item.id for item in taken]
    return listed, Page(tuple(taken), min(numbers) if more or window.just_after is not None else None, max(numbers))


async def _by_key(tx: Transaction, call: Call) -> Gathered:
    key = read_key(call.request.path_params["group_key"])
    if isinstance(key, Group):
        page = await read.of(tx, call.me, Window(limit=1), clock.now(), group=key)
        if page.items:
            return Gathered(key, list(page.items))
    elif key is not None:
        found = await read.by_id(tx, call.me, key, clock.now())
        if found is not None and found.kind in TYPES:
            return Gathered(None, [found])
    raise NotFound


async def _shown(tx: Transaction, call: Call, some: Sequence[Gathered]) -> Grouped:
    groups = {each.group for each in some if each.group is not None}
    counted = await read.counted(tx, call.me, groups, clock.now())
    alone = {id(each): Counted(1, each.items[0].id, (each.items[0].actor_id,)) for each in some}
    sums = {id(each): counted.get(each.group, alone[id(each)]) if each.group else alone[id(each)] for each in some}
    who = await show_accounts.by_ids(tx, call.server, {number for each in sums.values() for number in each.actor_ids})
    statuses = await statuses_of(tx, call.server, call.me, [each.items[0] for each in some])
    found = [_group(each, sums[id(each)]) for each in some]
    if call.text("expand_accounts") != PARTIAL:
        return Grouped(list(who.values()), list(statuses.values()), found)
    whole = {int(each.sample_account_ids[0]) for each in found}
    rest: list[Account] = [account for number, account in who.items() if number not in whole]
    full = [account for number, account in who.items() if number in whole]
    return Grouped(full, list(statuses.values()), found, [partial(account) for account in rest])


def _group(of: Gathered, counted: Counted) -> NotificationGroup:
    newest, oldest = of.items[0], of.items[-1]
    made = NotificationGroup(
        group_key=group_key(newest, of.group),
        notifications_count=counted.count,
        type=TYPES[newest.kind],
        most_recent_notification_id=counted.newest,
        page_min_id=str(oldest.id),
        page_max_id=str(newest.id),
        latest_page_notification_at=clock.iso(newest.created_at),
        sample_account_ids=[str(number) for number in counted.actor_ids],
    )
    if newest.post is not None:
        made.status_id = str(newest.post.id)
    return made


_READ, _WRITE = ("read:notifications",), ("write:notifications",)
ENDPOINTS = (
    Endpoint("GET", "/api/v2/notifications", every, _READ),
    Endpoint("GET", "/api/v2/notifications/unread_count", unread, _READ),
    Endpoint("GET", "/api/v2/notifications/{group_key}", one, _READ),
    Endpoint("GET", "/api/v2/notifications/{group_key}/accounts", accounts, _WRITE),
    Endpoint("POST", "/api/v2/notifications/{group_key}/dismiss", dismiss, _WRITE),
)
