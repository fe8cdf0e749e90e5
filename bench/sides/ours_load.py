"""usage: ours_load.py URL MINUTES: a server under load, and what it holds of memory at the beginning and at the end.

A post goes to fifty hosts every other second, and RssAnon is read as often: `early_mib` is the median of the second
tenth of the time (by then everything is loaded), `late_mib` of the last.
"""

import asyncio
import statistics
import sys

import uvloop
from ours_many import rss_anon
from posting import fan_out, inboxes_at, opened, receiver
from starting import told

from privapub import clock
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker

HOSTS = 50
EVERY = 2.0


async def measure(url: str, minutes: float) -> None:
    """Load it and watch it."""
    seen: list[float] = []
    async with receiver() as port, opened(url) as (server, persona):
        worker = Worker(server.database, job_kinds(server))
        running = [asyncio.create_task(worker.run()), asyncio.create_task(server.fetches.run())]
        inboxes = inboxes_at(port, HOSTS)
        ends = clock.monotonic() + 60 * minutes
        posts = 0
        while clock.monotonic() < ends:
            next_at = clock.monotonic() + EVERY
            await fan_out(server, persona, inboxes)
            posts += 1
            await asyncio.sleep(max(next_at - clock.monotonic(), 0.0))
            seen.append(rss_anon())
        async with server.database.read() as tx:
            failed = (await tx.raw("SELECT count(*) FROM sent WHERE outcome = 'failed'"))[0][0]
        worker.stop()
        await running[0]
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)
    tenth = max(len(seen) // 10, 1)
    told({
        "early_mib": statistics.median(seen[tenth : 2 * tenth] or seen),
        "late_mib": statistics.median(seen[-tenth:]),
        "deliveries": float(posts * HOSTS),
        "failed": float(failed),
    })  # fmt: skip


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], float(sys.argv[2])))
