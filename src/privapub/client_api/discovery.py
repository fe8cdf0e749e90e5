"""The directory of those who ask to be found. Nobody is suggested to anybody: nothing is worked out about people."""

from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.account import Account
from privapub.posts.directory import directory

MOST_SKIPPED = 1000


async def listed(call: Call) -> list[Account]:
    """`GET /api/v1/directory`."""
    async with call.server.database.read() as tx:
        some = await directory(
            tx,
            call.reader,
            local=call.flag("local") is True,
            by_age=call.text("order") == "new",
            limit=call.number("limit", 40, 1, 80),
            offset=call.number("offset", 0, 0, MOST_SKIPPED),
        )
        return await show_accounts.in_order(tx, call.server, some)


async def suggestions(_call: Call) -> list[Account]:
    """`GET /api/v1/suggestions` and `/api/v2/suggestions`: none."""
    return []


async def forget(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/suggestions/{account_id}`: there is none to take away."""
    call.id("account_id")
    return {}


ENDPOINTS = (
    Endpoint("GET", "/api/v1/directory", listed, who="anyone"),
    Endpoint("GET", "/api/v1/suggestions", suggestions, ("read",)),
    Endpoint("GET", "/api/v2/suggestions", suggestions, ("read",)),
    Endpoint("DELETE", "/api/v1/suggestions/{account_id}", forget, ("read",)),
)
