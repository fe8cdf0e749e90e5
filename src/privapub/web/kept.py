"""Answers from files that never change: validators and ranges (RFC 9110, sections 13 and 14)."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from privapub.errors import Unavailable
from privapub.federation.served.answer import has_it

# What a browser opens by itself may do nothing.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Accept-Ranges": "bytes",
}
Pieces = Callable[[int, int], AsyncGenerator[bytes]]
_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))")


class Unsatisfiable(Exception):
    """No byte of the file is within the range."""


async def answer(
    request: Request, name: str, kind: str, size: int, pieces: Pieces, headers: Mapping[str, str]
) -> Response:
    """The file, or the part of it that was asked for: `pieces` gives its bytes from one place up to another.

    What `pieces` raises before its first piece is raised.
    """
    headers = {**HEADERS, **headers, "ETag": f'"{name}"'}
    if has_it(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    same = request.headers.get("if-range", headers["ETag"]) == headers["ETag"]
    wanted = request.headers.get("range") if same and request.method == "GET" else None  # HEAD tells of the whole
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
    rest = pieces(start, end)
    first = await anext(rest, b"")  # what is gone by now is told before anything is said
    if len(first) == end - start:
        await rest.aclose()
        return Response(first, status, headers)
    return _Breaking(_after(first, rest), status, headers)


class _Breaking(StreamingResponse):
    """Ends where its file does: the connection is closed before all has come, and the log says no more than that."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. No more is said of a file that broke off: whose it is is not to be in the log."""
        with suppress(Unavailable):
            await super().__call__(scope, receive, send)


async def _after(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
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
