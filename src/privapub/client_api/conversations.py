"""Conversations: what is written directly, by thread."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from privapub.client_api import show_accounts, show_statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.status import Status
from privapub.database.transaction import Transaction
from privapub.server import Server
from privapub.timelines import conversations
from privapub.timelines.conversations import Conversation as OurConversation


class Conversation(Struct):
    """Entity `Conversation`."""

    id: str
    unread: bool
    accounts: list[Account]
    last_status: Status | None


async def every(call: Call) -> Answer:
    """`GET /api/v1/conversations`."""
    async with call.server.database.read() as tx:
        page = await conversations.of(tx, call.me, call.window())
        return paged(call, await shown(tx, call.server, call.me, page.items), page)


async def read(call: Call) -> Conversation:
    """`POST /api/v1/conversations/{id}/read`."""
    return await _marked(call, unread=False)


async def unread(call: Call) -> Conversation:
    """`POST /api/v1/conversations/{id}/unread`."""
    return await _marked(call, unread=True)


async def remove(call: Call) -> dict[str, Any]:
    """`DELETE /api/v1/conversations/{id}`: for the persona alone."""
    async with call.server.database.write() as tx:
        await conversations.forget(tx, call.me, call.id())
    return {}


async def _marked(call: Call, *, unread: bool) -> Conversation:
    async with call.server.database.write() as tx:
        await conversations.mark(tx, call.me, call.id(), unread=unread)
        return (await shown(tx, call.server, call.me, [await conversations.one(tx, call.me, call.id())]))[0]


async def shown(tx: Transaction, server: Server, me: int, some: Sequence[OurConversation]) -> list[Conversation]:
    """These conversations of a persona, in their order."""
    who = await show_accounts.by_ids(tx, server, {number for each in some for number in each.actor_ids} | {me})
    last = await show_statuses.statuses(tx, server, [each.last for each in some], me)
    return [
        # Who writes to nobody but oneself is who is in it.
        Conversation(
            str(each.id),
            each.unread,
            [who[number] for number in each.actor_ids or (me,) if number in who],
            status,
        )
        for each, status in zip(some, last, strict=True)
    ]


ENDPOINTS = (
    Endpoint("GET", "/api/v1/conversations", every, ("read:statuses",)),
    Endpoint("POST", "/api/v1/conversations/{id}/read", read, ("write:conversations",)),
    Endpoint("POST", "/api/v1/conversations/{id}/unread", unread, ("write:conversations",)),
    Endpoint("DELETE", "/api/v1/conversations/{id}", remove, ("write:conversations",)),
)
