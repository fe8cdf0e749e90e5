"""Measure the house against what else there is and against its own limits, print a table, and judge it.

usage: python bench/run.py [--only NAME …] [--quick] [--rounds N] [--into FILE]

Writes `bench/results.json`: a list of {name, value, unit, against, against_value, must, ok}. Both sides of a comparison
have their turns in one run, and the medians are compared: the ratios are what to quote. Exits with 1 where a `must` is
not met. `bench/README.md` says what each row measures, and why it is fair.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import bulk
import deliveries
import full_table
import hanging_hosts
import inbox
import job_starts
import media
import noop_jobs
import races
import signing
import strangers
import threads
import timelines
from measure import HERE, Places, Plan, Row, places, progress, table, write

RESULTS = HERE / "results.json"

GROUPS: dict[str, Callable[[Places, Plan], list[Row]]] = {
    "jobs": noop_jobs.measure,
    "starts": job_starts.measure,
    "full": full_table.measure,
    "bulk": bulk.measure,
    "deliveries": deliveries.measure,
    "hanging": hanging_hosts.measure,
    "races": races.measure,
    "signing": signing.measure,
    "timelines": timelines.measure,
    "inbox": inbox.measure,
    "threads": threads.measure,
    "strangers": strangers.measure,
    "media": media.measure,
}


def measure(names: list[str], plan: Plan, into: Path) -> list[Row]:
    """The rows of these groups; what is measured is written at once, so that nothing is lost where one fails."""
    rows: list[Row] = []
    began = time.monotonic()
    with places() as made:
        for name in names:
            progress(f"{name} ({(time.monotonic() - began) / 60:.1f} min)")
            new = GROUPS[name](made, plan)
            progress(table(new))
            rows += new
            write(rows, into)
    progress(f"all in {(time.monotonic() - began) / 60:.1f} min")
    return rows


def main() -> None:
    """Measure, print, write, judge."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", action="append", choices=[*GROUPS], help="measure this group alone (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="show that everything runs, with figures that say nothing")
    parser.add_argument("--rounds", type=int, help="turns of each side")
    parser.add_argument("--into", type=Path, default=RESULTS, help="where the rows are written")
    given = parser.parse_args()
    plan = Plan(given.rounds or (1 if given.quick else 5), given.quick)
    rows = measure(given.only or [*GROUPS], plan, given.into)
    print(table(rows))
    sys.exit(0 if given.quick or all(row.ok for row in rows) else 1)


if __name__ == "__main__":
    # The PostgreSQL of the measurements keeps its socket in the temporary folder, and that is well.
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
    main()
