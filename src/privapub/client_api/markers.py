"""Markers: how far the home timeline and the notifications were read."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from privapub import clock, identifiers
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.errors import Conflict, InvalidInput
from privapub.notifications import markers
from privapub.notifications.markers import Marker as OurMarker


class Marker(Struct):
    """Entity `Marker`."""

    last_read_id: str
    version: int
    updated_at: str


async def saved(call: Call) -> dict[str, Marker]:
    """`GET /api/v1/markers`."""
    async with call.server.database.read() as tx:
        return _shown(await markers.of(tx, call.me, call.texts("timeline")))


async def save(call: Call) -> dict[str, Marker] | Answer:
    """`POST /api/v1/markers`. A program that tells the version it knows is told (409) where it is another by now."""
    wanted = [(name, *_given(call.given[name])) for name in markers.TIMELINES if isinstance(call.given.get(name), dict)]
    try:
        async with call.server.database.write() as tx:
            made = [
                await markers.put(tx, call.me, name, last, clock.now(), version=version)
                for name, last, version in wanted
            ]
    except Conflict as error:
        return Answer({"error": str(error)}, 409)
    return _shown(made)


def _given(said: dict[str, Any]) -> tuple[int, int | None]:
    number = identifiers.number_in(str(said.get("last_read_id", "")))
    if number is None:
        raise InvalidInput("Last read is not a number")
    return number, None if said.get("version") is None else identifiers.number_in(str(said["version"]))


def _shown(found: Iterable[OurMarker]) -> dict[str, Marker]:
    return {each.timeline: Marker(str(each.last_read_id), each.version, clock.iso(each.updated_at)) for each in found}


ENDPOINTS = (
    Endpoint("GET", "/api/v1/markers", saved, ("read:statuses",)),
    Endpoint("POST", "/api/v1/markers", save, ("write:statuses",)),
)
