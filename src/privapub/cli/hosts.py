"""`privapub hosts …`: the servers that something is sent to."""

from typing import Annotated, Any

import typer

from privapub.cli.opened import with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import lines, readable, say, table
from privapub.jobs import hosts
from privapub.server import Server

app = typer.Typer(name="hosts", help="The servers that something is sent to.", no_args_is_help=True)


@app.command(name="list")
def list_(*, limit: Limit = 100, as_json: Json = False) -> None:
    """List hosts: how much waits for each, and how long it is left in peace."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [row._asdict() for row in await hosts.list_hosts(tx, limit)]

    rows = [_shown(row) for row in with_server(work)]
    say(rows, table(rows, ["host", "waiting", "leased", "next_at"], "Nothing was sent anywhere yet."), as_json=as_json)


@app.command()
def show(host: Annotated[str, typer.Argument(help="Its name, such as example.org.")], *, as_json: Json = False) -> None:
    """Show one host."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            return (await hosts.show_host(tx, host.lower()))[0]._asdict()

    row = _shown(with_server(work))
    say(row, lines(row), as_json=as_json)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return readable({"host": row.pop("lane").removeprefix(hosts.HOST), **row})
