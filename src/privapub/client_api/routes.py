"""Every address of the client API."""

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
from privapub.client_api.endpoint import Endpoint, route
from privapub.client_api.problems import said
from privapub.federation.served.counted import counted
from privapub.server import Server
from privapub.telemetry.traffic import API

# A path that names one thing stands before the one that names any: `/lookup` before `/{id}`.
ENDPOINTS: tuple[Endpoint, ...] = (
    *oauth.ENDPOINTS,
    *instance.ENDPOINTS,
    *announcements.ENDPOINTS,
    *registration.ENDPOINTS,
    *accounts.ENDPOINTS,
    *profile.ENDPOINTS,
    *relations.ENDPOINTS,
    *lists.ENDPOINTS,
    *tags.ENDPOINTS,
    *discovery.ENDPOINTS,
    *statuses.ENDPOINTS,
    *status_actions.ENDPOINTS,
    *scheduled_statuses.ENDPOINTS,
    *refreshes.ENDPOINTS,
    *quoting.ENDPOINTS,
    *polls.ENDPOINTS,
    *oembed.ENDPOINTS,
    *media.ENDPOINTS,
    *emojis.ENDPOINTS,
    *timelines.ENDPOINTS,
    *notifications.ENDPOINTS,
    *markers.ENDPOINTS,
    *filters.ENDPOINTS,
    *conversations.ENDPOINTS,
    *reports.ENDPOINTS,
    *search.ENDPOINTS,
    *grouped_notifications.ENDPOINTS,
    *notification_policy.ENDPOINTS,
    *push.ENDPOINTS,
)


def routes(server: Server) -> list[BaseRoute]:
    """The routes; what else is asked for below `/api` is not here, in the words of the API."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for each in ENDPOINTS:
        by_path.setdefault(each.path, {})[each.method] = each
    plain = sorted(by_path, key=lambda path: [part.startswith("{") for part in path.split("/")])
    found = [route(server, path, by_path[path]) for path in plain]
    served = counted(API, nothing)

    async def asked(request: Request) -> Response:
        return await served(server, request)

    return [
        *found,
        *streaming.routes(server),
        Route("/api/{rest:path}", asked, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
    ]


async def nothing(_server: Server, _request: Request) -> Response:
    """There is no such address."""
    return said(404, "Not Found")
