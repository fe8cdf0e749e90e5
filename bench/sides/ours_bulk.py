"""usage: ours_bulk.py URL ROUNDS COUNT: deliveries put in one transaction, against the same rows inserted by hand.

By hand: the driver alone, one transaction, statements of 500 rows into the same tables with their indexes.
"""

import sqlite3
import statistics
import sys
import time
from typing import Any

import asyncpg
import uvloop
from posting import TEXT, activity_of, opened
from sqlalchemy import text
from starting import told

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.database import connect
from privapub.federation.delivery.deliver import deliver, job, lane_of
from privapub.federation.delivery.inboxes import Target
from privapub.jobs.enqueue import put
from privapub.posts.publish import publish
from privapub.server import Server

TABLES = ("rendering", "sent", "job", "lane")
AT_A_TIME = 500
HOSTS = 1000


def copied(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """The same row once more: whatever must be unique is another."""
    row = {name: value for name, value in row.items() if value is not None and (table, name) != ("job", "id")}
    if table == "rendering":
        row["id"] = f"{row['id']}-copy"
    if table == "job":
        row["dedupe_key"] += "-copy"
        row["ordering_key"] += "-copy"
    if table in ("job", "lane"):
        row["lane"] += "-copy"
    return row


def statements(table: str, rows: list[dict[str, Any]], dialect: str) -> list[tuple[str, list[Any]]]:
    """Inserts of many rows each, with their values."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    made = []
    for first in range(0, len(rows), AT_A_TIME):
        some = rows[first : first + AT_A_TIME]
        marks = [
            "("
            + ", ".join("?" if dialect == "sqlite" else f"${1 + r * len(names) + c}" for c in range(len(names)))
            + ")"
            for r in range(len(some))
        ]
        sql = f"INSERT INTO {table}({', '.join(names)}) VALUES {', '.join(marks)}"  # noqa: S608 - names of our own tables
        made.append((sql, [row.get(name) for row in some for name in names]))
    return made


async def by_hand(server: Server, work: list[tuple[str, list[Any]]]) -> float:
    """Seconds for these statements in one transaction, by the driver alone."""
    database = server.database
    await at_rest(server)
    if database.is_sqlite:
        connection = sqlite3.connect(str(database.path), isolation_level=None)
        for pragma in ("journal_mode=WAL", f"synchronous={connect.SYNCHRONOUS}", "cache_size=-2048", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        began = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        for sql, values in work:
            connection.execute(sql, values)
        connection.execute("COMMIT")
        seconds = time.perf_counter() - began
        connection.close()
        return seconds
    direct = await asyncpg.connect(database.url.render_as_string(hide_password=False))
    began = time.perf_counter()
    async with direct.transaction():
        for sql, values in work:
            await direct.execute(sql, *values)
    seconds = time.perf_counter() - began
    await direct.close()
    return seconds


async def at_rest(server: Server) -> None:
    """What was written before is where it belongs, so that nobody pays for what another wrote."""
    database = server.database
    if database.is_sqlite:
        connection = sqlite3.connect(str(database.path), isolation_level=None)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return
    direct = await asyncpg.connect(database.url.render_as_string(hide_password=False))
    await direct.execute("CHECKPOINT")
    await direct.close()


async def rows_of(server: Server, table: str) -> list[dict[str, Any]]:
    """Everything in a table."""
    async with server.database.read() as tx:
        found = await tx.execute(text(f"SELECT * FROM {table}"))  # noqa: S608 - names of our own tables
        return [dict(row) for row in found.mappings()]


async def measure(url: str, rounds: int, count: int) -> None:
    """Milliseconds of both, each round in empty tables."""
    seen: dict[str, list[float]] = {"deliver_ms": [], "put_ms": [], "rows_ms": [], "jobs_ms": []}
    async with opened(url) as (server, persona):
        for number in range(rounds + 1):
            targets = [Target(f"https://h{n % HOSTS}.example/u{n}/inbox") for n in range(count)]
            async with server.database.write() as tx:
                now = clock.now()
                post_id = await publish(
                    tx, author_id=persona, audience="public", source="Hello", content_html=TEXT,
                    addresses=Addresses(server.base_url), now=now,
                )  # fmt: skip
                await tx.raw("DELETE FROM job")
                await tx.raw("DELETE FROM lane")
            times: dict[str, float] = {}
            activity = activity_of("https://here.example/u/a")
            await at_rest(server)
            began = time.perf_counter()
            async with server.database.write() as tx:
                about = activity["object"]["id"]
                await deliver(tx, persona, activity, targets, about=about, post_id=post_id, now=now)
            times["deliver_ms"] = time.perf_counter() - began
            rows = {table: [copied(table, row) for row in await rows_of(server, table)] for table in TABLES}
            async with server.database.write() as tx:
                await tx.raw("DELETE FROM sent")
            work = {table: statements(table, rows[table], tx.dialect) for table in TABLES}
            times["rows_ms"] = await by_hand(server, [one for table in TABLES for one in work[table]])
            await empty(server)
            times["put_ms"] = await put_alone(server, targets)
            times["jobs_ms"] = await by_hand(server, [*work["job"], *work["lane"]])
            await empty(server)
            if number:  # the first is for the caches
                for name, seconds in times.items():
                    seen[name].append(1000 * seconds)
    told({name: statistics.median(times) for name, times in seen.items()})


async def put_alone(server: Server, targets: list[Target]) -> float:
    """Seconds for the jobs of these deliveries alone."""
    name = identifiers.token()
    assert lane_of(targets[0].inbox)  # noqa: S101 - the lanes are those of deliveries
    await at_rest(server)
    began = time.perf_counter()
    async with server.database.write() as tx:
        await put(
            tx, [job(name, f"https://here.example/{name}", t, f"https://here.example/{name}/n", None) for t in targets]
        )
    return time.perf_counter() - began


async def empty(server: Server) -> None:
    """Nothing is left in any of the tables."""
    async with server.database.write() as tx:
        for table in TABLES:
            await tx.raw(f"DELETE FROM {table}" if tx.dialect == "sqlite" else f"TRUNCATE {table}")  # noqa: S608 - names of our own tables


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
