"""Waiting a moment for an upload to be processed: most are pictures, and ready before anybody would ask again.

It is processed by a job, as ever, so that no more are at once than there is room for; who waits holds nothing.
"""

import asyncio
import contextlib

from privapub import clock
from privapub.database.transaction import Transaction
from privapub.media.read import WAITING, Medium, by_id
from privapub.server import Server

TOPIC = "media"
LONGEST = 5.0  # seconds that an answer is held back
_LOOK_EVERY = 0.25  # where the job is done by another process, whose word may not arrive


def announce(tx: Transaction) -> None:
    """Whoever waits for an upload looks again once this is committed."""
    tx.announce(TOPIC)


async def soon(server: Server, medium_id: int) -> Medium | None:
    """The upload once nothing of it waits any more, or as it is after a few seconds; None where it is gone by then."""
    ends = clock.monotonic() + LONGEST
    told = asyncio.Event()
    server.database.listen(TOPIC, told.set)
    try:
        while True:
            told.clear()
            async with server.database.read() as tx:
                found = await by_id(tx, medium_id)
            if found is None or not (found.state == WAITING or found.poster_source) or clock.monotonic() >= ends:
                return found
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY):
                    await told.wait()
    finally:
        server.database.deaf(TOPIC, told.set)
