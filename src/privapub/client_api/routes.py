"""Every address of the client API."""

from collections.abc import Mapping
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from privapub.client_api import (
    accounts,
    announcements,
    conversations,
    discovery,
    emojis,
    filters,
    grouped_notifications,
    instance,
    lists,
    markers,
    media,
    notification_policy,
    notifications,
    oauth,
    oembed,
    polls,
    profile,
    push,
    quoting,
    refreshes,
    registration,
    relations,
    reports,
    scheduled_statuses,
    search,
    status_actions,
    statuses,
    streaming,
    tags,
    timelines,
)
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint, route
from privapub.client_api.problems import said
from privapub.federation.served.counted import counted
from privapub.server import Server
from privapub.telemetry.traffic import API

GROUPS: Mapping[str, tuple[Endpoint, ...]] = {
    "oauth": oauth.ENDPOINTS,
    "instance": (*instance.ENDPOINTS, *announcements.ENDPOINTS, *emojis.ENDPOINTS),
    "accounts": (
        *registration.ENDPOINTS,
        *accounts.ENDPOINTS,
        *profile.ENDPOINTS,
        *relations.ENDPOINTS,
        *discovery.ENDPOINTS,
        *reports.ENDPOINTS,
    ),
    "statuses": (
        *statuses.ENDPOINTS,
        *status_actions.ENDPOINTS,
        *scheduled_statuses.ENDPOINTS,
        *refreshes.ENDPOINTS,
        *quoting.ENDPOINTS,
        *polls.ENDPOINTS,
        *oembed.ENDPOINTS,
    ),
    "media": media.ENDPOINTS,
    "timelines": (
        *timelines.ENDPOINTS,
        *conversations.ENDPOINTS,
        *lists.ENDPOINTS,
        *tags.ENDPOINTS,
        *filters.ENDPOINTS,
        *markers.ENDPOINTS,
    ),
    "notifications": (
        *notifications.ENDPOINTS,
        *grouped_notifications.ENDPOINTS,
        *notification_policy.ENDPOINTS,
    ),
    "search": search.ENDPOINTS,
    "push": push.ENDPOINTS,
}
ENDPOINTS: tuple[Endpoint, ...] = tuple(replace(each, group=group) for group, some in GROUPS.items() for each in some)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_UNKNOWN = f"{API}other"


def routes(server: Server) -> list[BaseRoute]:
    """The routes; what else is asked for below `/api`, or by another method, is not here: in the words of the API."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for each in (*ENDPOINTS, *_of_admins()):
        by_path.setdefault(each.path, {})[each.method] = each
    # A path that names one thing stands before the one that names any: `/lookup` before `/{id}`.
    plain = sorted(by_path, key=lambda path: [part.startswith("{") for part in path.split("/")])
    served = counted(_UNKNOWN, nothing)

    async def asked(request: Request) -> Response:
        return await served(server, request)

    return [
        *(route(server, path, by_path[path]) for path in plain),
        *streaming.routes(server),
        *(
            Route(path, asked, methods=METHODS)
            for path in ("/api/{rest:path}", *(path for path in plain if not path.startswith("/api/")))
        ),
    ]


def _of_admins() -> list[Endpoint]:
    """What Mastodon's moderators may do, and nobody does here: no token has the scope."""
    return [
        Endpoint(method, f"/api/{version}/admin/{{rest:path}}", nothing_either, ("admin",), who="app")
        for version in ("v1", "v2")
        for method in METHODS
    ]


async def nothing(_server: Server, _request: Request) -> Response:
    """There is no such address."""
    return said(404, "Not Found")


async def nothing_either(_call: Call) -> Response:
    """There is no such address, whatever a token may."""
    return said(404, "Not Found")
