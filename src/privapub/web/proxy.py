"""Files elsewhere, shown from here: those that are kept, as far as they have come, or a placeholder.

A reader causes no fetch that anybody could notice: see `proxy/prefetch`.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.errors import NotFound, Unavailable
from privapub.outbound.target import host_of
from privapub.proxy.addresses import SIZES, Wanted
from privapub.proxy.cache import FAILED, READY, Kept
from privapub.proxy.memory import HIT, MISS
from privapub.proxy.prefetch import ask
from privapub.server import Server
from privapub.web import kept
from privapub.web.assets import content

_HEADERS = {"Cache-Control": "public, max-age=604800"}
_PIECE = 1 << 18
_LOOK_EVERY = 0.1  # seconds, while a film grows
_ASK_EVERY, _STALLED = 10, 600  # looks after which the table is asked, and after which nobody waits any longer
_GONE = frozenset({"404", "410"})
_LATE = frozenset({"timeout", "network"})


async def proxied(server: Server, request: Request) -> Response:
    """The file, or a part of it; a placeholder where there is none (yet). NotFound for an address that is not ours."""
    asked = request.path_params
    urls = await server.proxy.its_urls()
    wanted = urls.read(asked["use"], asked["key"], asked["address"]) if urls and asked["size"] in SIZES else None
    if wanted is None or not await server.door.gate.takes_media(host_of(wanted.url)):
        raise NotFound("There is no such file.")
    key = asked["key"]
    response, found = await _kept(server, request, key, await server.proxy.find(key))
    outcome = MISS if response is None else HIT
    if response is None and (found is None or found.state != FAILED or found.again_at <= clock.now()):
        response, found = await _kept(server, request, key, await _missed(server, wanted, key, found))
    server.proxy.note(key, outcome)
    return response or _placeholder(request, found)


async def _missed(server: Server, wanted: Wanted, key: str, found: Kept | None) -> Kept | None:
    """Have it fetched: after a while, by chance; or now, and wait for it, where prefetching is switched off."""
    lost = found is not None and found.state == READY
    if server.proxy.is_first(key):
        async with server.database.write() as tx:
            await ask(tx, wanted, clock.now(), lost=lost)
    return None if lost or server.settings.prefetch else await server.proxy.wait(key)


async def _kept(server: Server, request: Request, key: str, found: Kept | None) -> tuple[Response | None, Kept | None]:
    """What the folder has, and what is known of it by now.

    None where it has nothing (any more), or nothing that could be shown. Whether that is lost which the table still
    names, the job that fetches it finds out: here may be another folder by mistake.
    """
    role = "small" if request.path_params["size"] == "small" else "original"
    for _ in range(2):
        row = found.file(role) if found is not None and found.is_readable else None
        if found is None or row is None:
            break
        try:
            return await _answer(server, request, key, row), found
        except FileNotFoundError:
            server.proxy.lost(key)
            now = await server.proxy.find(key)
            server.proxy.lost(key)
            if now == found:
                break
            found = now  # it had gone, and was fetched anew
    return None, found


async def _answer(server: Server, request: Request, key: str, row: dict[str, Any]) -> Response:
    name = str(row["name"])

    async def pieces(start: int, end: int) -> AsyncGenerator[bytes]:
        descriptor, piece = await asyncio.to_thread(_begin, server, name, start, end)
        try:
            looks = 0
            while start < end:
                if piece:
                    start, looks = start + len(piece), 0
                    yield piece
                else:
                    looks += 1
                    await _wait(server, key, name, looks)
                piece = await asyncio.to_thread(os.pread, descriptor, min(_PIECE, end - start), start)
        finally:
            os.close(descriptor)

    source = kept.Sized(int(row["bytes"]), pieces)
    return await kept.answer(request, name, str(row["media_type"]), source, _HEADERS)


def _begin(server: Server, name: str, start: int, end: int) -> tuple[int, bytes]:
    """The file, opened, and the first bytes of what is wanted of it: one visit to the disk for most files."""
    descriptor = server.proxy.folder.open(name)
    try:
        return descriptor, os.pread(descriptor, min(_PIECE, end - start), start)
    except BaseException:
        os.close(descriptor)
        raise


async def _wait(server: Server, key: str, name: str, looks: int) -> None:
    """Wait for more of a film that is on its way; Unavailable where no more will come."""
    if looks % _ASK_EVERY == 0:
        found = await server.proxy.find(key)
        if found is None or name not in found.names or looks > _STALLED:
            raise Unavailable("The file broke off.")
    await clock.sleep(_LOOK_EVERY)  # another process writes it, and the disk tells nobody


def _placeholder(request: Request, found: Kept | None) -> Response:
    """What is shown instead. Its status tells whether it is worth while to ask again."""
    if found is None or found.state != FAILED:
        status, headers = 503, {"Retry-After": "60"}
    else:
        status, headers = 404 if found.reason in _GONE else 504 if found.reason in _LATE else 502, {}
    headers |= {**kept.HEADERS, "Cache-Control": "no-store", "Content-Type": "image/png"}
    body = b"" if request.method == "HEAD" else content("missing.png")
    return Response(body, status, headers)
