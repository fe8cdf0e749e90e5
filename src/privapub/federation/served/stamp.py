"""The word that somebody may quote a post of ours (FEP-044f), for whoever checks a quote."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.errors import NotFound
from privapub.federation.documents.write_quote import authorization
from privapub.federation.served.answer import document
from privapub.federation.served.asking import part
from privapub.posts import audience, stamps
from privapub.posts.read import by_id
from privapub.server import Server


async def stamp(server: Server, request: Request) -> Response:
    """The QuoteAuthorization while it holds, and while the quoted post is for everybody; else NotFound."""
    token = part(request, "token")
    async with server.database.read() as tx:
        found = await stamps.by_token(tx, token)
        quoted = None if found is None else await by_id(tx, found.post_id)
        author = None if quoted is None else await actors.by_id(tx, quoted.author_id)
    if found is None or quoted is None or author is None or found.revoked_at is not None:
        raise NotFound("There is no such stamp.")
    if not audience.may_see(quoted, None):
        raise NotFound("There is no such stamp.")
    return document(request, authorization(Addresses(server.base_url).stamp(token), quoted, author, found.quoting))
