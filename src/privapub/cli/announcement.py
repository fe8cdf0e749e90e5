"""`privapub announcement …`: what everyone here is told."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.errors import NotFound
from privapub.identifiers import LARGEST
from privapub.moderation import announcements
from privapub.moderation.announcements import Announcement
from privapub.server import Server

HOUR = 3600.0
app = typer.Typer(name="announcement", help="What everyone here is told.", no_args_is_help=True)


def _shown(each: Announcement) -> dict[str, Any]:
    until = None if each.ends_at is None else clock.iso(each.ends_at)
    return {"id": str(each.id), "text": each.text, "since": clock.iso(each.published_at), "until": until}


@app.command()
def write(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said.")],
    *,
    hours: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="For how many hours it is shown; without it there is no end.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell everyone here something: programs show it."""

    async def work(server: Server) -> dict[str, Any]:
        now = clock.now()
        async with server.database.write() as tx:
            return _shown(await announcements.write(tx, text, None, None if hours is None else now + hours * HOUR, now))

    done = with_server(work)
    say(done, f"Announced: {done['id']}", as_json=as_json)


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """Show what was announced."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [_shown(each) for each in await announcements.everyone(tx)]

    found = with_server(work)
    say(found, table(found, ["id", "since", "until", "text"], "none"), as_json=as_json)


@app.command()
def remove(
    which: Annotated[int, typer.Argument(metavar="ID", min=0, max=LARGEST, help="Its number: `announcement list`.")],
    *,
    as_json: Json = False,
) -> None:
    """Take an announcement back."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            if not await announcements.remove(tx, which):
                raise NotFound("There is no such announcement.", "`privapub announcement list` shows those there are.")

    with_server(work)
    say({"id": str(which)}, "Removed.", as_json=as_json)
