"""usage: ours_many.py fill URL COUNT | leases URL:COUNT URL:COUNT TURNS | memory URL SECONDS: a table that is full.

Nine in ten of the rows wait for hosts in quarantine, whose lanes open tomorrow; the rest is due now.
"""

import asyncio
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from starting import told

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, release
from privapub.jobs.worker import Worker

KIND = "delivery"
PLACES = 8
EACH_HOST = 100  # jobs that wait for one host

LANES = """
INSERT INTO lane(scope, kind, lane, next_at, fails, open_until, quarantine)
  SELECT '', 'delivery', 'host:h' || n, CASE WHEN n % 10 = 0 THEN {now} ELSE {now} + 86400 END,
    CASE WHEN n % 10 = 0 THEN 0 ELSE 10 END, CASE WHEN n % 10 = 0 THEN 0 ELSE {now} + 86400 END,
    CASE WHEN n % 10 = 0 THEN 0 ELSE 86400 END
  FROM ({lanes}) s"""
JOBS = """
INSERT INTO job(scope, kind, lane, args, trigger, state, created_at, run_at, dedupe_key, once_for_ever, ordering_key)
  SELECT '', 'delivery', 'host:h' || (n % {hosts}),
    '{{"rendering": "abcdefghijklmnop", "inbox": "https://h' || (n % {hosts}) || '.example/inbox", "post": null}}',
    'post_published', 'waiting', {now}, {now} + n * 0.000001, 'https://here.example/activities/' || n, {true},
    'https://here.example/posts/' || n
  FROM ({jobs}) s"""


def series(dialect: str, count: int) -> str:
    """A query of the numbers below `count`, in a column n."""
    if dialect == "postgresql":
        return f"SELECT generate_series(0, {count - 1}) AS n"
    return (
        f"WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < {count - 1})"  # noqa: S608 - numbers of ours
        " SELECT n FROM c"
    )


async def fill(url: str, count: int) -> None:
    """So many waiting rows, at least ten hosts."""
    dialect = "sqlite" if url.startswith("sqlite") else "postgresql"
    hosts = max(count // EACH_HOST, 10 * PLACES)
    values = {"now": clock.now() - 10, "hosts": hosts, "true": "1" if dialect == "sqlite" else "true"}
    statements = [
        LANES.format(lanes=series(dialect, hosts), **values),
        JOBS.format(jobs=series(dialect, count), **values),
    ]
    if dialect == "sqlite":
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return
    server = await asyncpg.connect(url)
    for statement in [*statements, "VACUUM ANALYZE job", "VACUUM ANALYZE lane", "CHECKPOINT"]:
        await server.execute(statement, timeout=600)
    await server.close()


async def leases(full: str, small: str, turns: str) -> None:
    """Milliseconds that a lease of eight takes in either table, by turns."""
    kind = JobKind(KIND, fetch=_nothing, per_lane=2)
    databases = {"many_ms": Database(full), "few_ms": Database(small)}
    seen: dict[str, list[float]] = {name: [] for name in databases}
    for _ in range(int(turns)):
        for name, database in databases.items():
            began = time.perf_counter()
            found = await lease(database, [Slot(kind, PLACES)], identifiers.token())
            seen[name].append(1000 * (time.perf_counter() - began))
            if len(found.jobs) != PLACES:
                raise SystemExit(f"{len(found.jobs)} were leased")
            async with database.write() as tx:
                await release(tx, found.jobs)
    for database in databases.values():
        await database.close()
    told({name: statistics.median(times) for name, times in seen.items()})


async def _nothing(_job: Job) -> Done:
    await asyncio.sleep(0.02)
    return Done()


async def memory(url: str, seconds: str) -> None:
    """Anonymous memory of this process, in MiB, after a worker has run beside the table for a while.

    It has put some jobs and run some, its own or others: what any worker loads is loaded.
    """
    database = Database(url)
    async with database.write() as tx:
        await put(tx, [NewJob(KIND, f"host:own{n % EACH_HOST}") for n in range(5 * EACH_HOST)])
    worker = Worker(database, {KIND: JobKind(KIND, fetch=_nothing, at_once=PLACES, per_lane=2, breaker=True)})
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(float(seconds))
    found = rss_anon()
    worker.stop()
    await running
    await database.close()
    told({"mib": found})


def rss_anon() -> float:
    """RssAnon of this process, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        uvloop.run(fill(sys.argv[2], int(sys.argv[3])))
    else:
        ways: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {"leases": leases, "memory": memory}
        uvloop.run(ways[sys.argv[1]](*sys.argv[2:]))
