"""`privapub jobs …`: what waits, runs and has ended."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import with_server
from privapub.cli.options import LARGEST, Json, Limit
from privapub.cli.output import lines, readable, say, table
from privapub.errors import InvalidInput
from privapub.job_table import job_kinds
from privapub.jobs import pause, read
from privapub.jobs.hosts import HOST
from privapub.jobs.job import STATES
from privapub.server import Server

app = typer.Typer(name="jobs", help="The queue: what waits, runs and has ended.", no_args_is_help=True)
Which = Annotated[int, typer.Argument(metavar="ID", max=LARGEST, help="Its number in `privapub jobs list`.")]


@app.command(name="list")
def list_(
    *,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    host: Annotated[str | None, typer.Option(help="Only deliveries to this host.")] = None,
    state: Annotated[
        str | None, typer.Option(help="waiting, leased, blocked, paused, done, failed or cancelled.")
    ] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List jobs, newest first."""
    if state is not None and state not in STATES:
        raise InvalidInput(f"No job is {state!r}.", f"A job is {', '.join(STATES)}.")

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            found = await read.list_jobs(tx, kind, host and HOST + host, state, limit)
        return [row._asdict() for row in found]

    rows = [readable(row) for row in with_server(work)]
    say(
        rows,
        table(rows, ["id", "kind", "lane", "state", "attempt", "run_at", "why"], "There is no such job."),
        as_json=as_json,
    )


@app.command()
def show(which: Which, *, as_json: Json = False) -> None:
    """Show one job whole."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            return (await read.show(tx, which))._asdict()

    row = readable(with_server(work))
    say(row, lines(row), as_json=as_json)


@app.command()
def retry(which: Which, *, as_json: Json = False) -> None:
    """Run a job now: one that waits for its next try, or one that failed."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            await read.retry(tx, which, clock.now())

    with_server(work)
    say({"id": which, "state": "waiting"}, f"Job {which} runs as soon as there is room.", as_json=as_json)


@app.command()
def cancel(which: Which, *, as_json: Json = False) -> None:
    """Take a waiting job out of the queue."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            await read.cancel(tx, which, clock.now(), job_kinds(server))

    with_server(work)
    say({"id": which, "state": "cancelled"}, f"Job {which} is cancelled.", as_json=as_json)


@app.command()
def resume(
    *, kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None, as_json: Json = False
) -> None:
    """Let go on what a restored backup held as unfinished: it goes out to the world."""

    async def work(server: Server) -> int:
        async with server.database.write() as tx:
            return await pause.resume(tx, kind)

    number = with_server(work)
    say({"resumed": number}, f"{number} jobs wait again." if number else "No job is paused.", as_json=as_json)
