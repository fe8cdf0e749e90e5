"""The followers of a persona who are at one server, for that server alone (FEP-8fcf).

That there is such a collection is no secret. Who is in it is told to nobody but an actor of the very host that the
address names, by a signature: an answer to anybody else would tell who follows whom.
"""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors.addresses import Addresses, followers_at
from privapub.federation.delivery.synchronization import followers_there
from privapub.federation.documents import context
from privapub.federation.fetching.origin import origin
from privapub.federation.served.actor import ours
from privapub.federation.served.answer import document, refused
from privapub.federation.served.asking import part, viewer
from privapub.server import Server


async def followers_of_host(server: Server, request: Request) -> Response:
    """Those of the asker's host: 401 for who does not sign, 403 for another host."""
    host = part(request, "host")
    async with server.database.read() as tx:
        owner = await ours(tx, Addresses(server.base_url), part(request, "token"))
    asker = await viewer(server, request)
    if asker is None:
        return refused(401, "Who asks for this signs the request.")
    if origin(asker.uri) != host:
        return refused(403, "This is for another server.")
    async with server.database.read() as tx:
        there = await followers_there(tx, owner.id, host)
    collection = {
        "@context": context.PLAIN,
        "id": followers_at(owner.uri, host),
        "type": "OrderedCollection",
        "totalItems": len(there),
        "orderedItems": list(there),
    }
    return document(request, collection, private=True)
