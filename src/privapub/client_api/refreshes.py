"""How far what was asked for in the background is: the rest of a thread."""

from msgspec import Struct

from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.statuses import seen
from privapub.errors import NotFound
from privapub.identifiers import number_in
from privapub.posts import threads

_CONTEXT = "context-"


class AsyncRefresh(Struct):
    """Entity `AsyncRefresh`."""

    id: str
    status: str
    result_count: int | None


class AsyncRefreshResponse(Struct):
    """As it is wrapped."""

    async_refresh: AsyncRefresh


async def one(call: Call) -> AsyncRefreshResponse:
    """`GET /api/v1_alpha/async_refreshes/{id}`, of the header of a context."""
    which = str(call.request.path_params["id"])
    number = number_in(which.removeprefix(_CONTEXT)) if which.startswith(_CONTEXT) else None
    if number is None:
        raise NotFound
    async with call.server.database.read() as tx:
        found = await seen(tx, number, call.reader)
        reading = await threads.reading(tx, await threads.root_of(tx, found))
    if reading is None:
        raise NotFound
    return AsyncRefreshResponse(AsyncRefresh(which, "finished" if reading.over else "running", reading.found))


ENDPOINTS = (Endpoint("GET", "/api/v1_alpha/async_refreshes/{id}", one, ("read",)),)
