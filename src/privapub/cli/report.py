"""`privapub report` and `privapub reports`: say that something should be looked at, and see what was said."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import read as actors
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import say, table
from privapub.composing.report import report as file_report
from privapub.federation.fetching.webfinger import resolve
from privapub.moderation import reports as read
from privapub.moderation.reports import Report
from privapub.server import Server


def report(
    address: Annotated[str, typer.Argument(help="@somebody@example.org, or the address of their page or actor.")],
    *,
    persona: Annotated[str, typer.Option("--persona", help="The handle of the persona that reports.")],
    post: Annotated[list[str] | None, typer.Option("--post", help="A post of theirs; may be given again.")] = None,
    comment: Annotated[str, typer.Option(help="What is wrong.")] = "",
    forward: Annotated[bool, typer.Option(help="Tell their server too; it does not learn who reports.")] = True,
    as_json: Json = False,
) -> None:
    """Report somebody to the admins here, and to their own server."""

    async def work(server: Server) -> Report:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        target = await resolve(server, address)
        return await file_report(server, me.id, target, post or (), comment, forward=forward)

    filed = with_server(work)
    say({"id": str(filed.id), "uri": filed.uri, "posts": filed.post_uris}, f"Reported (id {filed.id})", as_json=as_json)


def reports(
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
                "reporter": f"@{people[one.reporter_id].address}",
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
