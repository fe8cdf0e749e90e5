"""`privapub filter …`: words that a persona does not want to read."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.meant import acting
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json, Persona
from privapub.cli.output import say, table
from privapub.identifiers import LARGEST
from privapub.server import Server
from privapub.timelines import filters
from privapub.timelines.matching import ACTIONS, PLACES, Filter

app = typer.Typer(name="filter", help="Words that a persona does not want to read.", no_args_is_help=True)


def shown(one: Filter) -> dict[str, Any]:
    """A filter as programs read it."""
    return {
        "id": str(one.id),
        "title": one.title,
        "words": [word.word for word in one.words],
        "whole_words": all(word.whole for word in one.words),
        "action": one.action,
        "places": list(one.places),
        "until": one.ends_at and clock.iso(one.ends_at),
    }


@app.command()
def add(
    words: Annotated[
        list[str], typer.Argument(metavar="WORD", help="The words; several that belong together in quotes.")
    ],
    *,
    persona: Persona,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What stands beside a post that is met. Absent: the first word.")
    ] = None,
    action: Annotated[str, typer.Option(metavar="ACTION", help=f"What is done: {', '.join(ACTIONS)}.")] = "warn",
    place: Annotated[
        list[str] | None,
        typer.Option(metavar="PLACE", help=f"Where (may be repeated): {', '.join(PLACES)}. Absent: everywhere."),
    ] = None,
    within: Annotated[bool, typer.Option("--within", help="Also where a word is part of another one.")] = False,
    hours: Annotated[
        float | None, typer.Option(min=0.01, metavar="NUMBER", help="For how long. Absent: until it is taken away.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Filter posts with any of these words. Nobody is told."""

    async def work(server: Server) -> dict[str, Any]:
        now = clock.now()
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            made = await filters.add(
                tx,
                me.id,
                title or words[0],
                places=place or PLACES,
                action=action,
                words=[(word, not within) for word in words],
                ends_at=None if hours is None else now + hours * 3600,
                now=now,
            )
            return shown(await filters.by_id(tx, me.id, made))

    done = with_server(work)
    said = f"Filtered ({done['action']}): {', '.join(done['words'])} (id {done['id']})"
    say(done, said, as_json=as_json)


@app.command()
def remove(
    which: Annotated[
        int,
        typer.Argument(
            metavar="ID", min=0, max=LARGEST, help="The filter's number: `privapub filter list` shows them."
        ),
    ],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Filter so no more."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            gone = await filters.by_id(tx, me.id, which)
            await filters.remove(tx, me.id, which)
        return {**shown(gone), "removed": True}

    done = with_server(work)
    say(done, f"Not filtered any more: {', '.join(done['words'])}", as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, as_json: Json = False) -> None:
    """List a persona's filters, those that are over too."""

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            return [shown(one) for one in await filters.of(tx, me.id)]

    rows = with_server(work)
    lines = [{**row, "words": ", ".join(row["words"]), "places": ", ".join(row["places"])} for row in rows]
    columns = ["id", "title", "words", "action", "places", "until"]
    say(rows, table(lines, columns, f"{persona} filters nothing."), as_json=as_json)
