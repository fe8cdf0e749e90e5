"""From what a person types to an actor (RFC 7033, RFC 7565)."""

from privapub.actors import read
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.errors import NotFound
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.jrd import LOOK, Name, canonical, read_name
from privapub.federation.fetching.origin import origin
from privapub.personas import read as personas
from privapub.server import Server


async def resolve(server: Server, address_or_uri: str) -> Actor:
    """Somebody by `@handle@host`, or by the address of their page or of their actor; learnt where they were not known.

    Raises InvalidInput, NotFound or FetchProblem.
    """
    text = address_or_uri.strip()
    if text.startswith(("https://", "http://")):
        return await _by_uri(server, text)
    name = read_name(text)
    if name.host in (server.domain, origin(server.base_url)):
        return await _ours(server, name)
    found = await canonical(server, name)
    actor = await fetch_actor(server, found.uri)
    if actor.uri != found.uri:
        raise NotFound(f"There is no @{name}.", LOOK)
    return actor


async def _by_uri(server: Server, uri: str) -> Actor:
    if Addresses(server.base_url).is_ours(uri):
        async with server.database.read() as tx:
            actor = await read.by_uri(tx, uri)
            persona = await personas.by_handle(tx, uri.rpartition("/@")[2])
        if actor is not None:
            return actor
        if persona is not None:
            return persona.actor
        raise NotFound("There is nobody at this address.", LOOK)
    return await fetch_actor(server, uri, pages=True)


async def _ours(server: Server, name: Name) -> Actor:
    async with server.database.read() as tx:
        persona = await personas.by_handle(tx, name.handle)
    if persona is None:
        raise NotFound(f"There is no @{name}.", LOOK)
    return persona.actor
