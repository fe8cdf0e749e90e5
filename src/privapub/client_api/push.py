"""Where a program is woken when its persona is told something."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from privapub import clock
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.problems import Unauthenticated
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.notifications import push, web_push
from privapub.notifications.push import ALERTS, ALL, Subscription

OF_ADMINS = ("admin.sign_up", "admin.report")  # programs want to see them; nobody is woken by what admins do


class WebPushSubscription(Struct):
    """Entity `WebPushSubscription`."""

    id: str
    endpoint: str
    standard: bool
    alerts: dict[str, bool]
    policy: str
    server_key: str


async def server_key(tx: Transaction) -> str:
    """By which push services know this server; "" where no server has been started on this database yet."""
    private = await push.key(tx)
    return "" if private is None else web_push.public_of(private)


async def subscribe(call: Call) -> WebPushSubscription:
    """`POST /api/v1/push/subscription`: instead of what this token had."""
    asked, data = _mapping(call, "subscription"), _mapping(call, "data")
    keys = asked.mapping("keys")
    given = keys.text("p256dh"), keys.text("auth")
    if not asked.text("endpoint"):
        raise InvalidInput("Endpoint can't be blank")
    web_push.check(*given)
    async with call.server.database.write() as tx:
        made = await push.subscribe(
            tx,
            _token(call),
            call.me,
            asked.text("endpoint"),
            given,
            standard=bool(asked.flag("standard")),
            alerts=_alerts(data),
            policy=data.text("policy") or ALL,
            now=clock.now(),
        )
        return await _shown(tx, made)


async def current(call: Call) -> WebPushSubscription:
    """`GET /api/v1/push/subscription`."""
    async with call.server.database.read() as tx:
        return await _shown(tx, await push.of_token(tx, _token(call)))


async def change(call: Call) -> WebPushSubscription:
    """`PUT /api/v1/push/subscription`: of what it hears, and of whom."""
    data = _mapping(call, "data")
    policy = data.text("policy") or call.text("policy") or None
    async with call.server.database.write() as tx:
        return await _shown(tx, await push.change(tx, _token(call), _alerts(data), policy))


async def unsubscribe(call: Call) -> dict[str, Any]:
    """`DELETE /api/v1/push/subscription`."""
    async with call.server.database.write() as tx:
        await push.unsubscribe(tx, _token(call))
    return {}


class _Part(Call):
    """A mapping that a call gives along."""

    def mapping(self, name: str) -> "_Part":
        """A mapping within it; an empty one where there is none."""
        return _mapping(self, name)


def _mapping(call: Call, name: str) -> _Part:
    given = call.given.get(name)
    return _Part(call.server, call.request, call.token, given if isinstance(given, Mapping) else {})


def _alerts(data: _Part) -> dict[str, bool]:
    alerts = data.mapping("alerts")
    return {name: bool(alerts.flag(name)) for name in ALERTS}


def _token(call: Call) -> int:
    if call.token is None:
        raise Unauthenticated
    return call.token.id


async def _shown(tx: Transaction, of: Subscription) -> WebPushSubscription:
    alerts = {name: name in of.alerts for name in ALERTS} | dict.fromkeys(OF_ADMINS, False)
    return WebPushSubscription(str(of.id), of.endpoint, of.standard, alerts, of.policy, await server_key(tx))


_PUSH = ("push",)
ENDPOINTS = (
    Endpoint("POST", "/api/v1/push/subscription", subscribe, _PUSH),
    Endpoint("GET", "/api/v1/push/subscription", current, _PUSH),
    Endpoint("PUT", "/api/v1/push/subscription", change, _PUSH),
    Endpoint("DELETE", "/api/v1/push/subscription", unsubscribe, _PUSH),
)
