"""`/`: what this server is."""

from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import Response

from privapub.personas.read import count
from privapub.server import Server
from privapub.web.pages import render


async def front(server: Server, request: Request) -> Response:
    """Its name and purpose, its software, how many personas there are, and how to follow one."""
    async with server.database.read() as tx:
        personas = await count(tx)
    settings = server.settings
    return render(
        server,
        request,
        "front.html",
        description=settings.description,
        contact=settings.contact,
        domain=server.domain,
        personas=personas,
        version=version("privapub"),
    )
