"""Measure what takes hours: a thousand kills, a full cache, an hour of load, two days of a million jobs each.

usage: python bench/soak.py [--only NAME …] [--kills N] [--cache-kills N] [--cache-mib N] [--minutes N] [--jobs N]
                            [--into FILE]

Writes `bench/soak.json`, in the form of `bench/results.json`, and exits with 1 where a `must` is not met.
"""

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measure import HERE, ROOT, Places, Row, at_most, places, progress, say, table, within, write

RESULTS = HERE / "soak.json"
KINDS = ("SQLite", "PostgreSQL")
MORE_MEMORY = 1.1
SLACK, DAYS_TAKE = 900.0, 4 * 3600.0  # seconds, so that nothing hangs for ever
MORE_DISK = 1.01  # a page or two is no growth


def kills(_places: Places, given: argparse.Namespace) -> list[Row]:
    """The tests that kill servers at random, so many times on each database: what they find wrong fails them."""
    test = ROOT / "tests" / "journeys" / "test_killed.py"
    environ = os.environ | {"PRIVAPUB_TEST_KILLS": str(given.kills)}
    rows = []
    for kind in KINDS:
        done = subprocess.run(  # noqa: S603 - our own tests
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", kind.lower(), str(test)],
            cwd=ROOT, env=environ, check=False, stdout=sys.stderr,
        )  # fmt: skip
        rows.append(within(f"{given.kills} random kill -9, {kind}: tests that found a loss", done.returncode, "", 0))
    return rows


def cache(_places: Places, given: argparse.Namespace) -> list[Row]:
    """The test that kills processes while files elsewhere are read, five times what the cache holds."""
    test = ROOT / "tests" / "journeys" / "test_cache_killed.py"
    sizes = {"KILLS": given.cache_kills, "MIB": given.cache_mib, "LOAD_MIB": 5 * given.cache_mib}
    environ = os.environ | {f"PRIVAPUB_TEST_CACHE_{name}": str(value) for name, value in sizes.items()}
    rows = []
    for kind in KINDS:
        done = subprocess.run(  # noqa: S603 - our own tests
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", kind.lower(), str(test)],
            cwd=ROOT, env=environ, check=False, stdout=sys.stderr,
        )  # fmt: skip
        name = f"a cache of {given.cache_mib:,} MiB, {given.cache_kills} random kill -9, {kind}"
        rows.append(within(f"{name}: tests that found a wrong byte, or more than it may hold", done.returncode, "", 0))
    return rows


def load(made: Places, given: argparse.Namespace) -> list[Row]:
    """Memory late in a long load against early in it; both databases at once, since it leaves the machine idle."""
    rows = []
    urls = [made.ours(kind) for kind in KINDS]
    with ThreadPoolExecutor() as both:
        all_found = list(
            both.map(lambda url: say("ours_load.py", url, given.minutes, takes=60 * given.minutes + SLACK), urls)
        )
    for kind, url, found in zip(KINDS, urls, all_found, strict=True):
        made.drop(url)
        name = f"RssAnon after {given.minutes:g} minutes of load, {kind}"
        rows.append(at_most(name, found["late_mib"], "MiB", "early on", found["early_mib"], MORE_MEMORY))
        name = f"deliveries that failed of {found['deliveries']:,.0f} under load, {kind}"
        rows.append(within(name, found["failed"], "", 0))
    return rows


def days(made: Places, given: argparse.Namespace) -> list[Row]:
    """The size of the database after a second day against after the first: full, and pruned."""
    rows = []
    for kind in KINDS:
        url = made.ours(kind)
        found = say("ours_days.py", url, given.jobs, takes=DAYS_TAKE)
        made.drop(url)
        for when, key in ((f"a second day of {given.jobs:,} jobs", "full_mib"), ("it was pruned", "mib")):
            name = f"size after {when}, {kind}"
            rows.append(at_most(name, found[f"second_{key}"], "MiB", "the first day", found[f"first_{key}"], MORE_DISK))
    return rows


GROUPS: dict[str, Callable[[Places, argparse.Namespace], list[Row]]] = {
    "kills": kills,
    "cache": cache,
    "load": load,
    "days": days,
}


def main() -> None:
    """Measure, print, write, judge."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", action="append", choices=[*GROUPS], help="measure this alone (may be repeated)")
    parser.add_argument("--kills", type=int, default=1000, help="on each database")
    parser.add_argument("--cache-kills", type=int, default=20, help="of those with the cache, on each database")
    parser.add_argument("--cache-mib", type=int, default=1024, help="the bound of that cache")
    parser.add_argument("--minutes", type=float, default=60.0, help="of load, on each database")
    parser.add_argument("--jobs", type=int, default=1_000_000, help="a day")
    parser.add_argument("--into", type=Path, default=RESULTS, help="where the rows are written")
    given = parser.parse_args()
    rows: list[Row] = []
    began = time.monotonic()
    with places() as made:
        for name in given.only or GROUPS:
            progress(f"{name} ({(time.monotonic() - began) / 60:.1f} min)")
            rows += GROUPS[name](made, given)
            write(rows, given.into)
    print(table(rows))
    sys.exit(0 if all(row.ok for row in rows) else 1)


if __name__ == "__main__":
    # The PostgreSQL of the measurements keeps its socket in the temporary folder, and that is well.
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
    main()
