"""The collections of an actor: its outbox, its followers, and whom it follows."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors.addresses import Addresses
from privapub.errors import InvalidInput
from privapub.federation.documents import context
from privapub.federation.documents.write_activity import create
from privapub.federation.documents.write_collection import collection, page
from privapub.federation.documents.write_post import note
from privapub.federation.served.actor import ours
from privapub.federation.served.answer import document
from privapub.federation.served.asking import part
from privapub.follows.read import counts
from privapub.personas.read import by_id
from privapub.posts import audience
from privapub.posts.read import count_public, of_author
from privapub.server import Server

PAGE = 20
_LONGEST_CURSOR = 19


async def outbox(server: Server, request: Request) -> Response:
    """What an actor wrote for everyone, newest first: the collection, or with `?page=true` a page of Creates."""
    before = cursor(request.query_params.get("before"))
    async with server.database.read() as tx:
        author = await ours(tx, Addresses(server.base_url), part(request, "token"))
        uri = f"{author.uri}/outbox"
        if "page" not in request.query_params:
            total = await count_public(tx, author.id, audience.OPEN)
            return document(request, collection(uri, total, f"{uri}?page=true"))
        posts = await of_author(tx, author.id, before=before, limit=PAGE + 1, audiences=audience.OPEN)
        shown = await audience.visible_to(tx, posts[:PAGE], None)
    following_page = f"{uri}?page=true&before={posts[PAGE - 1].id}" if len(posts) > PAGE else None
    items = [create(note(post, author), post.activity_uri) for post in shown if post.activity_uri]
    this = f"{uri}?page=true" + (f"&before={before}" if before is not None else "")
    return document(request, page(this, uri, items, following_page, terms=context.OF_POST))


async def followers(server: Server, request: Request) -> Response:
    """How many follow an actor, if it shows that; who they are is told to nobody."""
    return await _follows(server, request, "followers")


async def following(server: Server, request: Request) -> Response:
    """How many an actor follows, in the same way."""
    return await _follows(server, request, "following")


async def _follows(server: Server, request: Request, which: str) -> Response:
    async with server.database.read() as tx:
        owner = await ours(tx, Addresses(server.base_url), part(request, "token"))
        persona = await by_id(tx, owner.id)
        shown = await counts(tx, owner.id) if persona is not None and persona.shows_follows else None
    total = None if shown is None else getattr(shown, which)
    return document(request, collection(f"{owner.uri}/{which}", total))


def cursor(text: str | None) -> int | None:
    """The number after which a page goes on; raises InvalidInput for what is none."""
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > _LONGEST_CURSOR or int(text) >= 2**63:
        raise InvalidInput("This is no page.")
    return int(text)
