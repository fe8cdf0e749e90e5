"""`privapub follow …`: whom a persona follows, and who follows it."""

from typing import Annotated, Any

import typer

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.errors import NotFound
from privapub.federation.fetching.webfinger import resolve
from privapub.follows import follow, read
from privapub.personas.read import Persona
from privapub.server import Server

app = typer.Typer(name="follow", help="Whom a persona follows, and who follows it.", no_args_is_help=True)
Who = Annotated[str, typer.Option("--persona", help="The handle of the persona that does this.")]
Address = Annotated[str, typer.Argument(help="@somebody@example.org, or the address of their page or actor.")]


@app.command()
def add(address: Address, *, persona: Who, as_json: Json = False) -> None:
    """Follow somebody, here or elsewhere."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            uri = Addresses(server.base_url).activity(identifiers.token())
            state = await follow.ask(tx, me.id, other.id, uri, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "state": state}

    done = with_server(work)
    say(done, f"{persona} follows {done['address']}: {done['state']}", as_json=as_json)


@app.command()
def remove(address: Address, *, persona: Who, as_json: Json = False) -> None:
    """Follow somebody no more."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            await follow.withdraw(tx, me.id, other.id, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "state": "none"}

    done = with_server(work)
    say(done, f"{persona} does not follow {done['address']} any more", as_json=as_json)


@app.command()
def accept(address: Address, *, persona: Who, as_json: Json = False) -> None:
    """Let somebody who asked follow the persona."""
    _answer(address, persona, accept=True, as_json=as_json)


@app.command()
def reject(address: Address, *, persona: Who, as_json: Json = False) -> None:
    """Refuse somebody who asked, or end their following."""
    _answer(address, persona, accept=False, as_json=as_json)


@app.command(name="list")
def list_(*, persona: Who, as_json: Json = False) -> None:
    """List both sides."""

    async def work(server: Server) -> dict[str, list[dict[str, Any]]]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
            following = await read.following_of(tx, me.id, state=None)
            followers = await read.followers_of(tx, me.id, state=None)
        return {
            side: [{"address": f"@{other.address}", "uri": other.uri, "state": follow.state} for other, follow in pairs]
            for side, pairs in (("following", following), ("followers", followers))
        }

    sides = with_server(work)
    rows = [
        {"": arrow, **row}
        for side, arrow in (("following", "follows"), ("followers", "is followed by"))
        for row in sides[side]
    ]
    say(
        sides,
        table(rows, ["", "address", "state"], f"{persona} follows nobody, and nobody follows it."),
        as_json=as_json,
    )


def _answer(address: str, persona: str, *, accept: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            found = await read.between(tx, other.id, me.id)
            if found is None:
                raise NotFound(
                    f"@{other.address} did not ask to follow {persona}.", "`privapub follow list` shows who did."
                )
            await follow.answer(tx, found.id, accept=accept, now=clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "state": "accepted" if accept else "rejected"}

    done = with_server(work)
    say(done, f"{done['address']}: {done['state']}", as_json=as_json)


async def both(server: Server, persona: str, address: str) -> tuple[Persona, Actor]:
    """The persona, and who is at the address."""
    async with server.database.read() as tx:
        me = await persona_named(tx, persona)
    return me, await resolve(server, address)
