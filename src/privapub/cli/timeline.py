"""`privapub timeline …`."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors.read import by_ids
from privapub.cli.meant import acting
from privapub.cli.opened import with_server
from privapub.cli.options import Before, Json, Limit, Persona
from privapub.cli.output import say
from privapub.cli.shown import paragraphs, shown
from privapub.database.page import Page, Window
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.identifiers import number_in
from privapub.markup.hashtags import tag_key
from privapub.server import Server
from privapub.timelines.entry import Entry
from privapub.timelines.home import home, of_list
from privapub.timelines.read import mentions, public, tagged

HOME, PUBLIC, LOCAL, TAG, LIST, MENTIONS = KINDS = ("home", "public", "local", "tag", "list", "mentions")


def timeline(
    which: Annotated[str, typer.Argument(metavar="WHICH", help=f"Which one: {', '.join(KINDS)}. Absent: home.")] = HOME,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="With tag: the hashtag; with list: the list's number.")
    ] = "",
    *,
    persona: Persona,
    before: Before = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """Show a timeline as a persona sees it, newest first."""
    if which not in KINDS:
        raise InvalidInput(f"There is no timeline {which!r}.", f"It may be {', '.join(KINDS)}.")
    if which == LIST and number_in(name) is None:
        raise InvalidInput("A list is named by its number.", "`privapub list list` shows those there are.")
    if which == TAG and not name.strip("#"):
        raise InvalidInput("Which hashtag?", f"`privapub timeline tag cats --persona {persona}`")

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            page = await _page(tx, which, name, me.id, Window(before=before, limit=limit), clock.now())
            ids = {entry.post.author_id for entry in page.items} | {entry.booster_id or 0 for entry in page.items}
            people = await by_ids(tx, ids)
        return [
            {
                "entry": str(entry.id),
                **shown(entry.post),
                "author": f"@{people[entry.post.author_id].address}",
                "boosted_by": None if entry.booster_id is None else f"@{people[entry.booster_id].address}",
                "filters": [match.filter.title for match in entry.matches],
            }
            for entry in page.items
        ]

    rows = with_server(work)
    said = [*map(paragraphs, rows)] or [f"There is nothing {'older' if before else 'yet'}."]
    if len(rows) == limit:
        said.append(f"Older ones: --before {rows[-1]['entry']}")
    say(rows, "\n\n".join(said), as_json=as_json)


async def _page(tx: Transaction, which: str, name: str, persona_id: int, window: Window, now: float) -> Page[Entry]:
    match which:
        case "public" | "local":
            return await public(tx, persona_id, window, now, where="local" if which == LOCAL else "all")
        case "tag":
            return await tagged(tx, tag_key(name.lstrip("#")), persona_id, window, now)
        case "list":
            return await of_list(tx, persona_id, int(name), window, now)
        case "mentions":
            return await mentions(tx, persona_id, window, now)
    return await home(tx, persona_id, window, now)
