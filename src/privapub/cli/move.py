"""`privapub persona move` and `privapub persona alias …`: a persona has another actor, there or here."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.accounts import holds
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.cli.meant import acting, asking, both, somebody
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Address, Handle, Json
from privapub.cli.output import say
from privapub.errors import InvalidInput, NotAllowed
from privapub.federation.fetching.actor import fetch_actor
from privapub.personas import move as moving
from privapub.personas.read import Persona
from privapub.server import Server

alias = typer.Typer(name="alias", help="Actors elsewhere that a persona also is.", no_args_is_help=True)
Link = Annotated[
    bool,
    typer.Option(
        "--link-publicly",
        help="Do it although both personas are of one account: everybody will see that they belong together.",
    ),
]


def move(
    persona: Handle,
    *,
    to: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where it moves: an actor that names the persona among its aliases."),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking; with --json it must be given.")] = False,
    link_publicly: Link = False,
    as_json: Json = False,
) -> None:
    """Move a persona to another actor: its followers are asked to follow that one, and it posts no more."""
    if as_json and not yes:
        raise InvalidInput("A move takes all followers away: with --json it is not asked for.", "Say --yes.")

    async def find(server: Server) -> Actor:
        me, target = await both(server, persona, to)
        await _check(server, me, target, link_publicly=link_publicly)
        if not Addresses(server.base_url).is_ours(target.uri):
            # Its aliases may be a moment old.
            with asking(target.uri):
                target = await fetch_actor(server, target.uri, fresh=True)
        return target

    target = with_server(find)
    if not yes and not typer.confirm(
        f"Move {persona} to @{target.address}? Its followers go there, everybody will see it, and it posts no more.",
        err=True,
    ):
        raise InvalidInput("Nothing was changed.")

    async def work(server: Server) -> bool:
        me = await acting(server, persona)
        async with server.database.write() as tx:
            return await moving.move(tx, me.id, target.id, clock.now())

    changed = with_server(work)
    data = {"persona": persona, "moved_to": target.uri, "address": f"@{target.address}", "changed": changed}
    said = f"{persona} has moved to @{target.address}" + ("" if changed else " already")
    say(data, said, as_json=as_json)


def unmove(persona: Handle, *, as_json: Json = False) -> None:
    """Say that a persona has not moved: it posts again. Followers that went do not come back by themselves."""

    async def work(server: Server) -> bool:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            return await moving.stay(tx, me.id, clock.now())

    changed = with_server(work)
    said = f"{persona} is where it is again" if changed else f"{persona} was not away"
    say({"persona": persona, "moved_to": None, "changed": changed}, said, as_json=as_json)


@alias.command()
def add(persona: Handle, address: Address, *, link_publicly: Link = False, as_json: Json = False) -> None:
    """Say that the persona is also this actor: before that one moves here. Everybody can read it."""

    async def find(server: Server) -> str:
        me, target = await both(server, persona, address)
        await _check(server, me, target, link_publicly=link_publicly)
        return target.uri

    _alias(persona, with_server(find), on=True, as_json=as_json)


@alias.command()
def remove(persona: Handle, address: Address, *, as_json: Json = False) -> None:
    """Say so no more."""

    async def find(server: Server) -> str:
        me = await acting(server, persona)
        # What is named by its uri can be removed although nobody answers there any more.
        return address if address in me.actor.also_known_as else (await somebody(server, address)).uri

    _alias(persona, with_server(find), on=False, as_json=as_json)


@alias.command(name="list")
def list_(persona: Handle, *, as_json: Json = False) -> None:
    """List what the persona also is."""

    async def work(server: Server) -> list[str]:
        return list((await acting(server, persona)).actor.also_known_as)

    rows = with_server(work)
    say(rows, "\n".join(rows) or f"{persona} is nobody else.", as_json=as_json)


async def _check(server: Server, me: Persona, target: Actor, *, link_publicly: bool) -> None:
    """Which personas one account holds is told to nobody; an alias and a move tell it to everybody."""
    async with server.database.read() as tx:
        together = target.local and await holds.together(tx, me.id, target.id)
    if together and not link_publicly and me.id != target.id:
        raise NotAllowed(
            f"{me.handle} and {target.handle} are of one account, and everybody would see that they belong together.",
            "If that is meant, say --link-publicly: it cannot be made unknown again.",
        )


def _alias(persona: str, uri: str, *, on: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            changed = await (moving.add_alias if on else moving.remove_alias)(tx, me.id, uri, clock.now())
            known = await persona_named(tx, persona)
        return {"persona": persona, "also_known_as": list(known.actor.also_known_as), "changed": changed}

    done = with_server(work)
    already = "" if done["changed"] else " (as before)"
    say(done, f"{persona} is also: {', '.join(done['also_known_as']) or 'nobody'}{already}", as_json=as_json)
