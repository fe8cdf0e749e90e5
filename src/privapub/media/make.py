"""The job of an upload: its files are made, stored, and named in its row; what it came as is let go."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import update

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.jobs import progress
from privapub.jobs.job import Done, GiveUp, Job, Outcome
from privapub.media import ffmpeg, names
from privapub.media.facts import settled
from privapub.media.let_go import let_go
from privapub.media.process import BadMedia, Made, MadeFile, MediaTrouble, Want, bounds_of, process
from privapub.media.read import FAILED, READY, WAITING, WORN, by_id, known
from privapub.media.tables import medium
from privapub.media.wear import put_on
from privapub.personas.read import alone
from privapub.server import Server

ATTEMPTS = 4
LEASE, DEADLINE = 120.0, 4 * 3600.0  # seconds
_TROUBLE = "This could not be processed."


@dataclass(frozen=True)
class Stored:
    """What was made of an upload, and what its files are called in the store; or why there is nothing."""

    made: Made | None
    files: tuple[dict[str, Any], ...] = ()
    why: str = ""


async def fetch(server: Server, job: Job) -> Stored | Outcome:
    """Make the files and store them. Where the store does not work it is tried again."""
    async with server.database.read() as tx:
        found = await by_id(tx, int(job.args["medium"]))
    if found is None or found.state != WAITING or found.source is None:
        return Done()

    async def tell(share: float, what: str) -> None:
        await progress.report(server.database, job, share, what)

    with tempfile.TemporaryDirectory(prefix="privapub-") as name:
        source, folder = Path(name) / "source", Path(name) / "made"
        folder.mkdir()
        await server.files.fetch(names.place(found.source), source)
        programs = ffmpeg.find(server.settings.ffmpeg)
        try:
            made = await process(source, folder, Want(found.use), bounds_of(server.settings), tell, programs=programs)
        except (BadMedia, MediaTrouble) as problem:  # who tried a file in vain twice does not try it all day
            return Stored(None, why=str(problem))
        files = [await _store(server, each) for each in made.files]
    return Stored(made, tuple(files))


async def _store(server: Server, file: MadeFile) -> dict[str, Any]:
    name = names.new(file.media_type)
    await server.files.put(names.place(name), file.path)
    return file.row(name)


async def write(addresses: Addresses, tx: Transaction, job: Job, stored: Stored, now: float) -> Outcome | None:
    """The upload is ready, or failed for good. Where it is gone meanwhile, so is what was made of it.

    An avatar or a header is its persona's from then on.
    """
    if stored.made is None:
        await _fail(tx, int(job.args["medium"]), stored.why)
        return GiveUp(stored.why)
    made = stored.made
    before = await by_id(tx, int(job.args["medium"]))
    if before is not None and before.use in WORN:
        await alone(tx, before.actor_id)  # before any upload of it is touched
    changed = await tx.all(
        update(medium)
        .where(medium.c.id == job.args["medium"], medium.c.state == WAITING)
        .values(
            state=READY,
            kind=made.kind,
            blurhash=made.blurhash,
            colour=made.colour,
            width=made.width,
            height=made.height,
            duration=made.duration,
            animated=made.animated,
            files=list(stored.files),
            source=None,
            bytes=sum(file["bytes"] for file in stored.files),
        )
        .returning(medium.c.actor_id, medium.c.post_id)
    )
    await _settled(tx, changed)
    if not changed:
        await let_go(tx, [file["name"] for file in stored.files])
    elif before is not None and before.source is not None:
        await let_go(tx, [before.source])
        if before.use in WORN:
            await put_on(tx, await known(tx, before.id), addresses, now)
    return None


async def record(tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
    """An upload whose job is given up has failed, whatever it was that went wrong."""
    for job, outcome in ended:
        if isinstance(outcome, GiveUp) and isinstance(job.args.get("medium"), int):
            await _fail(tx, job.args["medium"], _TROUBLE)


async def _fail(tx: Transaction, medium_id: int, why: str) -> None:
    before = await by_id(tx, medium_id)
    changed = await tx.all(
        update(medium)
        .where(medium.c.id == medium_id, medium.c.state == WAITING)
        .values(state=FAILED, why=why, source=None, bytes=0)
        .returning(medium.c.actor_id, medium.c.post_id)
    )
    await _settled(tx, changed)
    if changed and before is not None and before.source is not None:
        await let_go(tx, [before.source])


async def _settled(tx: Transaction, changed: Sequence[Any]) -> None:
    """Posts wait for those that are attached already: whoever attaches one at this moment is waited for, too."""
    for row in changed:
        if row.post_id is not None:
            await settled(tx, row.actor_id)
