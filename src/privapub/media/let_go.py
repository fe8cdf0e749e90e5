"""Stored files that nothing needs any more: told in the transaction that lets them go, deleted by a job after it."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, and_, delete, or_, select

from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, Job, NewJob, Outcome
from privapub.media import names
from privapub.media.read import FAILED, from_row
from privapub.media.tables import medium
from privapub.server import Server

UNSTORE = "unstore"
UNATTACHED = 24 * 3600.0  # seconds for which an upload waits for its post
_AT_ONCE = 500
_EACH = 100  # names of one job


async def let_go(tx: Transaction, stored: Collection[str]) -> None:
    """The files of these names go from the store once the transaction is committed."""
    them = sorted(stored)
    some = [them[at : at + _EACH] for at in range(0, len(them), _EACH)]
    await put(tx, [NewJob(UNSTORE, UNSTORE, {"names": part}) for part in some])


async def unstore(server: Server, job: Job) -> Outcome:
    """The job: those that are not there any more are as well, so that it may run twice."""
    await server.files.delete([names.place(str(name)) for name in job.args["names"]])
    return Done()


async def of_media(tx: Transaction, which: ColumnElement[bool]) -> int:
    """Delete the uploads for which this holds, and let their files go; how many there were."""
    rows = [from_row(row) for row in await tx.all(delete(medium).where(which).returning(medium))]
    stored = [str(file["name"]) for row in rows for file in row.files]
    await let_go(tx, [*stored, *(name for row in rows for name in row.unmade)])
    return len(rows)


async def of_upload(tx: Transaction, actor_id: int, medium_id: int) -> bool:
    """A persona deletes an upload that is in no post; False where there is none."""
    mine = medium.c.id == medium_id, medium.c.actor_id == actor_id
    return await of_media(tx, and_(*mine, medium.c.post_id.is_(None), medium.c.scheduled_id.is_(None))) > 0


async def prune(tx: Transaction, now: float) -> None:
    """What was uploaded a day ago and is in no post goes, as does what failed."""
    old = (
        select(medium.c.id)
        .where(
            or_(medium.c.use == "post", medium.c.state == FAILED),
            medium.c.post_id.is_(None),
            medium.c.scheduled_id.is_(None),
            medium.c.created_at < now - UNATTACHED,
        )
        .order_by(medium.c.id)
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)  # what a post gets at this moment stays
    )
    await of_media(tx, medium.c.id.in_(old))
