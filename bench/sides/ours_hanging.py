"""usage: ours_hanging.py URL HOSTS HANGING LIMIT: two posts to HOSTS hosts of which HANGING never answer.

Tells for each how many of the others had it within LIMIT seconds, and the seconds until the last of them had. The
settings are those that the server comes with.
"""

import asyncio
import sys
import time

import uvloop
from posting import ask, fan_out, inboxes_at, opened, receiver
from starting import told

from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker


async def measure(url: str, hosts: int, hanging: int, limit: int) -> None:
    """Both posts."""
    figures: dict[str, float] = {}
    async with receiver() as port, opened(url) as (server, persona):
        healthy = inboxes_at(port, hosts - hanging)
        inboxes = sorted([*healthy, *inboxes_at(port, hanging, net="127.200")], key=hash)
        worker = Worker(server.database, job_kinds(server))
        running = [asyncio.create_task(worker.run()), asyncio.create_task(server.fetches.run())]
        for name in ("first", "second"):
            await ask(port, "/forget")
            began = time.monotonic()
            await fan_out(server, persona, inboxes)
            while True:
                await asyncio.sleep(0.2)
                report = await ask(port, "/report")
                if report["taken"] == len(healthy) or time.monotonic() - began > limit:
                    break
            figures[f"{name}_taken"] = report["taken"]
            figures[f"{name}_seconds"] = report["last_at"] - began
        worker.stop()
        worker.stop()
        await running[0]
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)
    told(figures)


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1], *map(int, sys.argv[2:])))
