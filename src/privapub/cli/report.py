"""`privapub report` and `privapub reports …`: say that something should be looked at, and see what was said."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.cli.meant import acting, asking, somebody
from privapub.cli.opened import with_server
from privapub.cli.options import Address, Json, Limit, Persona
from privapub.cli.output import say, table
from privapub.composing.report import report as file_report
from privapub.moderation import reports as read
from privapub.moderation.reports import Report
from privapub.server import Server

app = typer.Typer(name="reports", help="What was reported, here and from elsewhere.", no_args_is_help=True)


def report(
    address: Address,
    *,
    persona: Persona,
    post: Annotated[
        list[str] | None,
        typer.Option("--post", metavar="POST", help="A post of theirs, by number, address or page; may be repeated."),
    ] = None,
    comment: Annotated[str, typer.Option(metavar="TEXT", help="What is wrong.")] = "",
    forward: Annotated[bool, typer.Option(help="Tell their server too; it does not learn who reports.")] = True,
    as_json: Json = False,
) -> None:
    """Report somebody to the admins here, and to their own server."""

    async def work(server: Server) -> Report:
        me = await acting(server, persona)
        target = await somebody(server, address)
        with asking(*post or ()):
            return await file_report(server, me.id, target, post or (), comment, forward=forward)

    filed = with_server(work)
    say({"id": str(filed.id), "uri": filed.uri, "posts": filed.post_uris}, f"Reported (id {filed.id})", as_json=as_json)


@app.command(name="list")
def list_(
    *,
    closed: Annotated[bool, typer.Option("--closed", help="Also those that were dealt with.")] = False,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """List the reports that came in and went out, newest first."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            found = await read.newest(tx, closed=closed, limit=limit)
            people = await actors.by_ids(tx, {each for one in found for each in (one.reporter_id, one.target_id)})
        return [
            {
                "id": str(one.id),
                "reporter": _who(people[one.reporter_id]),
                "target": f"@{people[one.target_id].address}",
                "posts": list(one.post_uris),
                "comment": one.comment,
                "created_at": clock.iso(one.created_at),
                "closed": one.closed_at is not None,
            }
            for one in found
        ]

    rows = with_server(work)
    say(rows, table(rows, ["id", "created_at", "target", "reporter", "comment"], "There is none."), as_json=as_json)


@app.command()
def close(
    number: Annotated[int, typer.Argument(metavar="ID", help="Its number in the list.")], *, as_json: Json = False
) -> None:
    """Close a report that was dealt with. After ninety days it is forgotten."""

    async def work(server: Server) -> bool:
        async with server.database.write() as tx:
            return await read.close(tx, number, clock.now())

    changed = with_server(work)
    say(
        {"id": str(number), "closed": True, "changed": changed},
        f"Closed{'' if changed else ' already'}: {number}",
        as_json=as_json,
    )


def _who(reporter: Actor) -> str:
    """Reports from elsewhere come from their server as such, which tells nobody who reports."""
    return f"the server {reporter.host}" if reporter.kind == "Application" else f"@{reporter.address}"
