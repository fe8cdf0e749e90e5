"""`/tags/…`: where the hashtags of posts lead."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.errors import NotFound
from privapub.federation.served.asking import part, wants_document
from privapub.markup.render import is_hashtag
from privapub.server import Server
from privapub.web.pages import render


async def tag(server: Server, request: Request) -> Response:
    """Where posts with this hashtag are found.

    There is no list of them here: it would set personas side by side who never asked for that.
    """
    name = part(request, "name")
    if not is_hashtag(name) or wants_document(request.headers.get("accept")):
        raise NotFound("There is nothing here.")
    return render(server, request, "tag.html", name=name)
