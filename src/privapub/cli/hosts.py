"""`privapub hosts …`: the servers that something is sent to."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.jobs import read
from privapub.server import Server

app = typer.Typer(name="hosts", help="The servers that something is sent to.", no_args_is_help=True)


@app.command(name="list")
def list_(*, limit: int = 100, as_json: Json = False) -> None:
    """List hosts: how much waits for each, and how long it is left in peace."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [row._asdict() for row in await read.list_hosts(tx, limit)]

    rows = [_shown(row) for row in with_server(work)]
    say(rows, table(rows, ["host", "waiting", "leased", "next_at"], "Nothing was sent anywhere yet."), as_json=as_json)


@app.command()
def show(host: Annotated[str, typer.Argument(help="example.org")], *, as_json: Json = False) -> None:
    """Show one host."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            return (await read.show_host(tx, host.lower()))[0]._asdict()

    row = _shown(with_server(work))
    say(row, "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in row.items()), as_json=as_json)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    named = {"host": row["lane"].removeprefix(read.HOST), **{key: value for key, value in row.items() if key != "lane"}}
    return {
        name: clock.iso(value) if name.endswith("_at") and value is not None else value for name, value in named.items()
    }
