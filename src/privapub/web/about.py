"""`/about`, `/privacy-policy` and `/terms-of-service`: what the operator says of the server, and its rules."""

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from privapub.composing import about as texts
from privapub.errors import NotFound
from privapub.server import Server
from privapub.web.pages import cleaned, render

_TITLES = {
    "/about": ("About this server", texts.ABOUT),
    "/privacy-policy": ("Privacy", texts.PRIVACY),
    "/terms-of-service": ("Terms", texts.TERMS),
}
PATHS = tuple(_TITLES)


async def about(server: Server, request: Request) -> Response:
    """One of the texts; the rules stand below what the server is about. NotFound where nothing is said."""
    path = request.url.path
    title, name = _TITLES[path]
    folder = server.settings.about_folder
    found = await texts.told(folder, name)
    rules = await texts.rules(folder) if name == texts.ABOUT else []
    if found is None and not rules and name != texts.ABOUT:
        raise NotFound("There is nothing here.")
    content = Markup() if found is None else cleaned(found.html)
    return render(
        server,
        request,
        "about.html",
        title=title,
        content=content,
        description=server.settings.description,
        rules=rules,
    )
