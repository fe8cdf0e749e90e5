"""`privapub post pin|unpin` and `privapub persona feature-tag …`: what stands first in a profile."""

from typing import Any

import typer

from privapub import clock
from privapub.actors import featured_tags
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.cli.post import Persona, Which, own
from privapub.posts import pin as pins
from privapub.server import Server

tags = typer.Typer(name="feature-tag", help="Hashtags that a persona shows in its profile.", no_args_is_help=True)


def pin(which: Which, *, persona: Persona, as_json: Json = False) -> None:
    """Put a post first in the persona's profile: five at most, public or unlisted ones."""
    _pin(which, persona, on=True, as_json=as_json)


def unpin(which: Which, *, persona: Persona, as_json: Json = False) -> None:
    """Take a post off the head of the persona's profile."""
    _pin(which, persona, on=False, as_json=as_json)


def _pin(which: str, persona: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        me_id, post = await own(server, persona, which)
        async with server.database.write() as tx:
            await (pins.pin if on else pins.unpin)(tx, post.id, me_id, clock.now())
        return {"uri": post.uri, "pinned": on}

    done = with_server(work)
    say(done, f"{'Pinned' if on else 'Not pinned any more'}: {done['uri']}", as_json=as_json)


@tags.command()
def add(name: str, *, persona: Persona, as_json: Json = False) -> None:
    """Show a hashtag in the persona's profile: ten at most."""
    _tag(name, persona, on=True, as_json=as_json)


@tags.command()
def remove(name: str, *, persona: Persona, as_json: Json = False) -> None:
    """Show a hashtag in the persona's profile no more."""
    _tag(name, persona, on=False, as_json=as_json)


def _tag(name: str, persona: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> list[str]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            await (featured_tags.feature if on else featured_tags.unfeature)(tx, me.id, name, clock.now())
            return [f"#{each.name}" for each in await featured_tags.of_actor(tx, me.id)]

    shown = with_server(work)
    say({"featured_tags": shown}, f"{persona} shows {' '.join(shown) or 'no hashtag'}", as_json=as_json)
