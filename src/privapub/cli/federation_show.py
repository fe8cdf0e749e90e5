"""`privapub federation show`: what is held of a post or an actor, and what of its document could not be read."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import lines, readable, say
from privapub.cli.shown import poll_lines, poll_shown
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.federation.fetching.jrd import read_name
from privapub.federation.fetching.origin import origin
from privapub.identifiers import number_in
from privapub.personas import read as personas
from privapub.posts import pin
from privapub.posts import read as posts
from privapub.posts.read import Post
from privapub.server import Server


def show(
    which: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="A post or somebody: by number, @somebody@example.org, or by address or page."
        ),
    ],
    *,
    as_json: Json = False,
) -> None:
    """Show what is held of a post or an actor, and the notes on what of its document could not be read.

    Nothing is fetched.
    """

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            found = await _held(tx, server, which.strip())
            if found is None:
                raise NotFound(
                    f"Nothing is known of {which}.",
                    "Only what is held here is shown: what is elsewhere comes with a follow, a like or an answer.",
                )
            return await shown(tx, found)

    printed(with_server(work), as_json=as_json)


def printed(data: dict[str, Any], *, as_json: bool) -> None:
    """Print what `shown` gave."""
    notes = "\n".join(f"note on {name}: {sentence}" for name, sentence in data.get("notes", ()))
    text = lines({name: value for name, value in data.items() if name not in ("notes", "poll")})
    more = [poll_lines(data["poll"])] if data.get("poll") else []
    say(data, "\n".join(part for part in (text, *more, notes) if part), as_json=as_json)


async def shown(tx: Transaction, found: Actor | Post) -> dict[str, Any]:
    """All that is held of an actor or a post, for people and programs."""
    data = readable(asdict(found))
    if isinstance(found, Post):
        data["pinned"] = found.id in {post.id for post in await pin.pinned(tx, found.author_id)}
        data["poll"] = None if found.poll is None else poll_shown(found.poll)
    # Numbers as large as these are not exact in every reader of JSON.
    ids = {name: str(value) for name, value in data.items() if name in _IDS and value is not None}
    return {**data, **ids}


_IDS = ("id", "author_id", "in_reply_to_id")


async def _held(tx: Transaction, server: Server, which: str) -> Actor | Post | None:
    """The post or actor that is meant, as far as it is known."""
    number = number_in(which)
    if number is not None:
        return await posts.by_id(tx, number) or await actors.by_id(tx, number)
    if origin(which):
        return (
            await posts.by_uri(tx, which)
            or await actors.by_uri(tx, which)
            or await posts.by_page(tx, which)
            or await actors.by_page(tx, which)
        )
    if not which:
        raise InvalidInput("What is to be shown is missing.", "Write a number, an address or @somebody@example.org.")
    name = read_name(which)
    if name.host in (server.domain, origin(server.base_url)):
        persona = await personas.by_handle(tx, name.handle)
        return None if persona is None else persona.actor
    return await actors.by_address(tx, name.handle, name.host)
