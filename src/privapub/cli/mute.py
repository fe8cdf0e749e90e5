"""`privapub mute …`: whom a persona does not want to read."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import mutes
from privapub.actors.mutes import Mute
from privapub.cli.meant import acting, both
from privapub.cli.opened import with_server
from privapub.cli.options import Address, Json, Limit, Persona
from privapub.cli.output import say, table
from privapub.database.page import Window
from privapub.server import Server

app = typer.Typer(name="mute", help="Whom a persona does not want to read.", no_args_is_help=True)


@app.command()
def add(
    address: Address,
    *,
    persona: Persona,
    hours: Annotated[
        float | None, typer.Option(min=0.01, metavar="NUMBER", help="For how long. Absent: until it is taken back.")
    ] = None,
    notifications: Annotated[bool, typer.Option(help="Whether what they do is not told either.")] = True,
    as_json: Json = False,
) -> None:
    """Mute somebody. Nobody is told, and they may still read what the persona writes."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        now = clock.now()
        until = None if hours is None else now + hours * 3600
        async with server.database.write() as tx:
            changed = await mutes.between(tx, me.id, other.id, now) != Mute(notifications, until)
            await mutes.add(tx, me.id, other.id, notifications=notifications, ends_at=until, now=now)
        return {
            "address": f"@{other.address}",
            "uri": other.uri,
            "muted": True,
            "until": until and clock.iso(until),
            "changed": changed,
        }

    done = with_server(work)
    already = "" if done["changed"] else " already"
    until = done["until"] or "it is taken back"
    say(done, f"{persona} mutes {done['address']}{already}, until {until}", as_json=as_json)


@app.command()
def remove(address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Mute somebody no more."""

    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            changed = await mutes.remove(tx, me.id, other.id, clock.now())
        return {"address": f"@{other.address}", "uri": other.uri, "muted": False, "changed": changed}

    done = with_server(work)
    said = "does not mute {} any more" if done["changed"] else "was not muting {}"
    say(done, f"{persona} {said.format(done['address'])}", as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, limit: Limit = 100, as_json: Json = False) -> None:
    """List whom a persona mutes now."""

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            page = await mutes.of(tx, me.id, Window(limit=limit), clock.now())
        return [
            {
                "address": f"@{other.address}",
                "uri": other.uri,
                "notifications": mute.notifications,
                "until": mute.ends_at and clock.iso(mute.ends_at),
            }
            for other, mute in page.items
        ]

    rows = with_server(work)
    columns = ["address", "notifications", "until"]
    say(rows, table(rows, columns, f"{persona} mutes nobody."), as_json=as_json)
