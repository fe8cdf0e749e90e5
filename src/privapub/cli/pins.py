"""`privapub post pin|unpin` and `privapub persona feature-tag …`: what stands first in a profile."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import featured_tags
from privapub.cli.meant import own
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json, OwnPost, Persona
from privapub.cli.output import say
from privapub.posts import pin as pins
from privapub.server import Server

Name = Annotated[str, typer.Argument(metavar="HASHTAG", help="The hashtag, with its sign or without.")]
tags = typer.Typer(name="feature-tag", help="Hashtags that a persona shows in its profile.", no_args_is_help=True)


def pin(which: OwnPost, *, persona: Persona, as_json: Json = False) -> None:
    """Put a post first in the persona's profile: five at most, public or unlisted ones."""
    _pin(which, persona, on=True, as_json=as_json)


def unpin(which: OwnPost, *, persona: Persona, as_json: Json = False) -> None:
    """Take a post off the head of the persona's profile."""
    _pin(which, persona, on=False, as_json=as_json)


def _pin(which: str, persona: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        me, post = await own(server, persona, which)
        async with server.database.write() as tx:
            changed = await (pins.pin if on else pins.unpin)(tx, post.id, me.id, clock.now())
        return {"uri": post.uri, "pinned": on, "changed": changed}

    done = with_server(work)
    if done["changed"]:
        said = "Pinned" if on else "Not pinned any more"
    else:
        said = "Pinned already" if on else "It was not pinned"
    say(done, f"{said}: {done['uri']}", as_json=as_json)


@tags.command()
def add(name: Name, *, persona: Persona, as_json: Json = False) -> None:
    """Show a hashtag in the persona's profile: ten at most."""
    _tag(name, persona, on=True, as_json=as_json)


@tags.command()
def remove(name: Name, *, persona: Persona, as_json: Json = False) -> None:
    """Show a hashtag in the persona's profile no more."""
    _tag(name, persona, on=False, as_json=as_json)


def _tag(name: str, persona: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            changed = await (featured_tags.feature if on else featured_tags.unfeature)(tx, me.id, name, clock.now())
            shown = [f"#{each.name}" for each in await featured_tags.of_actor(tx, me.id)]
        return {"featured_tags": shown, "changed": changed}

    done = with_server(work)
    already = "" if done["changed"] else " (as before)"
    say(done, f"{persona} shows {' '.join(done['featured_tags']) or 'no hashtag'}{already}", as_json=as_json)
