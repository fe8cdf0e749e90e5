"""Accounts: the persona's own, and everybody else's."""

from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.account import Account, credentials
from privapub.follows.read import PENDING, followers_of
from privapub.personas import read as personas


async def verify_credentials(call: Call) -> Account:
    """`GET /api/v1/accounts/verify_credentials`: who one is."""
    async with call.server.database.read() as tx:
        me = await personas.known(tx, call.me)
        shown = await show_accounts.one(tx, call.server, me.id)
        waiting = await followers_of(tx, me.id, state=PENDING, limit=100)
    return credentials(shown, me, me.actor.fields, len(waiting))


async def one(call: Call) -> Account:
    """`GET /api/v1/accounts/{id}`."""
    async with call.server.database.read() as tx:
        return await show_accounts.one(tx, call.server, call.id())


ENDPOINTS = (
    Endpoint("GET", "/api/v1/accounts/verify_credentials", verify_credentials, ("profile", "read:accounts")),
    Endpoint("GET", "/api/v1/accounts/{id}", one, who="anyone"),
)
