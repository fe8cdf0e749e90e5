"""`privapub hosts …`: the servers that something is sent to."""

from typing import Annotated, Any

import typer
from sqlalchemy import Row

from privapub import clock
from privapub.cli.opened import with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import lines, readable, say, table
from privapub.errors import InvalidInput
from privapub.federation.fetching.origin import origin
from privapub.jobs import hosts, pause
from privapub.jobs.moment import moment
from privapub.outbound import target
from privapub.server import Server

WELL = "well"
FAILING = "failing"
LEFT_ALONE = "left alone"
PROBE = "to be tried"
PEACE = "asked for peace"

NEXT = {
    WELL: "Nothing is to be done.",
    FAILING: "Nothing yet: after ten failures in a row it is left alone for an hour.",
    LEFT_ALONE: "`privapub hosts try {host}` ends that for one delivery; `privapub hosts forget {host}` forgets that it"
    " failed; `privapub jobs cancel --host {host}` gives up what waits for it.",
    PROBE: "The next delivery goes out alone: if it is answered the host is well again, else it is left alone for twice"
    " as long.",
    PEACE: "Wait, or `privapub hosts try {host}`, against its wish.",
}

PAUSED = "{number} paused since a restore: `privapub jobs resume`"

app = typer.Typer(name="hosts", help="The servers that something is sent to.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="HOST", help="Its name, such as example.org.")]


def canonical(host: str) -> str:
    """The name of a host as its lane has it: in lower case and ASCII, with a port that is not the usual one.

    Raises InvalidInput for what can be none.
    """
    try:
        found = origin(str(target.read(f"https://{host}/").wire))
    except ValueError:
        found = ""
    if not found or "/" in host or "?" in host or "#" in host:
        raise InvalidInput(f"{host!r} is no name of a host.", "Write it as in example.org or example.org:8443.")
    return found


def standing(row: Any, now: float) -> tuple[str, float | None]:
    """How a host does, and until when that holds, from its row of `lane`. Pure."""
    if row.quarantine and row.open_until > now:
        return LEFT_ALONE, max(row.open_until, row.not_before)
    if row.not_before > now:
        return PEACE, row.not_before
    if row.quarantine:
        return PROBE, None
    return (FAILING if row.fails else WELL), None


def in_words(row: Row[Any], now: float) -> dict[str, Any]:
    """A host as programs read it, its moments as text. Pure."""
    state, until = standing(row, now)
    return readable(
        {
            "host": row.lane.removeprefix(hosts.HOST),
            "kind": row.kind,
            "waiting": row.waiting,
            "leased": row.leased,
            "failures": row.fails,
            "state": state,
            "state_until": until,
            "next_at": row.next_at,
            "last_heard_at": row.heard_at,
        }
    )


@app.command(name="list")
def list_(*, limit: Limit = 100, as_json: Json = False) -> None:
    """List hosts, those with the most failures first: how they do, and how much waits for each."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            now = await moment(tx)
            return [in_words(row, now) for row in await hosts.list_hosts(tx, limit)]

    rows = with_server(work)
    columns = ["host", "waiting", "leased", "failures", "state", "last heard"]
    say(rows, table([_shown(row) for row in rows], columns, "Nothing was sent anywhere yet."), as_json=as_json)


@app.command()
def show(host: Name, *, as_json: Json = False) -> None:
    """Show one host, and what can be done about it."""
    name = canonical(host)

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            row = (await hosts.show_host(tx, name))[0]
            return in_words(row, await moment(tx)) | {"paused": await pause.count(tx, lane=row.lane)}

    row = with_server(work)
    row["next"] = NEXT[row["state"]].format(host=name)
    if row["paused"]:
        row["next"] += f" {PAUSED.format(number=row['paused'])}."
    say(row, lines(_shown(row)), as_json=as_json)


@app.command(name="try")
def try_(host: Name, *, as_json: Json = False) -> None:
    """Try a host now that is left alone or asked for peace: what waits for it is due at its own time again."""
    name = canonical(host)

    async def work(server: Server) -> tuple[Row[Any], float, int]:
        async with server.database.write() as tx:
            now = await moment(tx)
            await hosts.try_host(tx, name, now)
            row = (await hosts.show_host(tx, name))[0]
        async with server.database.read() as tx:
            return row, now, 0 if row.waiting else await pause.count(tx, lane=row.lane)

    row, now, paused = with_server(work)
    data = {"host": name, "tried": row.waiting > 0, "waiting": row.waiting, "paused": paused}
    say(data, after_trying(name, row, now, paused), as_json=as_json)


@app.command()
def forget(host: Name, *, as_json: Json = False) -> None:
    """Forget every failure of a host, as if it had answered."""
    name = canonical(host)

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            await hosts.forget_host(tx, name)

    with_server(work)
    say({"host": name, "forgotten": True}, f"The failures of {name} are forgotten.", as_json=as_json)


def after_trying(name: str, row: Any, now: float, paused: int) -> str:
    """What comes of `hosts try`: `row` is the host's lane after it, `paused` how much of it is paused. Pure."""
    if not row.waiting:
        held = f"; {PAUSED.format(number=paused)}" if paused else ""
        return f"Nothing waits for {name}, so nothing is tried{held}."
    if row.next_at is not None and row.next_at > now:
        return f"Nothing holds {name} back; the next delivery to it is due at {clock.iso(row.next_at)}, its own time."
    return f"The next delivery to {name} is due now."


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    until = f" until {row['state_until']}" if row["state_until"] else ""
    shown = {name: value for name, value in row.items() if name not in ("state_until", "last_heard_at")}
    return shown | {"state": row["state"] + until, "last heard": row["last_heard_at"]}
