"""The worker of the newer release: the real one, with a kind that sends and one that the older release never had."""

from collections.abc import Sequence

from privapub.database.connect import Database
from privapub.jobs.enqueue import put as enqueue
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker
from rooms.migrations.receiver import post

LEASE = 1.0


async def put(database: Database, activities: Sequence[str], host: str = "a.example", kind: str = "send") -> None:
    """Deliver these."""
    async with database.write() as tx:
        await enqueue(
            tx,
            [
                NewJob(kind, f"host:{host}", {"activity": it, "host": host}, dedupe_key=f"{it} {host}")
                for it in activities
            ],
        )


def worker(database: Database, port: int) -> Worker:
    """The worker, that posts to this port."""

    async def send(job: Job) -> Outcome:
        await post(port, "newer", job.args["activity"], job.args["host"])
        return Done()

    kinds = {name: JobKind(name, fetch=send, lease=LEASE, at_once=4, per_lane=2) for name in ("send", "announce")}
    return Worker(database, kinds, poll=0.2, reap_every=0.2)


async def drain(database: Database, port: int) -> int:
    """Send until nothing is left; how many leases that took."""
    return await worker(database, port).drain()


async def work(database: Database, port: int) -> None:
    """Send until cancelled or killed."""
    await worker(database, port).run()
