"""`privapub list …`: a persona's lists of people."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.meant import acting, both
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Address, Json, Persona
from privapub.cli.output import say, table
from privapub.database.page import Window
from privapub.identifiers import LARGEST
from privapub.server import Server
from privapub.timelines import lists
from privapub.timelines.lists import LIST, REPLIES, PeopleList

app = typer.Typer(name="list", help="Lists of people that a persona keeps for itself.", no_args_is_help=True)
Which = Annotated[
    int, typer.Argument(metavar="ID", min=0, max=LARGEST, help="The list's number: `privapub list list` shows them.")
]
Replies = Annotated[str, typer.Option(metavar="WHOSE", help=f"Which answers it shows: {', '.join(REPLIES)}.")]
Exclusive = Annotated[bool, typer.Option(help="Whether its people are left out of the home timeline.")]


def shown(one: PeopleList) -> dict[str, Any]:
    """A list as commands print it."""
    return {"id": str(one.id), "title": one.title, "replies": one.replies, "exclusive": one.exclusive}


@app.command()
def add(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What it is called.")],
    *,
    persona: Persona,
    replies: Replies = LIST,
    exclusive: Exclusive = False,
    as_json: Json = False,
) -> None:
    """Make a list."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            made = await lists.add(tx, me.id, title, replies=replies, exclusive=exclusive, now=clock.now())
            return shown(await lists.by_id(tx, me.id, made))

    done = with_server(work)
    say(done, f"Made: {done['title']} (id {done['id']})", as_json=as_json)


@app.command()
def remove(which: Which, *, persona: Persona, as_json: Json = False) -> None:
    """Take a list away."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            gone = await lists.by_id(tx, me.id, which)
            await lists.remove(tx, me.id, which)
        return {**shown(gone), "removed": True}

    done = with_server(work)
    say(done, f"Removed: {done['title']}", as_json=as_json)


@app.command()
def put(which: Which, address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Put somebody whom the persona follows on a list."""
    _change(which, address, persona, on_it=True, as_json=as_json)


@app.command()
def take(which: Which, address: Address, *, persona: Persona, as_json: Json = False) -> None:
    """Take somebody off a list."""
    _change(which, address, persona, on_it=False, as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, as_json: Json = False) -> None:
    """List the lists, and who is on each."""

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            found = []
            for one in await lists.of(tx, me.id):
                people = await lists.members(tx, me.id, one.id, Window(limit=lists.MOST_MEMBERS))
                found.append({**shown(one), "people": [f"@{actor.address}" for actor in people.items]})
        return found

    rows = with_server(work)
    lines = [{**row, "people": " ".join(row["people"])} for row in rows]
    say(rows, table(lines, ["id", "title", "people"], f"{persona} has no list."), as_json=as_json)


def _change(which: int, address: str, persona: str, *, on_it: bool, as_json: bool) -> None:
    async def work(server: Server) -> dict[str, Any]:
        me, other = await both(server, persona, address)
        async with server.database.write() as tx:
            one = await lists.by_id(tx, me.id, which)
            changed = await (lists.put_on if on_it else lists.take_off)(tx, me.id, which, [other.id]) > 0
        return {**shown(one), "address": f"@{other.address}", "on_it": on_it, "changed": changed}

    done = with_server(work)
    before, after = ("was on", "is on") if on_it else ("was not on", "is off")
    said = after if done["changed"] else before
    say(done, f"{done['address']} {said} the list {done['title']}", as_json=as_json)
