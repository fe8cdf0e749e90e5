"""An actor's document."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors import read
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.documents.write_actor import person
from privapub.federation.served.answer import document
from privapub.federation.served.asking import part
from privapub.server import Server

NOBODY = "There is nobody here by that name."


async def actor(server: Server, request: Request) -> Response:
    """The document of a persona, or of the actor that signs our fetches."""
    addresses = Addresses(server.base_url)
    async with server.database.read() as tx:
        found = await ours(tx, addresses, part(request, "token"))
        keys = await read.keys_of(tx, found.id)
    return document(request, person(found, keys, addresses))


async def ours(tx: Transaction, addresses: Addresses, token: str) -> Actor:
    """The local actor behind the last part of its id; raises NotFound."""
    found = await read.by_uri(tx, addresses.actor(token))
    if found is None or not found.local or found.is_gone:
        raise NotFound(NOBODY)
    return found
