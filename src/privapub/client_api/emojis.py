"""The custom emojis of this server."""

from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.emoji import CustomEmoji, ours
from privapub.emojis import keep


async def every(call: Call) -> list[CustomEmoji]:
    """`GET /api/v1/custom_emojis`."""
    async with call.server.database.read() as tx:
        pictures = await show_accounts.pictures_of(tx, call.server)
        return [ours(each, pictures) for each in await keep.listed(tx)]


ENDPOINTS = (Endpoint("GET", "/api/v1/custom_emojis", every, who="anyone"),)
