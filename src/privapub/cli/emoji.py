"""`privapub emoji …`: the custom emojis of this server."""

from pathlib import Path
from typing import Annotated, Any

import typer

from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.emojis import keep
from privapub.emojis.keep import Emoji
from privapub.emojis.take_in import Taken, take_in, take_in_all
from privapub.errors import InvalidInput
from privapub.media.let_go import let_go
from privapub.server import Server

app = typer.Typer(name="emoji", help="Custom emojis: pictures that stand for a :name: in posts.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, with or without colons.")]
Category = Annotated[str, typer.Option(metavar="TEXT", help="The heading under which apps show it.")]


@app.command()
def add(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A picture; what moves goes on moving.")],
    *,
    category: Category = "",
    as_json: Json = False,
) -> None:
    """Add an emoji; one of this name is replaced."""
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}.")

    async def work(server: Server) -> Emoji:
        return await take_in(server, name.strip(":"), file, category)

    made = with_server(work)
    say(shown(made), f"There is :{made.shortcode}: now.", as_json=as_json)


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """List all of them."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [shown(each) for each in await keep.listed(tx)]

    rows = with_server(work)
    say(rows, table(rows, ["name", "category", "media_type", "bytes"], "There is no emoji yet."), as_json=as_json)


@app.command()
def remove(name: Name, *, as_json: Json = False) -> None:
    """Take an emoji away: its name is text again, also in the posts that use it here."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            await let_go(tx, [await keep.remove(tx, name.strip(":"))])

    with_server(work)
    say({"name": name.strip(":"), "removed": True}, f"Removed: :{name.strip(':')}:", as_json=as_json)


@app.command(name="import")
def import_(
    source: Annotated[Path, typer.Argument(metavar="FOLDER|TAR", help="The pictures, each named as it is to be.")],
    *,
    category: Category = "",
    as_json: Json = False,
) -> None:
    """Add all pictures of a folder or a tar; one that cannot be an emoji stops no other."""

    async def work(server: Server) -> Taken:
        return await take_in_all(server, source, category)

    taken = with_server(work)
    lines = [f"{len(taken.added)} emojis are added.", *(f"not {name[:80]}: {why}" for name, why in taken.refused)]
    told = {"added": taken.added, "refused": [{"name": name, "why": why} for name, why in taken.refused]}
    say(told, "\n".join(lines), as_json=as_json)


def shown(emoji: Emoji) -> dict[str, Any]:
    """An emoji as programs read it (pure)."""
    return {
        "name": emoji.shortcode,
        "file": emoji.file,
        "media_type": emoji.media_type,
        "bytes": emoji.bytes,
        "category": emoji.category,
    }
