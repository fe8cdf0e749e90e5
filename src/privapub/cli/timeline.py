"""`privapub timeline`."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from privapub.actors.read import by_ids
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import say
from privapub.cli.post import shown
from privapub.markup.text import text_of
from privapub.server import Server
from privapub.timelines.read import home


def timeline(
    *,
    persona: Annotated[str, typer.Option("--persona", help="Whose timeline.")],
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """Show a persona's home timeline, newest first."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
            posts = await home(tx, me.id, limit=limit)
            authors = await by_ids(tx, {post.author_id for post in posts})
        return [{**shown(post), "author": f"@{authors[post.author_id].address}"} for post in posts]

    rows = with_server(work)
    say(rows, "\n\n".join(map(lines, rows)) or "There is nothing yet.", as_json=as_json)


def lines(row: Mapping[str, Any]) -> str:
    """A post for people: who and when, its warning, its text, its address."""
    parts = (
        f"{row['author']}  {row['published_at']}  {row['audience']}",
        row["summary"],
        text_of(row["html"]),
        row["uri"],
    )
    return "\n".join(line for line in parts if line)
