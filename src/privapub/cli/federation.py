"""`privapub federation …`: what comes and goes, without who."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.hosts import in_words
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.federation.delivery.deliver import DELIVERY
from privapub.jobs import read as jobs
from privapub.jobs.hosts import HOST, left_alone
from privapub.jobs.moment import moment
from privapub.server import Server
from privapub.telemetry import arrivals, fetches

app = typer.Typer(name="federation", help="What comes from other servers and goes to them.", no_args_is_help=True)


@app.command()
def report(
    *, days: Annotated[int, typer.Option(min=1, max=30, help="How far back to look.")] = 7, as_json: Json = False
) -> None:
    """Count what arrived and what became of it, what was fetched and sent in vain, who is left alone, and the jobs."""

    async def work(server: Server) -> dict[str, Any]:
        since = clock.now() - days * 86400
        async with server.database.read() as tx:
            return {
                "arrivals": [asdict(row) for row in await arrivals.since(tx, clock.iso_day(since))],
                "fetches": [row._asdict() for row in await fetches.outcomes(tx, since=since)],
                "given_up": [
                    {"host": row.lane.removeprefix(HOST), "why": row.why, "count": row.number}
                    for row in await jobs.given_up(tx, DELIVERY, since)
                ],
                "left_alone": [in_words(row, await moment(tx)) for row in await left_alone(tx)],
                "jobs": [
                    {"kind": kind, "state": state, "count": count}
                    for kind, states in (await jobs.counts(tx)).items()
                    for state, count in states.items()
                ],
            }

    data = with_server(work)
    parts = [
        ("Arrived at the inboxes", data["arrivals"], ["host", "outcome", "reason", "count"], "nothing yet"),
        ("Fetched", data["fetches"], ["purpose", "outcome", "reason", "count"], "nothing yet"),
        ("Deliveries given up", data["given_up"], ["host", "why", "count"], "none"),
        ("Left alone", data["left_alone"], ["host", "failures", "waiting", "state", "state_until"], "nobody"),
        ("Jobs", data["jobs"], ["kind", "state", "count"], "none"),
    ]
    text = "\n\n".join(f"{title}\n{table(rows, columns, empty)}" for title, rows, columns, empty in parts)
    say(data, text, as_json=as_json)
