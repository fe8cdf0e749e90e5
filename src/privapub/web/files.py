"""The files of media, as they are kept (RFC 9110, sections 13 and 14: conditions and ranges)."""

import re
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from privapub.errors import NotFound
from privapub.federation.served.answer import has_it
from privapub.media import names
from privapub.server import Server

# A name never has another content, and what a browser opens by itself may do nothing.
_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Accept-Ranges": "bytes",
}
_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))")


class Unsatisfiable(Exception):
    """No byte of the file is within the range."""


async def file(server: Server, request: Request) -> Response:
    """The file of this name, or the part of it that was asked for; raises NotFound for every other name."""
    name = request.path_params["name"]
    kind = names.content_type(name)
    size = None if kind is None else await server.files.size(names.place(name))
    if kind is None or size is None:
        raise NotFound("There is no such file.")
    headers = {**_HEADERS, "ETag": f'"{name}"'}
    if has_it(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    same = request.headers.get("if-range", headers["ETag"]) == headers["ETag"]
    wanted = request.headers.get("range") if same else None
    try:
        part = part_of(wanted, size)
    except Unsatisfiable:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, end = part or (0, size)
    headers |= {"Content-Type": kind, "Content-Length": str(end - start)}
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    status = 200 if part is None else 206
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    pieces = server.files.get(names.place(name), start, end)
    first = await anext(pieces, b"")  # what is gone by now is told before anything is said
    return StreamingResponse(_after(first, pieces), status, headers)


async def _after(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


def part_of(header: str | None, size: int) -> tuple[int, int] | None:
    """The first byte and the one behind the last that a Range header asks for; None for the whole (pure).

    The whole is also given for what cannot be read, and for several ranges at once. Raises Unsatisfiable.
    """
    match = None if header is None else _RANGE.fullmatch(header.strip())
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        start, end = max(0, size - int(suffix)), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None  # not even a range
    if start >= end:
        raise Unsatisfiable
    return start, end
