"""The persona's own profile: what it says, what it wears, and how it posts."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from starlette.datastructures import UploadFile

from privapub import clock
from privapub.client_api import params, show_accounts
from privapub.client_api.accounts import own
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.problems import Refused
from privapub.client_api.shapes import profile as shapes
from privapub.client_api.shapes.account import Account
from privapub.client_api.writing import AUDIENCES
from privapub.composing.profile import edit_profile
from privapub.errors import InvalidInput
from privapub.media import ready, wear
from privapub.media.accept import accept
from privapub.media.attach import described
from privapub.media.read import WORN, Use
from privapub.personas import defaults
from privapub.personas import read as personas
from privapub.personas.defaults import Defaults

CHUNK = 1 << 16


async def update_credentials(call: Call) -> Account:
    """`PATCH /api/v1/accounts/update_credentials`: a new picture is waited for a moment."""
    await _change(call)
    async with call.server.database.read() as tx:
        return await own(tx, call)


async def show(call: Call) -> shapes.Profile:
    """`GET /api/v1/profile`."""
    async with call.server.database.read() as tx:
        me = await personas.known(tx, call.me)
        return shapes.profile(me, await show_accounts.one(tx, call.server, me.id))


async def change(call: Call) -> shapes.Profile:
    """`PATCH /api/v1/profile`."""
    await _change(call)
    return await show(call)


async def remove_avatar(call: Call) -> Account:
    """`DELETE /api/v1/profile/avatar`."""
    return await _take_off(call, "avatar")


async def remove_header(call: Call) -> Account:
    """`DELETE /api/v1/profile/header`."""
    return await _take_off(call, "header")


async def preferences(call: Call) -> shapes.Preferences:
    """`GET /api/v1/preferences`."""
    async with call.server.database.read() as tx:
        return shapes.preferences(await personas.known(tx, call.me))


async def _change(call: Call) -> None:
    hides = call.flag("hide_collections")
    posting = _posting(call)
    # Of a new picture it is given with the picture, and one of which nothing is said has no description.
    said = {use: described(call.text(name)) for use in WORN if call.has(name := f"{use}_description")}
    await edit_profile(
        call.server,
        call.me,
        name=call.text("display_name") if call.has("display_name") else None,
        bio=call.text("note") if call.has("note") else None,
        locked=call.flag("locked"),
        discoverable=call.flag("discoverable"),
        indexable=call.flag("indexable"),
        shows_follows=None if hides is None else not hides,
        fields=_fields(call) if call.has("fields_attributes") else None,
        bot=call.flag("bot"),
        attribution_domains=call.texts("attribution_domains") if call.has("attribution_domains") else None,
    )
    async with call.server.database.write() as tx:
        await defaults.prefer(tx, call.me, posting)
    taken = []
    for use in WORN:
        file = call.given.get(use)
        if isinstance(file, UploadFile):
            taken.append(await accept(call.server, call.me, _chunks(file), alt=said.get(use, ""), use=use))
        elif use in said:
            async with call.server.database.write() as tx:
                await wear.describe(tx, call.me, use, said[use], clock.now())
    for number in taken:
        found = await ready.soon(call.server, number)
        if found is not None and found.why:
            raise Refused(found.why)


def _posting(call: Call) -> Defaults:
    """What is said below `source`; InvalidInput before anything is changed."""
    given = call.given.get("source")
    source = replace(call, given=given if isinstance(given, Mapping) else {})
    word = source.text("privacy")
    if word and word not in AUDIENCES:
        raise InvalidInput("Source privacy is not included in the list")
    return Defaults(
        AUDIENCES[word] if word else None,
        source.flag("sensitive"),
        source.text("language") if source.has("language") else None,
        source.text("quote_policy") or None,
    )


def _fields(call: Call) -> list[tuple[str, str]]:
    """The lines of the profile; those of nothing go."""
    rows = [each for each in params.items(call.given["fields_attributes"]) if isinstance(each, Mapping)]
    pairs = [(_text(each, "name").strip(), _text(each, "value").strip()) for each in rows]
    return [pair for pair in pairs if any(pair)]


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(CHUNK):
        yield chunk


async def _take_off(call: Call, use: Use) -> Account:
    async with call.server.database.write() as tx:
        await wear.take_off(tx, call.me, use, clock.now())
        return await own(tx, call)


_READ, _WRITE = ("profile", "read:accounts"), ("write:accounts",)
ENDPOINTS = (
    Endpoint("PATCH", "/api/v1/accounts/update_credentials", update_credentials, _WRITE),
    Endpoint("GET", "/api/v1/profile", show, _READ),
    Endpoint("PATCH", "/api/v1/profile", change, _WRITE),
    Endpoint("DELETE", "/api/v1/profile/avatar", remove_avatar, _WRITE),
    Endpoint("DELETE", "/api/v1/profile/header", remove_header, _WRITE),
    Endpoint("GET", "/api/v1/preferences", preferences, ("read:accounts",)),
)
