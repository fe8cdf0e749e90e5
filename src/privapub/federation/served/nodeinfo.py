"""NodeInfo 2.0 and 2.1 (FEP-f1d5): what software this is and how much it is used; personas count, never accounts."""

from importlib.metadata import version
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.served.answer import body
from privapub.personas.read import count
from privapub.posts.read import count_local_public
from privapub.server import Server

SOFTWARE = "privapub"
VERSIONS = ("2.0", "2.1")
_SCHEMA = "http://nodeinfo.diaspora.software/ns/schema/{}"
_APPLICATION = "https://www.w3.org/ns/activitystreams#Application"
_ANYONE = {"Access-Control-Allow-Origin": "*"}


async def discovery(server: Server, request: Request) -> Response:
    """Where the documents are, and which actor signs our fetches (FEP-2677)."""
    links = [{"rel": _SCHEMA.format(number), "href": f"{server.base_url}/nodeinfo/{number}"} for number in VERSIONS]
    links.append({"rel": _APPLICATION, "href": Addresses(server.base_url).application})
    return body(request, msgspec.json.encode({"links": links}), "application/json", headers=_ANYONE)


async def how_much(server: Server, tx: Transaction) -> tuple[int, int]:
    """How many personas there are, and posts for everyone: as of some minutes ago."""
    now = clock.now()
    personas = await server.counts.of(tx, "personas", count, now)
    return personas, await server.counts.of(tx, "posts", count_local_public, now)


async def nodeinfo(server: Server, request: Request) -> Response:
    """The document of one version; raises NotFound for a version that is not served."""
    number = request.path_params["version"]
    if number not in VERSIONS:
        raise NotFound("This version of NodeInfo is not served.")
    async with server.database.read() as tx:
        personas, posts = await how_much(server, tx)
    content: dict[str, Any] = {
        "version": number,
        "software": {"name": SOFTWARE, "version": version(SOFTWARE)},
        "protocols": ["activitypub"],
        "services": {"inbound": [], "outbound": []},
        "openRegistrations": server.settings.registrations in {"open", "approval"},
        "usage": {"users": {"total": personas}, "localPosts": posts},
        "metadata": {"nodeName": server.settings.name, "nodeDescription": server.settings.description},
    }
    kind = f'application/json; profile="{_SCHEMA.format(number)}#"'
    return body(request, msgspec.json.encode(content), kind, headers=_ANYONE)
