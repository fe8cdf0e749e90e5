"""The job of the kind `context`: read a thread, and say when it is to be read again."""

from privapub import clock, scope
from privapub.federation.threads.door import Turns
from privapub.federation.threads.walk import Walk
from privapub.jobs.job import Done, Job, Outcome, Retry
from privapub.posts import threads
from privapub.server import Server

TRIES = 3


async def read_thread(server: Server, turns: Turns, job: Job) -> Outcome:
    """Keep what is missing of a thread, in small transactions as it comes; running it again finds the rest.

    A thread of which nothing could be had, because its host does not answer now, is tried again later: not for a
    reader, who may look again.
    """
    root, again = str(job.args["root"]), int(job.args.get("again", 0))
    trigger = job.trigger if job.trigger == scope.READER else ""
    walk = Walk(server, turns, trigger)
    first = await walk.read(root)
    if walk.unreachable and not walk.found and trigger != scope.READER and job.attempt < TRIES:
        return Retry(None, "its host does not answer")
    async with server.database.write() as tx:
        await threads.was_read(tx, root, first, walk.found, again, clock.now(), trigger=trigger)
    return Done()
