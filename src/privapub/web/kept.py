"""Answers from files that never change: validators and ranges (RFC 9110, sections 13 and 14)."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from privapub.errors import NotFound, Unavailable
from privapub.federation.served.answer import has_it
from privapub.storage.files import Files, Opened

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
    """No byte of the file is within the range; how many it has."""

    def __init__(self, size: int) -> None:
        """Of a file of this size."""
        super().__init__(size)
        self.size = size


class Source(Protocol):
    """Where the bytes of a file come from. Raises where there is no such file (any more)."""

    async def size(self) -> int:
        """How many bytes it has."""

    async def part(self, header: str | None) -> Opened:
        """What a Range header asks for, else the whole; raises Unsatisfiable."""


class Sized:
    """A file whose size is known: `pieces` gives its bytes from one place up to another."""

    def __init__(self, size: int, pieces: Pieces) -> None:
        """Nothing is read yet."""
        self._size, self._pieces = size, pieces

    async def size(self) -> int:
        """As it is known."""
        return self._size

    async def part(self, header: str | None) -> Opened:
        """That part of it."""
        start, end = part_of(header, self._size) or (0, self._size)
        return Opened(self._size, start, end, self._pieces(start, end))


class Stored:
    """A file of the store, which is asked no more than once unless it has nothing within the range."""

    def __init__(self, files: Files, place: str) -> None:
        """The one at this place."""
        self._files, self._place = files, place

    async def size(self) -> int:
        """As the store knows it; raises NotFound."""
        size = await self._files.size(self._place)
        if size is None:
            raise NotFound("There is no such file.")
        return size

    async def part(self, header: str | None) -> Opened:
        """That part of it; raises NotFound too."""
        asked = asked_for(header)
        if asked is None:
            return await self._files.opened(self._place)
        try:
            found = await self._files.opened(self._place, *asked)
        except Unavailable:
            part_of(header, await self.size())  # what lies behind the end is told of as if the store had trouble
            raise
        if found.start >= found.end:
            raise Unsatisfiable(found.size)
        return found


async def answer(request: Request, name: str, kind: str, source: Source, headers: Mapping[str, str]) -> Response:
    """The file, or the part of it that was asked for. What its source raises before the first piece is raised."""
    headers = {**HEADERS, **headers, "ETag": f'"{name}"'}
    if has_it(request.headers.get("if-none-match"), headers["ETag"]):
        await source.size()
        return Response(status_code=304, headers=headers)
    headers |= {"Content-Type": kind}
    if request.method == "HEAD":  # tells of the whole
        return Response(status_code=200, headers=headers | {"Content-Length": str(await source.size())})
    same = request.headers.get("if-range", headers["ETag"]) == headers["ETag"]
    wanted = request.headers.get("range") if same else None
    try:
        found = await source.part(wanted)
    except Unsatisfiable as none:
        del headers["Content-Type"]
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{none.size}"})
    headers["Content-Length"] = str(found.end - found.start)
    in_part = asked_for(wanted) is not None
    if in_part:
        headers["Content-Range"] = f"bytes {found.start}-{found.end - 1}/{found.size}"
    status = 206 if in_part else 200
    first = await anext(found.pieces, b"")  # what is gone by now is told before anything is said
    if len(first) == found.end - found.start:
        await found.pieces.aclose()
        return Response(first, status, headers)
    return _Breaking(_after(first, found.pieces), status, headers)


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
    asked = asked_for(header)
    if asked is None:
        return None
    first, behind = asked
    start = max(0, size - (behind or 0)) if first is None else first
    end = size if first is None or behind is None else min(behind, size)
    if start >= end:
        raise Unsatisfiable(size)
    return start, end


def asked_for(header: str | None) -> tuple[int | None, int | None] | None:
    """The first byte and the one behind the last, None for the end; or None and how many of the last; None for all.

    Of a file whose size is not known yet (pure).
    """
    match = None if header is None else _RANGE.fullmatch(header.strip())
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        return None, int(suffix)
    if not last:
        return int(first), None
    return None if int(last) < int(first) else (int(first), int(last) + 1)  # the other way round it is no range
