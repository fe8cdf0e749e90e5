"""A job drawn while it runs: a bar on a terminal, lines elsewhere, JSON for programs."""

import json
import sys
from typing import Any

from sqlalchemy import Row

from privapub.cli.output import readable
from privapub.jobs.job import ENDED
from privapub.jobs.progress import how_far

WIDTH = 30
ERASE = "\r\033[K"


def line(row: Row[Any]) -> str:
    """Where a job stands, in one line: `job 7, leased: 45 %, packing pictures`. Pure."""
    far = how_far(row)
    told = [] if far is None else [f"{far:.0%}"]
    told += [word for word in (row.progress_note, row.why) if word]
    return f"job {row.id}, {row.state}" + (": " + ", ".join(told) if told else "")


def bar(row: Row[Any], columns: int = 80) -> str:
    """The same as a bar, which a job that tells nothing of its progress has not, cut to the width of the terminal."""
    far = how_far(row)
    if far is None:
        return line(row)[: columns - 1]
    filled = int(far * WIDTH)
    return f"[{'#' * filled}{'-' * (WIDTH - filled)}] {line(row)}"[: columns - 1]


def as_data(row: Row[Any]) -> dict[str, Any]:
    """What programs read of each change. Pure."""
    names = ("id", "kind", "state", "attempt", "progress", "progress_note", "why", "finished_at")
    return readable({name: getattr(row, name) for name in names} | {"progress": how_far(row)})


def draw(row: Row[Any], *, as_json: bool, columns: int = 80) -> None:
    """Say where the job is now; on a terminal in place of what was said before."""
    if as_json:
        text = json.dumps(as_data(row), ensure_ascii=False) + "\n"
    elif sys.stdout.isatty():
        text = ERASE + bar(row, columns) + ("\n" if row.state in ENDED else "")
    else:
        text = line(row) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
