"""usage: ours_days.py URL JOBS: two days with so many jobs each, and what the queue's tables hold after each, in MiB.

The clock is moved: a day passes in as long as its jobs take. After each day a week passes, ended jobs are pruned, and
PostgreSQL tidies up as it does by itself in a real week.
"""

import asyncio
import sys

import asyncpg
import uvloop
from starting import told

from privapub import clock
from privapub.database.connect import Database
from privapub.jobs import reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker

HOURS = 24
AT_A_TIME = 1000
LANES = 500


async def measure(url: str, count: int) -> None:
    """Both days."""
    database = Database(url)

    async def nothing(_job: Job) -> Done:
        return Done()

    kinds = {"delivery": JobKind("delivery", fetch=nothing, at_once=64)}
    figures = {}
    for number, day in enumerate(("first", "second")):
        for hour in range(HOURS):
            left = count // HOURS
            while left > 0:
                async with database.write() as tx:
                    some = range(left, max(left - AT_A_TIME, 0), -1)
                    await put(tx, [_delivery(f"{number}-{hour}-{n}") for n in some])
                left -= AT_A_TIME
                await Worker(database, kinds).drain()
            clock.advance(3600.0)
            print(f"    {day} day, hour {hour + 1}", file=sys.stderr, flush=True)
        figures[f"{day}_full_mib"] = await size(database)
        clock.advance(reaper.KEPT)
        await reaper.prune(database)
        async with database.read() as tx:
            if (await tx.raw("SELECT count(*) FROM job"))[0][0]:
                raise SystemExit("rows are left")
        if not database.is_sqlite:
            server = await asyncpg.connect(url)
            await server.execute("VACUUM ANALYZE job", timeout=600)
            await server.execute("VACUUM ANALYZE lane", timeout=600)
            await server.close()
        figures[f"{day}_mib"] = await size(database)
    await database.close()
    told(figures)


def _delivery(name: str) -> NewJob:
    inbox = f"https://h{hash(name) % LANES}.example/inbox"
    return NewJob(
        "delivery", f"host:h{hash(name) % LANES}.example", {"rendering": "a" * 22, "inbox": inbox, "post": 1},
        dedupe_key=f"https://here.example/{name} {inbox}", ordering_key=f"https://here.example/{name}/n {inbox}",
    )  # fmt: skip


async def size(database: Database) -> float:
    """What the queue holds of the disk, in MiB: the file and its journal, or the tables with their indexes."""
    if database.path is not None:
        await asyncio.sleep(0)
        return sum(file.stat().st_size for file in database.path.parent.glob(f"{database.path.name}*")) / 2**20
    async with database.read() as tx:
        rows = await tx.raw("SELECT pg_total_relation_size('job') + pg_total_relation_size('lane')")
    return float(rows[0][0]) / 2**20


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], int(sys.argv[2])))
