"""`privapub follow …`: whom a persona follows, and who follows it."""

from typing import Any

import typer

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.cli.meant import acting, both
from privapub.cli.opened import with_server
from privapub.cli.options import Address, Json, Persona
from privapub.cli.output import say, table
from privapub.errors import NotFound
from privapub.follows import follow, read
from privapub.server import Server

app = typer.Typer(name="follow", help="Whom a persona follows, and who follows it.", no_args_is_help=True)


@app.command()
def add(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Follow somebody, here or elsewhere."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            before = await read.between(tx, me.id, other.id)
            uri = Addresses(server.base_url).activity(identifiers.token())
            state = await follow.ask(tx, me.id, other.id, uri, clock.now())
        changed = before is None or before.state != state
        return {"address": f"@{other.address}", "uri": other.uri, "state": state, "changed": changed}

    done = with_server(work)
    already = "" if done["changed"] else " already"
    say(done, f"{persona} follows {done['address']}{already}: {done['state']}", as_json=as_json)


@app.command()
def remove(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Follow somebody no more."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            changed = await follow.withdraw(tx, me.id, other.id, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "state": "none", "changed": changed}

    done = with_server(work)
    said = "does not follow {} any more" if done["changed"] else "was not following {}"
    say(done, f"{persona} {said.format(done['address'])}", as_json=as_json)


@app.command()
def accept(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Let somebody who asked follow the persona."""
    _answer(address, persona, accept=True, as_json=as_json)


@app.command()
def reject(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Refuse somebody who asked, or end their following."""
    _answer(address, persona, accept=False, as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, as_json: Json = False) -> None:
    """List both sides."""

    async def work(server: Server) -> dict[str, list[dict[str, Any]]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
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
            if found is None and accept:
                raise NotFound(
                    f"@{other.address} did not ask to follow {persona}.",
                    f"`privapub follow list --persona {persona}` shows who did.",
                )
            changed = found is not None and await follow.answer(tx, found.id, accept=accept, now=clock.now())
            now = None if found is None else await read.between(tx, other.id, me.id)
        return {
            "address": f"@{other.address}",
            "uri": other.uri,
            "state": "none" if now is None else now.state,
            "changed": changed,
        }

    done = with_server(work)
    already = "" if done["changed"] else " (as before)"
    say(done, f"{done['address']}: {done['state']}{already}", as_json=as_json)
