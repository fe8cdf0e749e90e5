"""usage: ours_hanging.py URL HOSTS hang|calm LIMIT: two posts to HOSTS hosts, of which three in ten hang or none does.

Tells for each how many of those that answer had it within LIMIT seconds, and the seconds until the last of them had.
The second is published when every host has been tried once. The settings are those that the server comes with.
"""

import asyncio
import sys
import time

import uvloop
from posting import ask, fan_out, inboxes_at, opened, receiver
from receiver import hangs
from sqlalchemy import text
from starting import told

from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.server import Server


async def measure(url: str, hosts: int, net: str, limit: int) -> None:
    """Both posts."""
    figures: dict[str, float] = {}
    async with receiver() as port, opened(url) as (server, persona):
        inboxes = inboxes_at(port, hosts, net=net)
        healthy = [inbox for inbox in inboxes if not hangs(inbox.split(":")[1].strip("/"))]
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
            if name == "first":
                await all_tried(server, len(inboxes))
            figures[f"{name}_taken"] = report["taken"]
            figures[f"{name}_seconds"] = report["last_at"] - began
        worker.stop()
        worker.stop()
        await running[0]
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)
    told(figures)


async def all_tried(server: Server, count: int) -> None:
    """As soon as each of the deliveries has ended or failed once."""
    while True:
        async with server.database.read() as tx:
            tried = await tx.scalar(text("SELECT count(*) FROM job WHERE state = 'done' OR why IS NOT NULL"))
        if tried >= count:
            return
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    nets = {"hang": "127.200", "calm": "127.100"}
    uvloop.run(measure(sys.argv[1], int(sys.argv[2]), nets[sys.argv[3]], int(sys.argv[4])))
