"""What becomes of notifications by people whom one does not know: the policy, and the requests that it makes."""

from collections.abc import Sequence
from typing import Any

from privapub import clock
from privapub.client_api import notifications, show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.notification import (
    Merged,
    NotificationPolicy,
    NotificationRequest,
    V1NotificationPolicy,
    policy,
    request,
    v1_policy,
)
from privapub.database.transaction import Transaction
from privapub.notifications import policy as policies
from privapub.notifications import read
from privapub.notifications.notify import MENTION
from privapub.notifications.policy import ACCEPT, FILTER, NAMES, Request

MOST_AT_ONCE = 40
# What the first version of the API calls what is kept apart.
V1_NAMES = {
    "filter_not_following": "for_not_following",
    "filter_not_followers": "for_not_followers",
    "filter_new_accounts": "for_new_accounts",
    "filter_private_mentions": "for_private_mentions",
}


async def get(call: Call) -> NotificationPolicy:
    """`GET /api/v2/notifications/policy`."""
    async with call.server.database.read() as tx:
        return policy(await policies.of(tx, call.me), await policies.summary(tx, call.me))


async def change(call: Call) -> NotificationPolicy:
    """`PATCH /api/v2/notifications/policy`: what is not given stays."""
    changes = {name: call.text(name) for name in NAMES if call.has(name)}
    async with call.server.database.write() as tx:
        return policy(await policies.change(tx, call.me, changes), await policies.summary(tx, call.me))


async def get_v1(call: Call) -> V1NotificationPolicy:
    """`GET /api/v1/notifications/policy`."""
    async with call.server.database.read() as tx:
        return v1_policy(await policies.of(tx, call.me), await policies.summary(tx, call.me))


async def change_v1(call: Call) -> V1NotificationPolicy:
    """`PUT` or `PATCH /api/v1/notifications/policy`. What is dropped stays so where it is to be kept apart."""
    async with call.server.database.write() as tx:
        now = await policies.of(tx, call.me)
        changes = {}
        for name, ours in V1_NAMES.items():
            apart = call.flag(name)
            if apart is not None and apart != (getattr(now, ours) != ACCEPT):
                changes[ours] = FILTER if apart else ACCEPT
        return v1_policy(await policies.change(tx, call.me, changes), await policies.summary(tx, call.me))


async def waiting(call: Call) -> Answer:
    """`GET /api/v1/notifications/requests`: by whom something is kept apart."""
    async with call.server.database.read() as tx:
        page = await policies.waiting(tx, call.me, call.window(most=80, default=40))
        return paged(call, await _shown(tx, call, page.items), page)


async def one(call: Call) -> NotificationRequest:
    """`GET /api/v1/notifications/requests/{id}`."""
    async with call.server.database.read() as tx:
        return (await _shown(tx, call, [await policies.request(tx, call.me, call.id())]))[0]


async def accept(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/requests/{id}/accept`: what they tell is told, from now on too."""
    async with call.server.database.write() as tx:
        await policies.request(tx, call.me, call.id())
        await policies.accept(tx, call.me, [call.id()], clock.now())
    return {}


async def dismiss(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/requests/{id}/dismiss`."""
    async with call.server.database.write() as tx:
        await policies.request(tx, call.me, call.id())
        await policies.dismiss(tx, call.me, [call.id()], clock.now())
    return {}


async def accept_several(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/requests/accept`."""
    async with call.server.database.write() as tx:
        await policies.accept(tx, call.me, _several(call), clock.now())
    return {}


async def dismiss_several(call: Call) -> dict[str, Any]:
    """`POST /api/v1/notifications/requests/dismiss`."""
    async with call.server.database.write() as tx:
        await policies.dismiss(tx, call.me, _several(call), clock.now())
    return {}


async def merged(_call: Call) -> Merged:
    """`GET /api/v1/notifications/requests/merged`: what is accepted stands among the rest at once."""
    return Merged(True)


def _several(call: Call) -> list[int]:
    return call.ids("id")[:MOST_AT_ONCE]


async def _shown(tx: Transaction, call: Call, some: Sequence[Request]) -> list[NotificationRequest]:
    """Each with the last post that names the persona, of those that it may see."""
    who = await show_accounts.by_ids(tx, call.server, {each.actor_id for each in some})
    found = await read.latest(tx, call.me, MENTION, {each.actor_id for each in some}, clock.now())
    last = {each.actor_id: each for each in found}
    statuses = await notifications.statuses_of(tx, call.server, call.me, list(last.values()))
    return [
        request(
            each,
            who[each.actor_id],
            statuses.get(post.id) if each.actor_id in last and (post := last[each.actor_id].post) else None,
        )
        for each in some
        if each.actor_id in who
    ]


_READ, _WRITE = ("read:notifications",), ("write:notifications",)
ENDPOINTS = (
    Endpoint("GET", "/api/v2/notifications/policy", get, _READ),
    Endpoint("PATCH", "/api/v2/notifications/policy", change, _WRITE),
    Endpoint("PUT", "/api/v2/notifications/policy", change, _WRITE),
    Endpoint("GET", "/api/v1/notifications/policy", get_v1, _READ),
    Endpoint("PATCH", "/api/v1/notifications/policy", change_v1, _WRITE),
    Endpoint("PUT", "/api/v1/notifications/policy", change_v1, _WRITE),
    Endpoint("GET", "/api/v1/notifications/requests", waiting, _READ),
    Endpoint("POST", "/api/v1/notifications/requests/accept", accept_several, _WRITE),
    Endpoint("POST", "/api/v1/notifications/requests/dismiss", dismiss_several, _WRITE),
    Endpoint("GET", "/api/v1/notifications/requests/merged", merged, _READ),
    Endpoint("GET", "/api/v1/notifications/requests/{id}", one, _READ),
    Endpoint("POST", "/api/v1/notifications/requests/{id}/accept", accept, _WRITE),
    Endpoint("POST", "/api/v1/notifications/requests/{id}/dismiss", dismiss, _WRITE),
)
