"""The files beside the pages: the stylesheet, the icon, and the one script."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from privapub.errors import NotFound
from privapub.federation.served.answer import body
from privapub.server import Server

_TYPES = {
    "privapub.css": "text/css; charset=utf-8",
    "privapub.svg": "image/svg+xml",
    "missing.png": "image/png",
    "passkeys.js": "text/javascript; charset=utf-8",
}
# Read once: no path from outside reaches the file system.
_FILES = {name: (Path(__file__).parent / "static" / name).read_bytes() for name in _TYPES}
_CACHE = {"Cache-Control": "public, max-age=31536000, immutable"}


async def asset(_server: Server, request: Request) -> Response:
    """One of them; raises NotFound for another name."""
    name = request.path_params["name"]
    if name not in _FILES:
        raise NotFound("There is no such file.")
    return body(request, _FILES[name], _TYPES[name], headers=_CACHE)


def address(name: str) -> str:
    """Where a file is, by its content: a changed one has another address."""
    return f"/static/{name}?v={hashlib.sha256(_FILES[name]).hexdigest()[:12]}"


def content(name: str) -> bytes:
    """What is in a file."""
    return _FILES[name]
