"""Who may not read even what is for everyone: for them there is nothing at any address.

That is an actor whom the persona blocks whose document it is, and everybody of a server that is blocked here. It is
asked before anything else, and only of requests that are signed: who does not say who they are cannot be told from
anybody. A blocked server is known by the key that it names; as it is not asked for it, that it names it is enough.
"""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.actors import blocks
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.asker import as_sent, examine
from privapub.federation.served.asking import SIGNATURE, part, viewer
from privapub.federation.signatures.request import BadSignature
from privapub.posts import audience
from privapub.posts import read as posts
from privapub.server import Server

NOTHING = "There is nothing here."

Served = Callable[[Server, Request], Awaitable[Response]]


def unless_blocked(served: Served) -> Served:
    """The same answer, but for an actor that signed the request and is blocked there is nothing (NotFound)."""

    async def asked_first(server: Server, request: Request) -> Response:
        await let_in(server, request)
        return await served(server, request)

    return asked_first


async def let_in(server: Server, request: Request) -> None:
    """Raises NotFound for whoever is of a blocked server, or is blocked by the persona whose document this is.

    Of a persona that blocks nobody nothing more is asked. A post that is not for everyone is left to `posts.audience`,
    so that it takes as long as one that there is not.
    """
    if SIGNATURE not in request.headers:
        return
    await _of_no_blocked_server(server, request)
    async with server.database.read() as tx:
        owner = await _owner(tx, Addresses(server.base_url), request)
        if owner is None or not await blocks.blocks_anybody(tx, owner):
            return
    asker = await viewer(server, request)
    if asker is None:
        return
    async with server.database.read() as tx:
        if await blocks.blocks(tx, owner, asker.id):
            raise NotFound(NOTHING)


async def _of_no_blocked_server(server: Server, request: Request) -> None:
    try:
        key_id = examine(server, as_sent(server, request), clock.now()).key_id
    except BadSignature:
        return
    refused = await server.door.refuses(key_id)
    if not refused:  # the address of its owner may be on another host
        async with server.database.read() as tx:
            found = await actors.by_key(tx, key_id)
            known = await actors.by_uri(tx, key_id) if found is None else found[0]  # some name themselves as the key
        refused = known is not None and known.is_blocked
    if refused:
        raise NotFound(NOTHING)


async def _owner(tx: Transaction, addresses: Addresses, request: Request) -> int | None:
    """The number of the persona whose document the address is, if it is one for everyone."""
    kind = request.url.path.split("/")[1]
    if kind == "actors":
        found = await actors.by_uri(tx, addresses.actor(part(request, "token")))
        return found.id if found is not None and found.local else None
    if kind == "posts":
        post = await posts.by_uri(tx, addresses.post(part(request, "token")))
    elif kind == "activities":
        post = await posts.by_activity_uri(tx, addresses.activity(part(request, "token")))
    else:
        return None
    return post.author_id if post is not None and post.local and post.audience in audience.OPEN else None
