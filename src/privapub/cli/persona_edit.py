"""`privapub persona edit|rotate-keys`: what others see of a persona, and the keys by which they know it."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from privapub import clock
from privapub.actors import keys
from privapub.cli.meant import acting
from privapub.cli.opened import with_server
from privapub.cli.options import Handle, Json, Typed, text_format
from privapub.cli.output import say
from privapub.cli.uploads import described, uploaded
from privapub.composing.profile import edit_profile
from privapub.errors import InvalidInput
from privapub.media import attach, wear
from privapub.media.read import WORN, Use
from privapub.personas.read import Persona
from privapub.personas.rotate import rotate_keys as rotate
from privapub.server import Server


def edit(
    handle: Handle,
    *,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The name that is shown.")] = None,
    bio: Annotated[str | None, typer.Option(metavar="TEXT", help="A description.")] = None,
    locked: Annotated[bool | None, typer.Option(help="Each follower must be accepted by hand.")] = None,
    discoverable: Annotated[bool | None, typer.Option(help="It may be suggested to others.")] = None,
    indexable: Annotated[bool | None, typer.Option(help="Its public posts may be found by a search.")] = None,
    shows_follows: Annotated[bool | None, typer.Option(help="How many follow and are followed is shown.")] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A line of the profile's table; all of them, or they go."),
    ] = None,
    no_fields: Annotated[bool, typer.Option("--no-fields", help="No table.")] = False,
    avatar: Annotated[Path | None, typer.Option(metavar="FILE", help="The picture that stands for it.")] = None,
    avatar_alt: Annotated[str | None, typer.Option(metavar="TEXT", help="What that picture shows, in words.")] = None,
    no_avatar: Annotated[bool, typer.Option("--no-avatar", help="No such picture.")] = False,
    header: Annotated[Path | None, typer.Option(metavar="FILE", help="The wide picture above its profile.")] = None,
    header_alt: Annotated[str | None, typer.Option(metavar="TEXT", help="What that picture shows, in words.")] = None,
    no_header: Annotated[bool, typer.Option("--no-header", help="No such picture.")] = False,
    typed: Typed = None,
    as_json: Json = False,
) -> None:
    """Change a persona's profile; what is not given stays. The format is that of the bio and of posts from now on."""
    if no_fields and field is not None:
        raise InvalidInput("--field and --no-fields contradict each other.", "Give one of them.")
    fields = {} if no_fields else None if field is None else dict(_named(each) for each in field)
    pictures = {"avatar": _picture("avatar", avatar, no=no_avatar), "header": _picture("header", header, no=no_header)}
    alts = {"avatar": _alt(avatar_alt), "header": _alt(header_alt)}
    how = text_format(typed)

    async def work(server: Server) -> Persona:
        me = await acting(server, handle)
        for use in WORN:
            await _wear(server, me.id, use, pictures[use], alts[use])
        return await edit_profile(
            server,
            me.id,
            name=name,
            bio=bio,
            locked=locked,
            discoverable=discoverable,
            indexable=indexable,
            shows_follows=shows_follows,
            fields=fields,
            text_format=how,
        )

    edited = with_server(work)
    data = {
        "handle": edited.handle,
        "name": edited.actor.name,
        "bio": edited.bio,
        "locked": edited.actor.locked,
        "discoverable": edited.actor.discoverable,
        "indexable": edited.actor.indexable,
        "shows_follows": edited.shows_follows,
        "fields": [dict(each) for each in edited.actor.fields],
        "avatar": edited.actor.icon,
        "avatar_alt": edited.actor.icon_alt,
        "header": edited.actor.image,
        "header_alt": edited.actor.image_alt,
        "format": edited.text_format,
    }
    say(data, f"Changed: @{edited.actor.address}", as_json=as_json)


def _picture(name: str, file: Path | None, *, no: bool) -> Path | bool:
    """The file of a picture; True: none from now on; False: as it is. InvalidInput for what cannot be."""
    if file is None:
        return no
    if no:
        raise InvalidInput(f"--{name} and --no-{name} contradict each other.", "Give one of them.")
    described([file], [])
    return file


def _alt(said: str | None) -> str | None:
    return None if said is None else attach.described(said)


async def _wear(server: Server, persona_id: int, use: Use, picture: Path | bool, alt: str | None) -> None:
    if isinstance(picture, Path):
        await uploaded(server, persona_id, [(picture, alt or "")], use)
        return
    async with server.database.write() as tx:
        if picture:
            await wear.take_off(tx, persona_id, use, clock.now())
        elif alt is not None:
            await wear.describe(tx, persona_id, use, alt, clock.now())


def rotate_keys(handle: Handle, *, as_json: Json = False) -> None:
    """Give a persona other keys. Its followers' servers are told."""

    async def work(server: Server) -> str:
        me = await acting(server, handle)
        made = await asyncio.to_thread(keys.make)
        async with server.database.write() as tx:
            await rotate(tx, me.id, made, clock.now())
        return me.actor.address

    address = with_server(work)
    say({"address": f"@{address}", "rotated": True}, f"@{address} has other keys now.", as_json=as_json)


def _named(field: str) -> tuple[str, str]:
    name, sign, value = field.partition("=")
    if not sign:
        raise InvalidInput(f"{field!r} is no field.", "Write NAME=VALUE.")
    return name.strip(), value.strip()
