"""What the operator tells everyone here."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.emoji import CustomEmoji, ours
from privapub.database.transaction import Transaction
from privapub.emojis import keep
from privapub.errors import InvalidInput
from privapub.markup.reactions import emoji_in, is_short_name
from privapub.markup.render import render
from privapub.moderation import announcements
from privapub.moderation.announcements import Announcement
from privapub.server import Server


class ReactionShape(Struct):
    """Entity `Reaction`; it has addresses where it is one of our pictures."""

    name: str
    count: int
    me: bool
    url: str | UnsetType = UNSET
    static_url: str | UnsetType = UNSET


class AnnouncementShape(Struct, kw_only=True):
    """Entity `Announcement`."""

    id: str
    content: str
    starts_at: str | None
    ends_at: str | None
    all_day: bool = False
    published_at: str
    updated_at: str
    read: bool
    mentions: list[Any] = []
    statuses: list[Any] = []
    tags: list[Any] = []
    emojis: list[CustomEmoji]
    reactions: list[ReactionShape]


async def every(call: Call) -> list[AnnouncementShape]:
    """`GET /api/v1/announcements`: those that are not over."""
    async with call.server.database.read() as tx:
        return await shown(tx, call.server, call.me, await announcements.shown(tx, clock.now()))


async def shown(
    tx: Transaction, server: Server, persona_id: int, found: Sequence[Announcement]
) -> list[AnnouncementShape]:
    """These announcements, as a persona sees them."""
    ids = [each.id for each in found]
    read = await announcements.read_by(tx, persona_id, ids)
    reactions = await announcements.reactions(tx, persona_id, ids)
    pictures = await show_accounts.pictures_of(tx, server)
    named = [one.name for some in reactions.values() for one in some]
    emojis = await keep.within(tx, [*(each.text for each in found), *named])
    custom = {emoji.shortcode: ours(emoji, pictures) for emoji in emojis}
    return [
        AnnouncementShape(
            id=str(each.id),
            content=render(each.text, {}, f"{server.base_url}/tags/").html,
            starts_at=None if each.starts_at is None else clock.iso(each.starts_at),
            ends_at=None if each.ends_at is None else clock.iso(each.ends_at),
            published_at=clock.iso(each.published_at),
            updated_at=clock.iso(each.updated_at),
            read=each.id in read,
            emojis=[emoji for name, emoji in custom.items() if f":{name}:" in each.text],
            reactions=[_reaction(one, custom) for one in reactions[each.id]],
        )
        for each in found
    ]


def _reaction(one: announcements.Reaction, custom: dict[str, CustomEmoji]) -> ReactionShape:
    name = one.name.strip(":")
    picture = custom.get(name) if is_short_name(one.name) else None
    if picture is None:
        return ReactionShape(name, one.count, one.mine)
    return ReactionShape(name, one.count, one.mine, picture.url, picture.static_url)


async def dismiss(call: Call) -> dict[str, Any]:
    """`POST /api/v1/announcements/{id}/dismiss`."""
    async with call.server.database.write() as tx:
        await announcements.put_aside(tx, call.me, call.id())
    return {}


async def react(call: Call) -> dict[str, Any]:
    """`PUT /api/v1/announcements/{id}/reactions/{name}`: with an emoji, or the name of a picture of ours."""
    name = _name(call)
    async with call.server.database.write() as tx:
        if is_short_name(name) and not await keep.within(tx, [name]):
            raise InvalidInput("Name is not a recognized emoji")
        await announcements.react(tx, call.me, call.id(), name, clock.now())
    return {}


async def take_back(call: Call) -> dict[str, Any]:
    """`DELETE /api/v1/announcements/{id}/reactions/{name}`."""
    async with call.server.database.write() as tx:
        await announcements.take_back(tx, call.me, call.id(), _name(call))
    return {}


def _name(call: Call) -> str:
    found = emoji_in(str(call.request.path_params["name"]))
    if not found:
        raise InvalidInput("Name is not a recognized emoji")
    return found


ENDPOINTS = (
    Endpoint("GET", "/api/v1/announcements", every),
    Endpoint("POST", "/api/v1/announcements/{id}/dismiss", dismiss, ("write:accounts",)),
    Endpoint("PUT", "/api/v1/announcements/{id}/reactions/{name}", react, ("write:favourites",)),
    Endpoint("DELETE", "/api/v1/announcements/{id}/reactions/{name}", take_back, ("write:favourites",)),
)
