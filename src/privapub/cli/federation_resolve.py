"""`privapub federation resolve`: ask another server who or what is at an address, and keep it."""

from typing import Annotated, Any

import typer

from privapub.cli.federation_show import printed, shown
from privapub.cli.meant import asking
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.composing.find import find
from privapub.errors import InvalidInput
from privapub.server import Server


def resolve(
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="A URL, of a document or of a page, or @somebody@example.org."),
    ],
    *,
    as_json: Json = False,
) -> None:
    """Ask another server who or what is at an address, keep it, and show it.

    A page of HTML is read for the link to its document, in its first 256 KiB.
    """
    if not what.strip():
        raise InvalidInput("An address is missing.", "Write a URL, or @somebody@example.org.")

    async def work(server: Server) -> dict[str, Any]:
        with asking(what):
            found = await find(server, what)
        async with server.database.read() as tx:
            return await shown(tx, found)

    printed(with_server(work), as_json=as_json)
