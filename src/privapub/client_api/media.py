"""Files for posts."""

from collections.abc import AsyncIterator
from typing import Any

from starlette.datastructures import UploadFile

from privapub.actors.addresses import Addresses
from privapub.client_api import show_accounts, writing
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.problems import Refused
from privapub.client_api.shapes.media import MediaAttachment, attachment
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.media import accept, attach, let_go, ready
from privapub.media import read as media
from privapub.media.read import FAILED, READY, Medium

PIECE = 64 * 1024


async def upload(call: Call) -> Answer:
    """`POST /api/v2/media`: 202, since it is processed from then on."""
    number = await _taken(call)
    async with call.server.database.read() as tx:
        return Answer(await _shown(tx, call, await media.known(tx, number)), 202)


async def upload_and_wait(call: Call) -> MediaAttachment:
    """`POST /api/v1/media`, which waits for it a moment: what takes longer has no `url` yet."""
    number = await _taken(call)
    await _soon(call, number)
    async with call.server.database.read() as tx:
        return await _shown(tx, call, await media.known(tx, number))


async def _taken(call: Call) -> int:
    file, thumbnail = call.given.get("file"), call.given.get("thumbnail")
    if not isinstance(file, UploadFile):
        raise InvalidInput("File can't be blank")
    return await accept.accept(
        call.server,
        call.me,
        _pieces(file),
        alt=call.text("description"),
        focus=writing.focus_of(call.text("focus")),
        poster=_pieces(thumbnail) if isinstance(thumbnail, UploadFile) else None,
    )


async def _soon(call: Call, number: int) -> None:
    found = await ready.soon(call.server, number)
    if found is not None and found.why:
        raise Refused(found.why)


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(PIECE):
        yield piece


async def one(call: Call) -> Answer:
    """`GET /api/v1/media/{id}`: 206 while it is processed, 422 with the reason where that failed."""
    async with call.server.database.read() as tx:
        found = await _mine(tx, call)
        if found.state == FAILED:
            raise Refused(found.why or "Error processing thumbnail for uploaded media")
        return Answer(await _shown(tx, call, found), 200 if found.state == READY else 206)


async def change(call: Call) -> MediaAttachment:
    """`PUT /api/v1/media/{id}`: its description, what matters of it, and its thumbnail, until it is in a post."""
    focus = writing.focus_of(call.text("focus")) if call.has("focus") else None
    alt = call.text("description") if "description" in call.given else None
    async with call.server.database.write() as tx:
        found = await _mine(tx, call)
        if not await attach.describe_upload(tx, call.me, found.id, alt=alt, focus=focus):
            raise NotFound
    thumbnail = call.given.get("thumbnail")
    if isinstance(thumbnail, UploadFile):
        await accept.take_poster(call.server, call.me, found.id, _pieces(thumbnail))
        await _soon(call, found.id)
    async with call.server.database.read() as tx:
        return await _shown(tx, call, await media.known(tx, found.id))


async def remove(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/media/{id}`: what is in a post stays."""
    async with call.server.database.write() as tx:
        found = await _mine(tx, call)
        if not await let_go.of_upload(tx, call.me, found.id):
            raise Refused("Media attachment is currently used by a status")
    return {}


async def _mine(tx: Transaction, call: Call) -> Medium:
    found = await media.by_id(tx, call.id())
    if found is None or found.actor_id != call.me or found.use != "post":
        raise NotFound
    return found


async def _shown(tx: Transaction, call: Call, found: Medium) -> MediaAttachment:
    pictures = await show_accounts.pictures_of(tx, call.server)
    item: dict[str, Any] = attach.attachment(found, Addresses(call.server.base_url, call.server.media_base_url))
    return attachment(item, str(found.id), pictures)


_WRITE = ("write:media",)
ENDPOINTS = (
    Endpoint("POST", "/api/v2/media", upload, _WRITE),
    Endpoint("POST", "/api/v1/media", upload_and_wait, _WRITE),
    Endpoint("GET", "/api/v1/media/{id}", one, _WRITE),
    Endpoint("PUT", "/api/v1/media/{id}", change, _WRITE),
    Endpoint("DELETE", "/api/v1/media/{id}", remove, _WRITE),
)
