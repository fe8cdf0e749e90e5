"""`privapub federation …`: what comes and goes, without who."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli import relay
from privapub.cli.hosts import canonical, in_words
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table, with_total
from privapub.cli.reasons import meaning
from privapub.federation.delivery.deliver import DELIVERY
from privapub.jobs import read as jobs
from privapub.jobs.hosts import HOST, left_alone
from privapub.jobs.moment import moment
from privapub.server import Server
from privapub.telemetry import fetches
from privapub.telemetry.tables import arrival, departure, preview_count, proxy_count
from privapub.telemetry.tally import by_day, by_host, by_outcome

DAY = 86_400.0
MOST_HOSTS = 50  # lines for single hosts, the most frequent first

app = typer.Typer(name="federation", help="What comes from other servers and goes to them.", no_args_is_help=True)
app.add_typer(relay.app)


@app.command()
def report(
    *,
    host: Annotated[str | None, typer.Option(metavar="HOST", help="Only of this server, such as example.org.")] = None,
    days: Annotated[int, typer.Option(min=1, max=30, help="How many days to look at, today among them.")] = 7,
    as_json: Json = False,
) -> None:
    """Count what arrived, was fetched and was sent, what became of it and why, and show who is left alone."""
    name = None if host is None else canonical(host)
    lane = None if name is None else HOST + name
    midnight = clock.now() // DAY * DAY - (days - 1) * DAY
    first = clock.iso_day(midnight)

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            return {
                "since": first,
                "host": name,
                "arrivals": [asdict(row) for row in await by_day(tx, arrival, first, name)],
                "arrivals_of_hosts": [asdict(row) for row in await by_host(tx, arrival, first, name, limit=MOST_HOSTS)],
                "fetches": [asdict(row) for row in await fetches.outcomes(tx, since=midnight, host=name)],
                "fetches_of_readers": [
                    {"day": day, "count": count} for day, count in await fetches.of_readers(tx, since=first, host=name)
                ],
                # They are counted by day alone, and no host is theirs.
                **{
                    word: [
                        {"day": day, "outcome": outcome, "count": count}
                        for day, outcome, count in (await by_outcome(tx, table, first) if name is None else ())
                    ]
                    for word, table in (("previews", preview_count), ("proxy", proxy_count))
                },
                "deliveries": [asdict(row) for row in await by_day(tx, departure, first, name)],
                "deliveries_to_hosts": [
                    asdict(row) for row in await by_host(tx, departure, first, name, limit=MOST_HOSTS)
                ],
                "given_up": [
                    {"host": row.lane.removeprefix(HOST), "why": row.why, "count": row.number}
                    for row in await jobs.given_up(tx, DELIVERY, midnight, lane=lane)
                ],
                "left_alone": [
                    in_words(row, await moment(tx)) for row in await left_alone(tx) if lane in (None, row.lane)
                ],
                "jobs": [
                    {"kind": kind, "state": state, "count": count}
                    for kind, states in (await jobs.counts(tx, lane=lane)).items()
                    for state, count in states.items()
                ],
            }

    data = with_server(work)
    say(data, _in_tables(data), as_json=as_json)


def _in_tables(data: Mapping[str, Any]) -> str:
    counted = ["outcome", "reason", "count", "meaning"]
    readers = sum(row["count"] for row in data["fetches_of_readers"])
    parts = [
        ("Arrived at the inboxes", _explained(data["arrivals"], ("outcome", "reason")), counted, "nothing yet"),
        ("Of which host", _named(data["arrivals_of_hosts"]), ["host", "outcome", "reason", "count"], "nothing yet"),
        (
            "Asked of other servers",
            _explained(data["fetches"], ("purpose", "outcome", "reason")),
            ["purpose", *counted],
            "nothing yet",
        ),
        ("Asked because somebody was reading", [{"count": readers}] if readers else [], ["count"], "nothing yet"),
        *(
            ()
            if data["host"]
            else (
                ("Previews of links", _all_days(data["previews"]), ["outcome", "count"], "none yet"),
                ("Files elsewhere that readers wanted", _all_days(data["proxy"]), ["outcome", "count"], "none yet"),
            )
        ),
        ("Deliveries", _explained(data["deliveries"], ("outcome", "reason")), counted, "none yet"),
        ("To which host", data["deliveries_to_hosts"], ["host", "outcome", "reason", "count"], "none yet"),
        ("Deliveries given up", data["given_up"], ["host", "why", "count"], "none"),
        ("Left alone", data["left_alone"], ["host", "failures", "waiting", "state", "state_until"], "nobody"),
        ("Jobs", data["jobs"], ["kind", "state", "count"], "none"),
    ]
    whose = f", {data['host']} alone" if data["host"] else ""
    head = f"Since {data['since']} (UTC){whose}"
    return "\n\n".join([head, *(f"{title}\n{table(rows, columns, empty)}" for title, rows, columns, empty in parts)])


def _named(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rows, with a word for what is known of no host: it was refused before anybody was verified."""
    return [{**row, "host": row["host"] or "not verified"} for row in rows]


def _all_days(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """All days together."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["outcome"]] += row["count"]
    return [{"outcome": outcome, "count": count} for outcome, count in sorted(counts.items())]


def _explained(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """All days together, a line for each of what `names` say, the most frequent first; what each means; and the sum."""
    counts: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        counts[tuple(row[name] for name in names)] += row["count"]
    lines = [
        {**dict(zip(names, key, strict=True)), "count": count, "meaning": meaning(key[-1])}
        for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return with_total(lines, names[0], ["count"])
