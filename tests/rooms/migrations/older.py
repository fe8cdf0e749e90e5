"""The worker of an older release, that never was: it knows the outbox, and has never heard of a queue.

It takes a row, sends it, and says that it is sent: three transactions, as any sender has. A row that was held too long
is taken once more.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy import text

from privapub import clock
from privapub.database.connect import Database
from rooms.migrations.receiver import post

HOLD = 1.0
TAKE = """
UPDATE outbox SET state = 'sending', held_until = :until, attempts = attempts + 1
  WHERE id = (SELECT id FROM outbox WHERE state = 'pending' OR (state = 'sending' AND held_until < :now)
              ORDER BY id LIMIT 1 {skip}) RETURNING id, activity, host"""


async def put(database: Database, activities: Sequence[str], host: str = "a.example") -> None:
    """Deliver these."""
    async with database.write() as tx:
        for activity in activities:
            await tx.execute(
                text("INSERT INTO outbox(activity, host) VALUES(:activity, :host)").bindparams(
                    activity=activity, host=host
                )
            )


async def send_one(database: Database, port: int) -> bool:
    """Send what is first in the line; whether there was anything."""
    now = clock.now()
    skip = "" if database.is_sqlite else "FOR UPDATE SKIP LOCKED"
    async with database.write() as tx:
        row = await tx.first(text(TAKE.format(skip=skip)).bindparams(now=now, until=now + HOLD))
    if row is None:
        return False
    await post(port, "older", row.activity, row.host)
    async with database.write() as tx:
        await tx.execute(
            text("UPDATE outbox SET state = 'sent', held_until = NULL WHERE id = :id").bindparams(id=row.id)
        )
    return True


async def drain(database: Database, port: int) -> int:
    """Send until nothing is left; how many were sent."""
    count = 0
    while await send_one(database, port):
        count += 1
    return count


async def work(database: Database, port: int) -> None:
    """Send until cancelled or killed."""
    while True:
        if not await send_one(database, port):
            await asyncio.sleep(0.02)
