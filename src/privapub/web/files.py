"""The files of media, as they are kept."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.errors import NotFound
from privapub.media import names
from privapub.server import Server
from privapub.web import kept

# A name never has another content.
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}


async def file(server: Server, request: Request) -> Response:
    """The file of this name, or the part of it that was asked for; raises NotFound for every other name."""
    name = request.path_params["name"]
    kind = names.content_type(name)
    if kind is None:
        raise NotFound("There is no such file.")
    return await kept.answer(request, name, kind, kept.Stored(server.files, names.place(name)), _HEADERS)
