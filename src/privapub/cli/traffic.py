"""`privapub traffic …`: what was asked of this server, without who asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table, with_total
from privapub.server import Server
from privapub.telemetry import traffic

app = typer.Typer(name="traffic", help="What is asked of this server, without who asks.", no_args_is_help=True)


@app.command()
def report(
    *,
    days: Annotated[int, typer.Option(min=1, max=365, help="How many days to look at, today among them.")] = 7,
    as_json: Json = False,
) -> None:
    """Count the answers by kind and status, and how many of them were to signed requests.

    Of no address, no server and no person is anything kept. What was answered in the last ten seconds may be missing.
    """
    first = clock.iso_day(clock.now() - (days - 1) * 86400)

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [asdict(row) for row in await traffic.since(tx, first)]

    rows = with_server(work)
    lines = with_total(summed(rows), "kind", ("signed", "unsigned", "count"))
    columns = ["kind", "method", "status", "signed", "unsigned", "count"]
    text = table(lines, columns, "Nothing was answered yet.")
    say({"since": first, "traffic": rows}, f"Answered since {first} (UTC)\n{text}", as_json=as_json)


def summed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All days together: a line for each kind, method and status. Pure."""
    counts: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows:
        line = counts.setdefault((row["kind"], row["method"], row["status"]), Counter())
        line["signed" if row["signed"] else "unsigned"] += row["count"]
    return [
        {
            "kind": kind,
            "method": method,
            "status": status,
            "signed": line["signed"],
            "unsigned": line["unsigned"],
            "count": line.total(),
        }
        for (kind, method, status), line in sorted(counts.items())
    ]
