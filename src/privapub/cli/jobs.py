"""`privapub jobs …`: what waits, runs and has ended."""

import re
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from privapub.cli.hosts import canonical
from privapub.cli.opened import with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import Progress, lines, readable, say, table
from privapub.cli.watching import draw
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.identifiers import LARGEST
from privapub.job_table import KINDS, in_words, job_kinds
from privapub.jobs import hosts, pause, progress, read
from privapub.jobs.job import DONE, ENDED, FAILED, STATES
from privapub.jobs.moment import moment
from privapub.jobs.read import UNFINISHED, Changed, Filter
from privapub.server import Server

AT_ONCE = 500  # jobs changed in one transaction
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

app = typer.Typer(name="jobs", help="The queue: what waits, runs and has ended.", no_args_is_help=True)
Which = Annotated[int, typer.Argument(metavar="ID", max=LARGEST, help="Its number in `privapub jobs list`.")]
Perhaps = Annotated[int | None, typer.Argument(metavar="ID", max=LARGEST, help="One job; else say which by options.")]
Kind = Annotated[str | None, typer.Option(metavar="KIND", help="Only jobs of this kind.")]
Host = Annotated[str | None, typer.Option(metavar="HOST", help="Only deliveries to this host.")]
State = Annotated[
    str | None,
    typer.Option(
        metavar="STATE", help="Only jobs that are waiting, leased, blocked, paused, done, failed or cancelled."
    ),
]
Older = Annotated[
    str | None,
    typer.Option(metavar="AGE", help="Only jobs put (ended ones: ended) longer ago than this: 30s, 15m, 2h or 3d."),
]
Newer = Annotated[str | None, typer.Option(metavar="AGE", help="Only jobs put (ended ones: ended) since then.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it; without it, many are only counted.")]


@dataclass(frozen=True)
class Wanted:
    """Which jobs somebody asks for, as typed."""

    kind: str | None = None
    host: str | None = None
    state: str | None = None
    older: str | None = None
    newer: str | None = None

    def __post_init__(self) -> None:
        """Raises InvalidInput for a state that is none, and for ages that no job can have."""
        if self.state is not None and self.state not in STATES:
            raise InvalidInput(f"No job is {self.state!r}.", f"A job is {', '.join(STATES)}.")
        if self.older is not None and self.newer is not None and seconds(self.older) >= seconds(self.newer):
            raise InvalidInput(
                f"No job is older than {self.older} and newer than {self.newer}.",
                "The age of --newer-than is the longer one, as in --newer-than 1h --older-than 1m.",
            )

    def __bool__(self) -> bool:
        """Whether anything was asked for."""
        return any(value is not None for value in (self.kind, self.host, self.state, self.older, self.newer))

    def filter(self, states: Sequence[str], now: float) -> Filter:
        """The same as the queue understands it; `states` are those meant where none was named."""
        return Filter(
            kind=self.kind,
            lane=None if self.host is None else hosts.HOST + canonical(self.host),
            states=states if self.state is None else (self.state,),
            before=None if self.older is None else now - seconds(self.older),
            since=None if self.newer is None else now - seconds(self.newer),
        )


def seconds(age: str, option: str = "") -> float:
    """A length of time as it is typed (after this option), such as 15m; raises InvalidInput. Pure."""
    found = re.fullmatch(r"([0-9]{1,9})([smhd])", age)
    if found is None:
        what = f"{option} takes a length of time, and {age!r} is none." if option else f"{age!r} is no age."
        raise InvalidInput(what, "Write a number and s, m, h or d, such as 30s, 15m, 2h or 3d.")
    return float(found[1]) * SECONDS[found[2]]


@app.command(name="list")
def list_(
    *,
    kind: Kind = None,
    host: Host = None,
    state: State = None,
    older_than: Older = None,
    newer_than: Newer = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List jobs, newest first."""
    wanted = Wanted(kind, host, state, older_than, newer_than)

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            which = wanted.filter(STATES, await moment(tx))
            found = await read.list_jobs(
                tx, which.kind, which.lane, wanted.state, limit, before=which.before, since=which.since
            )
        return [row._asdict() for row in found]

    rows = [readable(row) for row in with_server(work)]
    columns = ["id", "kind", "lane", "state", "attempt", "run_at", "why"]
    say(rows, table(rows, columns, " ".join(["No job matches.", *_unknown(kind)])), as_json=as_json)


@app.command()
def show(
    which: Which,
    *,
    follow: Annotated[bool, typer.Option("--follow", help="Go on showing how far it is until it has ended.")] = False,
    as_json: Json = False,
) -> None:
    """Show one job whole. With --follow, the exit status is 0 if it ended well, else 1."""
    if follow:
        raise typer.Exit(0 if with_server(lambda server: _follow(server, which, as_json=as_json)) == DONE else 1)

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            row = await read.show(tx, which)
        return row._asdict() | {"progress": progress.how_far(row)}

    row = readable(with_server(work))
    shown = row if row["progress"] is None else row | {"progress": f"{row['progress']:.0%}"}
    say(row, lines(shown), as_json=as_json)


async def _follow(server: Server, which: int, *, as_json: bool) -> str:
    """Draw a job until it has ended; the state in which it did."""
    state = ""
    async for row in progress.watch(server.database, which):
        state = row.state
        draw(row, as_json=as_json, columns=shutil.get_terminal_size().columns)
    return state


@app.command()
def retry(
    which: Perhaps = None,
    *,
    kind: Kind = None,
    host: Host = None,
    state: State = None,
    older_than: Older = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Queue a job that failed or was cancelled once more; or many: those that failed, unless --state says otherwise."""
    wanted = Wanted(kind, host, state, older_than)

    _check_clear(which, wanted)
    if which is not None:

        async def work(server: Server) -> None:
            async with server.database.write() as tx:
                await read.retry(tx, which, await moment(tx))

        with_server(work)
        say({"id": which, "state": "waiting"}, f"Job {which} runs as soon as there is room.", as_json=as_json)
        return

    async def again(tx: Transaction, ids: Sequence[int], _server: Server) -> Changed:
        return await read.retry_all(tx, ids, await moment(tx))

    _do(Many("queued once more", (FAILED,), again), wanted, yes=yes, as_json=as_json)


@app.command()
def cancel(
    which: Perhaps = None,
    *,
    kind: Kind = None,
    host: Host = None,
    state: State = None,
    older_than: Older = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take a job out of the queue that has not ended; or many."""
    wanted = Wanted(kind, host, state, older_than)

    _check_clear(which, wanted)
    if which is not None:

        async def work(server: Server) -> None:
            async with server.database.write() as tx:
                await read.cancel(tx, which, await moment(tx), job_kinds(server))

        with_server(work)
        say({"id": which, "state": "cancelled"}, f"Job {which} is cancelled.", as_json=as_json)
        return

    async def end(tx: Transaction, ids: Sequence[int], server: Server) -> Changed:
        return await read.cancel_all(tx, ids, await moment(tx), job_kinds(server))

    # The newest first: what waits for another is not let go on when that one ends.
    _do(Many("cancelled", UNFINISHED, end, newest_first=True), wanted, yes=yes, as_json=as_json)


@app.command()
def purge(
    *,
    kind: Kind = None,
    host: Host = None,
    state: State = None,
    older_than: Older = None,
    everything: Annotated[bool, typer.Option("--all", help="All that have ended.")] = False,
    as_json: Json = False,
) -> None:
    """Delete jobs that have ended, before their seven days are over; never one that has not."""
    wanted = Wanted(kind, host, state, older_than)
    if not wanted and not everything:
        raise InvalidInput(
            "Say which jobs.", "Name a --kind, --host, --state or --older-than, or --all that have ended."
        )
    if wanted.state is not None and wanted.state not in ENDED:
        raise InvalidInput(
            f"A job that is {wanted.state} has not ended.", "`privapub jobs cancel` ends it; then it can be purged."
        )

    async def clear(tx: Transaction, ids: Sequence[int], _server: Server) -> Changed:
        return await read.purge(tx, ids)

    _do(Many("deleted", ENDED, clear), wanted, yes=True, as_json=as_json)


@app.command()
def resume(*, kind: Kind = None, as_json: Json = False) -> None:
    """Let go on what a restored backup held as unfinished: it goes out to the world."""

    async def work(server: Server) -> int:
        number = 0
        while True:
            async with server.database.write() as tx:
                some = await pause.resume(tx, kind)
            if not some:
                return number
            number += some

    async def left(server: Server) -> dict[str, int]:
        async with server.database.read() as tx:
            return await pause.by_kind(tx)

    number = with_server(work)
    paused = with_server(left) if kind is not None and not number else {}
    if kind is not None and not number and kind not in KINDS:
        named = ", ".join(f"{name} ({count})" for name, count in paused.items())
        raise NotFound(
            f"There is no kind of job named {kind!r}.", f"Paused are: {named}." if paused else "No job is paused."
        )
    said = f"No longer paused: {number}." if number else "No job is paused."
    if paused:
        others = sum(paused.values())
        said = f"No job of kind {kind} is paused; {others} of other kinds {'is' if others == 1 else 'are'}."
    say({"resumed": number}, said, as_json=as_json)


@dataclass(frozen=True)
class Many:
    """Something that can be done to many jobs: its participle, which ones are meant, and how."""

    done: str
    states: Sequence[str]
    do: Callable[[Transaction, Sequence[int], Server], Awaitable[Changed]]
    newest_first: bool = False


def _check_clear(which: int | None, wanted: Wanted) -> None:
    """Raise InvalidInput where it is not clear which jobs are meant."""
    if which is not None and wanted:
        raise InvalidInput("Name one job or say which by options, not both.")
    if which is None and not wanted:
        raise InvalidInput("Say which jobs.", "Give an ID, or a --kind, --host, --state or --older-than.")


def _unknown(kind: str | None) -> list[str]:
    """A sentence about a kind that is none of this version's, which may still stand in the table."""
    known = kind is None or kind in KINDS
    return [] if known else [f"(This version knows no kind {kind!r}; there are: {in_words()}.)"]


def _do(many: Many, wanted: Wanted, *, yes: bool, as_json: bool) -> None:
    """Find the jobs; without `yes` say how many they are, with it do it, and say what came of it."""

    async def work(server: Server) -> tuple[int, int, Counter[str]]:
        async with server.database.read() as tx:
            ids = await read.chosen(tx, wanted.filter(many.states, await moment(tx)))
            if not ids and wanted.host is not None:
                await hosts.show_host(tx, canonical(wanted.host))
        number, refused = 0, Counter[str]()
        if many.newest_first:
            ids.reverse()
        with Progress() as told:
            for start in range(0, len(ids) if yes else 0, AT_ONCE):
                async with server.database.write() as tx:
                    changed = await many.do(tx, ids[start : start + AT_ONCE], server)
                number += len(changed.ids)
                refused.update(changed.refused.values())
                told("jobs", min(start + AT_ONCE, len(ids)), len(ids))
        return len(ids), number, refused

    found, number, refused = with_server(work)
    data = {"found": found, "done": yes, many.done.split()[0]: number, "refused": dict(refused)}
    if yes:
        said = [f"{_jobs(number)} {'was' if number == 1 else 'were'} {many.done}."]
        said += [f"{_jobs(count)} not: each {why}." for why, count in refused.most_common()]
    else:
        said = [f"{_jobs(found)} would be {many.done}.", *(["Say --yes to do it."] if found else [])]
    say(data, "\n".join(said), as_json=as_json)


def _jobs(number: int) -> str:
    return f"{number} job" if number == 1 else f"{number} jobs"
