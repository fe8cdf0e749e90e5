"""The page of a post."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from privapub import identifiers
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.errors import NotFound
from privapub.federation.served import post as served
from privapub.federation.served.answer import PUBLIC_CACHE
from privapub.federation.served.asking import part
from privapub.posts import quotes
from privapub.posts.audience import OPEN, may_see
from privapub.posts.read import PUBLIC, by_id, by_uri, with_polls
from privapub.server import Server
from privapub.web.pages import around, excerpt_of, name_of, problem, render, shown, title_of


async def numbered(server: Server, request: Request) -> Response:
    """`/@handle/NUMBER`, as programs know it: the way to a post that is for everyone, also for who wants the document.

    Raises NotFound for every other, and where the post is somebody else's.
    """
    number = identifiers.number_in(part(request, "number"))
    async with server.database.read() as tx:
        found = None if number is None else await by_id(tx, number)
        if found is None or not found.local or not may_see(found, None):
            raise NotFound(served.NO_POST)
        author = await actors.by_id(tx, found.author_id)
    if author is None or author.handle.lower() != part(request, "handle").lower():
        raise NotFound(served.NO_POST)
    return RedirectResponse(found.uri, status_code=302, headers={"Cache-Control": PUBLIC_CACHE})


async def post(server: Server, request: Request) -> Response:
    """The page of a post that is for everyone; raises NotFound for every other."""
    async with server.database.read() as tx:
        found = await by_uri(tx, Addresses(server.base_url).post(part(request, "token")))
        # What is not for strangers takes no question more than what is not there, and no longer.
        if found is None or not found.local or found.audience not in OPEN:
            raise NotFound(served.NO_POST)
        author = await actors.by_id(tx, found.author_id)
        quoted = (await quotes.shown(tx, [found], None)).get(found.id)
        if quoted is not None:
            (quoted,) = await with_polls(tx, [quoted])
        quoted_author = None if quoted is None else await actors.by_id(tx, quoted.author_id)
        people = [each for each in (author, quoted_author) if each is not None]
        beside = await around(tx, server, [found] if quoted is None else [found, quoted], people)
    if author is None:
        raise NotFound(served.NO_POST)
    if found.deleted_at is not None:
        return problem(server, request, 410, "This post is gone", "Its author deleted it.")
    if not may_see(found, None):
        raise NotFound(served.NO_POST)
    return render(
        server,
        request,
        "post.html",
        actor=author,
        name=name_of(author),
        post=shown(found, beside),
        beside=beside,
        quoted=None
        if quoted is None or quoted_author is None
        else (shown(quoted, beside), name_of(quoted_author), quoted_author),
        title=title_of(author, found),
        excerpt=excerpt_of(found),
        previewed=found.audience == PUBLIC,
        indexed=found.audience == PUBLIC and author.indexable,
    )
