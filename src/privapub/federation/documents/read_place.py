"""Where and when: the `location` of anything, and what an Event says (Vocabulary 3.3; Mobilizon, Gancio, FEP-8a8e)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.limits import MAX_NAME
from privapub.federation.documents.moments import on_their_clock
from privapub.federation.documents.properties import each, is_web, line, link, number, types

_ADDRESS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
_MOST_PLACES = 5


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere: name and address are one line of plain text, degrees are WGS 84, `url` where it is on the web."""

    name: str = ""
    address: str = ""
    latitude: float | None = None
    longitude: float | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """When it is (seconds since 1970, and as people there write it), whether it is called off, where one signs up."""

    starts_at: float | None = None
    ends_at: float | None = None
    starts: str = ""
    ends: str = ""
    timezone: str = ""
    status: str = ""  # CONFIRMED, TENTATIVE or CANCELLED
    sign_up: str | None = None


def read_event(fields: Fields) -> Event:
    """What an Event says beside what every post does."""
    return Event(
        starts_at=fields.moment("startTime"),
        ends_at=fields.moment("endTime"),
        starts=on_their_clock(fields.raw.get("startTime")),
        # An end that the organisers never set is not shown (FEP-8a8e).
        ends="" if fields.raw.get("displayEndTime") is False else on_their_clock(fields.raw.get("endTime")),
        timezone=line(fields.raw.get("timezone"), 100),
        status=_status(fields),
        sign_up=fields.link("externalParticipationUrl"),
    )


def _status(fields: Fields) -> str:
    said = line(fields.get("ical:status", "eventStatus", "status"), 100).upper().removeprefix("EVENT")
    return {"CANCELED": "CANCELLED", "SCHEDULED": "CONFIRMED"}.get(said, said)


def read_places(fields: Fields) -> tuple[Place, ...]:
    """The places in `location`: objects, names, or addresses on the web."""
    found = []
    for item in each(fields.raw.get("location"))[:_MOST_PLACES]:
        place = _place(Fields(item, fields)) if isinstance(item, dict) else _named(item)
        if place is None or place == Place():
            fields.note("location", "This is no place.")
        else:
            found.append(place)
    return tuple(found)


def _named(item: Any) -> Place | None:
    if not isinstance(item, str):
        return None
    return Place(url=item) if is_web(item) and link(item) else Place(name=line(item))


def _place(item: Fields) -> Place:
    latitude, longitude = _degrees(item.raw) or _degrees(_object(item.raw.get("geo"))) or (None, None)
    url = link(item.raw.get("url"))
    if url is None and "VirtualLocation" in types(item.raw):
        url = link(item.raw.get("id"))
    return Place(line(item.text("name", MAX_NAME).said), _address(item.raw.get("address")), latitude, longitude, url)


def _address(value: Any) -> str:
    if isinstance(value, dict):
        parts = (line(value.get(name), 200) for name in _ADDRESS)
        return ", ".join(part for part in parts if part)
    return line(value)


def _degrees(value: dict[str, Any]) -> tuple[float, float] | None:
    match number(value.get("latitude")), number(value.get("longitude")):
        case float(latitude), float(longitude) if abs(latitude) <= 90 and abs(longitude) <= 180:
            return latitude, longitude
    return None


def _object(value: Any) -> dict[str, Any]:
    return next((item for item in each(value) if isinstance(item, dict)), {})
