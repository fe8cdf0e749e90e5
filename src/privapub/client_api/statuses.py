"""Posts: writing them, reading them, and what one can do with them."""

from privapub.client_api import show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.status import Status
from privapub.composing.compose import write_post
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.posts import audience
from privapub.posts.read import Post, by_id

AUDIENCES = {"public": "public", "unlisted": "unlisted", "private": "followers", "direct": "direct"}


async def seen(tx: Transaction, post_id: int, reader: int | None) -> Post:
    """The post with this number, if this reader may see it; else NotFound, as if there were none."""
    found = await by_id(tx, post_id)
    if found is None or not await audience.may_see_now(tx, found, reader):
        raise NotFound
    return found


async def one(call: Call) -> Status:
    """`GET /api/v1/statuses/{id}`."""
    async with call.server.database.read() as tx:
        return await show_statuses.one(tx, call.server, await seen(tx, call.id(), call.reader), call.reader)


async def create(call: Call) -> Status:
    """`POST /api/v1/statuses`."""
    word = call.text("visibility", "public")
    if word not in AUDIENCES:
        raise InvalidInput("Visibility is not included in the list")
    made = await write_post(
        call.server,
        call.me,
        call.text("status"),
        AUDIENCES[word],
        summary=call.text("spoiler_text"),
        language=call.text("language") or None,
        media=call.ids("media_ids"),
    )
    async with call.server.database.read() as tx:
        return await show_statuses.one(tx, call.server, made, call.me)


ENDPOINTS = (
    Endpoint("POST", "/api/v1/statuses", create, ("write:statuses",)),
    Endpoint("GET", "/api/v1/statuses/{id}", one, ("read:statuses",), who="anyone"),
)
