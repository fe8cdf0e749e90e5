"""`privapub federation show`: what is held of a post or an actor, and what of its document could not be read."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub.actors import read as actors
from privapub.cli.opened import with_server
from privapub.cli.options import LARGEST, Json
from privapub.cli.output import lines, readable, say
from privapub.errors import NotFound
from privapub.posts import pin
from privapub.posts import read as posts
from privapub.server import Server


def show(
    which: Annotated[str, typer.Argument(metavar="ID|URI", help="A post's or an actor's number, or its uri.")],
    *,
    as_json: Json = False,
) -> None:
    """Show what is held of a post or an actor, and the notes on what of its document could not be read."""

    async def work(server: Server) -> dict[str, Any]:
        number = int(which) if which.isascii() and which.isdigit() and len(which) <= len(str(LARGEST)) else None
        async with server.database.read() as tx:
            if number is not None and number <= LARGEST:
                found: Any = await posts.by_id(tx, number) or await actors.by_id(tx, number)
            else:
                found = await posts.by_uri(tx, which) or await actors.by_uri(tx, which)
            if found is None:
                raise NotFound(f"Nothing is known of {which}.", "What is named by its uri is named letter by letter.")
            more = {}
            if isinstance(found, posts.Post):
                more["pinned"] = found.id in {post.id for post in await pin.pinned(tx, found.author_id)}
        return readable({**asdict(found), **more, "id": str(found.id)})

    data = with_server(work)
    notes = "\n".join(f"note on {name}: {sentence}" for name, sentence in data.get("notes", ()))
    text = lines({name: value for name, value in data.items() if name != "notes"})
    say(data, f"{text}\n{notes}" if notes else text, as_json=as_json)
