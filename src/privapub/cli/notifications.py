"""`privapub notifications …`: what a persona was told."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors.read import by_ids
from privapub.cli.meant import acting
from privapub.cli.opened import with_server
from privapub.cli.options import Before, Json, Limit, Persona
from privapub.cli.output import say, table
from privapub.database.page import Window
from privapub.errors import InvalidInput
from privapub.notifications import read
from privapub.notifications.notify import KINDS
from privapub.server import Server

app = typer.Typer(name="notifications", help="What a persona was told.", no_args_is_help=True)


@app.command(name="list")
def list_(
    *,
    persona: Persona,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help=f"Only these (may be repeated): {', '.join(KINDS)}.")
    ] = None,
    before: Before = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """List what others did that concerns a persona, newest first."""
    if wrong := sorted(set(kind or ()) - set(KINDS)):
        raise InvalidInput(f"There is no kind {wrong[0]!r}.", f"They are {', '.join(KINDS)}.")

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            page = await read.of(tx, me.id, Window(before=before, limit=limit), clock.now(), kinds=kind or None)
            who = await by_ids(tx, {one.actor_id for one in page.items})
        return [
            {
                "id": str(one.id),
                "kind": one.kind,
                "from": f"@{who[one.actor_id].address}",
                "post": None if one.post is None else one.post.uri,
                "created_at": clock.iso(one.created_at),
            }
            for one in page.items
        ]

    rows = with_server(work)
    lines = table(rows, ["created_at", "kind", "from", "post"], f"There is nothing {'older' if before else 'yet'}.")
    if len(rows) == limit:
        lines += f"\n\nOlder ones: --before {rows[-1]['id']}"
    say(rows, lines, as_json=as_json)
