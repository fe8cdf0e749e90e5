"""`privapub persona move` and `privapub persona alias …`: a persona has another actor, there or here."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.webfinger import resolve
from privapub.personas import move as moving
from privapub.server import Server

alias = typer.Typer(name="alias", help="Actors elsewhere that a persona also is.", no_args_is_help=True)
Who = Annotated[str, typer.Argument(metavar="PERSONA", help="The handle of the persona.")]
Address = Annotated[str, typer.Argument(help="@somebody@example.org, or the address of their page or actor.")]


def move(
    persona: Who,
    *,
    to: Annotated[str, typer.Option(help="Where it moves: an actor that names the persona among its aliases.")],
    as_json: Json = False,
) -> None:
    """Move a persona to another actor: its followers are asked to follow that one."""

    async def work(server: Server) -> Actor:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        target = await resolve(server, to)
        if not Addresses(server.base_url).is_ours(target.uri):
            # Its aliases may be a moment old.
            target = await fetch_actor(server, target.uri, fresh=True)
        async with server.database.write() as tx:
            await moving.move(tx, me.id, target.id, clock.now())
        return target

    target = with_server(work)
    data = {"persona": persona, "moved_to": target.uri, "address": f"@{target.address}"}
    say(data, f"{persona} has moved to @{target.address}", as_json=as_json)


@alias.command()
def add(persona: Who, address: Address, *, as_json: Json = False) -> None:
    """Say that the persona is also this actor: before that one moves here."""
    _alias(persona, address, on=True, as_json=as_json)


@alias.command()
def remove(persona: Who, address: Address, *, as_json: Json = False) -> None:
    """Say so no more."""
    _alias(persona, address, on=False, as_json=as_json)


def _alias(persona: str, address: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        # What is named by its uri can be removed although nobody answers there any more.
        uri = address if not on and address in me.actor.also_known_as else (await resolve(server, address)).uri
        async with server.database.write() as tx:
            await (moving.add_alias if on else moving.remove_alias)(tx, me.id, uri, clock.now())
            known = await persona_named(tx, persona)
        return {"persona": persona, "also_known_as": list(known.actor.also_known_as)}

    done = with_server(work)
    say(done, f"{persona} is also: {', '.join(done['also_known_as']) or 'nobody'}", as_json=as_json)
