"""`privapub persona …`: the faces of an account."""

import asyncio
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.accounts import holds
from privapub.actors import featured_tags, keys
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.cli.meant import acting
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Handle, Json
from privapub.cli.output import lines, say, table
from privapub.composing.text import emoji_tags
from privapub.errors import NotFound
from privapub.markup.text import text_of
from privapub.personas import read
from privapub.personas.create import create as create_persona
from privapub.posts import pin
from privapub.server import Server

app = typer.Typer(name="persona", help="Personas: each is an actor of its own.", no_args_is_help=True)


def shown(actor: Actor) -> dict[str, Any]:
    """A persona as commands print it."""
    return {
        "handle": actor.handle,
        "address": f"@{actor.address}",
        "id": actor.uri,
        "url": actor.url,
        "name": actor.name,
        "locked": actor.locked,
        "moved_to": actor.moved_to,
    }


@app.command()
def create(
    handle: Annotated[str, typer.Argument(metavar="HANDLE", help="Its name in its address: @HANDLE@example.org.")],
    *,
    account: Annotated[str, typer.Option(metavar="EMAIL", help="The e-mail address of the account that holds it.")],
    locked: Annotated[bool, typer.Option("--locked", help="Each follower must be accepted by hand.")] = False,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="The name that is shown; the handle where there is none.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Make a persona."""

    async def work(server: Server) -> Actor:
        async with server.database.read() as tx:
            owner = await holds.by_email(tx, account)
        if owner is None:
            raise NotFound(f"There is no account {account}.", "`privapub account list` shows those there are.")
        made = await asyncio.to_thread(keys.make)
        async with server.database.write() as tx:
            persona_id = await create_persona(
                tx,
                handle,
                made,
                addresses=Addresses(server.base_url),
                domain=server.domain,
                locked=locked,
                name=name,
                tags=await emoji_tags(tx, [name], Addresses(server.base_url, server.media_base_url)),
                now=clock.now(),
            )
            await holds.give(tx, owner.id, persona_id)
            return (await persona_named(tx, handle)).actor

    made = with_server(work)
    data = shown(made)
    say(data, f"Made {data['address']}\n  page  {data['url']}\n  actor {data['id']}", as_json=as_json)


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """List all personas."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [shown(persona.actor) for persona in await read.every(tx)]

    rows = with_server(work)
    say(rows, table(rows, ["address", "locked", "url", "moved_to"], "There is no persona yet."), as_json=as_json)


@app.command()
def show(handle: Handle, *, as_json: Json = False) -> None:
    """Show a persona: its profile, what it also is, its hashtags and pinned posts, and where it has moved."""

    async def work(server: Server) -> dict[str, Any]:
        me = await acting(server, handle)
        async with server.database.read() as tx:
            tags = await featured_tags.of_actor(tx, me.id)
            pinned = await pin.pinned(tx, me.id)
        return {
            **shown(me.actor),
            "bio": me.bio,
            "format": me.text_format,
            "fields": [dict(each) for each in me.actor.fields],
            "avatar": me.actor.icon,
            "avatar_alt": me.actor.icon_alt,
            "header": me.actor.image,
            "header_alt": me.actor.image_alt,
            "discoverable": me.actor.discoverable,
            "indexable": me.actor.indexable,
            "shows_follows": me.shows_follows,
            "also_known_as": list(me.actor.also_known_as),
            "featured_tags": [f"#{each.name}" for each in tags],
            "pinned": [{"id": str(post.id), "uri": post.uri, "text": post.source} for post in pinned],
            "closed": me.closed_at is not None,
        }

    data = with_server(work)
    fields = ", ".join(f"{each['name']}: {text_of(each['value'])}" for each in data["fields"])
    said = {
        **data,
        "fields": fields,
        "also_known_as": ", ".join(data["also_known_as"]),
        "featured_tags": " ".join(data["featured_tags"]),
        "pinned": ", ".join(post["uri"] for post in data["pinned"]),
    }
    say(data, lines(said), as_json=as_json)
