"""`privapub block …`: whom a persona blocks."""

from typing import Any

import typer

from privapub import clock, identifiers
from privapub.actors import blocks
from privapub.actors.addresses import Addresses
from privapub.cli.meant import acting, both
from privapub.cli.opened import with_server
from privapub.cli.options import Address, Json, Limit, Persona
from privapub.cli.output import say, table
from privapub.database.page import Window
from privapub.follows import blocking
from privapub.server import Server

app = typer.Typer(name="block", help="Whom a persona blocks.", no_args_is_help=True)


@app.command()
def add(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Block somebody: neither follows, reads or reaches the other any more, and their server is told."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            uri = Addresses(server.base_url).activity(identifiers.token())
            changed = await blocking.block(tx, me.id, other.id, uri, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "blocked": True, "changed": changed}

    done = with_server(work)
    already = "" if done["changed"] else " already"
    say(done, f"{persona} blocks {done['address']}{already}", as_json=as_json)


@app.command()
def remove(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Block somebody no more. Follows that the block ended do not come back."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            changed = await blocking.unblock(tx, me.id, other.id, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "blocked": False, "changed": changed}

    done = with_server(work)
    said = "does not block {} any more" if done["changed"] else "was not blocking {}"
    say(done, f"{persona} {said.format(done['address'])}", as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, limit: Limit = 100, as_json: Json = False) -> None:
    """List whom a persona blocks."""

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            page = await blocks.of(tx, me.id, Window(limit=limit))
        return [{"address": f"@{other.address}", "uri": other.uri} for other in page.items]

    rows = with_server(work)
    say(rows, table(rows, ["address", "uri"], f"{persona} blocks nobody."), as_json=as_json)
