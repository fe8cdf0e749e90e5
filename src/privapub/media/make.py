"""The job of an upload: its files are made, stored, and named in its row; what it came as is let go.

A picture that is to stand for a film comes with it or after it, and takes the place of the one that was made of the
film.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import case, null, update

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.jobs import progress
from privapub.jobs.job import Done, GiveUp, Job, Outcome
from privapub.media import ffmpeg, names, ready
from privapub.media.child.order import Purpose
from privapub.media.facts import settled
from privapub.media.let_go import let_go
from privapub.media.process import BadMedia, Made, MadeFile, MediaTrouble, Want, bounds_of, process
from privapub.media.read import FAILED, READY, WAITING, WORN, Medium, by_id, known
from privapub.media.tables import medium
from privapub.media.wear import put_on
from privapub.personas.read import alone
from privapub.server import Server

ATTEMPTS = 4
LEASE, DEADLINE = 120.0, 4 * 3600.0  # seconds
_TROUBLE = "This could not be processed."


@dataclass(frozen=True)
class Stored:
    """What was made of an upload, and what its files are called in the store; or why there is nothing.

    `poster` is what was made of the picture that is to stand for it, which came as `poster_source`.
    """

    made: Made | None
    files: tuple[dict[str, Any], ...] = ()
    why: str = ""
    poster: Made | None = None
    posters: tuple[dict[str, Any], ...] = ()
    poster_source: str | None = None

    @property
    def look(self) -> dict[str, str]:
        """What stands where a picture is not loaded yet."""
        of = self.poster or self.made
        return {} if of is None else {"blurhash": of.blurhash, "colour": of.colour}

    def beside(self, files: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """These files, the picture that was chosen instead of those that were made of the film."""
        if not self.posters:
            return list(files)
        return [*(file for file in files if file["role"] not in {"poster", "small"}), *self.posters]


async def fetch(server: Server, job: Job) -> Stored | Outcome:
    """Make the files and store them. Where the store does not work it is tried again."""
    async with server.database.read() as tx:
        found = await by_id(tx, int(job.args["medium"]))
    if found is None or found.state == FAILED or not found.unmade:
        return Done()

    async def tell(share: float, what: str) -> None:
        await progress.report(server.database, job, share, what)

    async def make(source: str, use: Purpose) -> tuple[Made, tuple[dict[str, Any], ...]]:
        with tempfile.TemporaryDirectory(prefix="privapub-") as name:
            path, folder = Path(name) / "source", Path(name) / "made"
            folder.mkdir()
            await server.files.fetch(names.place(source), path)
            programs = ffmpeg.find(server.settings.ffmpeg)
            made = await process(path, folder, Want(use), bounds_of(server.settings), tell, programs=programs)
            return made, tuple([await _store(server, each) for each in made.files])

    made, poster = None, None
    files: tuple[dict[str, Any], ...] = ()
    posters: tuple[dict[str, Any], ...] = ()
    try:
        if found.source is not None:
            made, files = await make(found.source, found.use)
        if found.poster_source is not None and (made is None or made.kind != "image"):
            poster, posters = await make(found.poster_source, "poster")
            posters = ({**posters[0], "role": "poster"},)
    except (BadMedia, MediaTrouble) as problem:  # who tried a file in vain twice does not try it all day
        return Stored(None, files, str(problem), poster_source=found.poster_source)
    return Stored(made, files, "", poster, posters, found.poster_source)


async def _store(server: Server, file: MadeFile) -> dict[str, Any]:
    name = names.new(file.media_type)
    await server.files.put(names.place(name), file.path)
    return file.row(name)


async def write(addresses: Addresses, tx: Transaction, job: Job, stored: Stored, now: float) -> Outcome | None:
    """The upload is ready, or failed for good. Where it is gone meanwhile, so is what was made of it.

    An avatar or a header is its persona's from then on.
    """
    ready.announce(tx)
    number = int(job.args["medium"])
    if stored.why:
        await let_go(tx, [file["name"] for file in stored.files])
        await _fail(tx, number, stored.why, stored.poster_source)
        return GiveUp(stored.why)
    before = await by_id(tx, number)
    if stored.made is None:
        await _stand_for(tx, before, stored)
        return None
    made = stored.made
    if before is not None and before.use in WORN:
        await alone(tx, before.actor_id)  # before any upload of it is touched
    files = stored.beside(stored.files)
    changed = await tx.all(
        update(medium)
        .where(medium.c.id == number, medium.c.state == WAITING)
        .values(
            state=READY,
            kind=made.kind,
            **stored.look,
            width=made.width,
            height=made.height,
            duration=made.duration,
            animated=made.animated,
            files=files,
            source=None,
            # One that was chosen meanwhile has a job of its own.
            poster_source=case((medium.c.poster_source == stored.poster_source, null()), else_=medium.c.poster_source),
            bytes=sum(file["bytes"] for file in files),
        )
        .returning(medium.c.actor_id, medium.c.post_id)
    )
    await _settled(tx, changed)
    if not changed:
        await let_go(tx, _names(stored.files, stored.posters))
    elif before is not None:
        unused = _names(stored.files) - _names(files)
        await let_go(tx, {name for name in (before.source, stored.poster_source) if name is not None} | unused)
        if before.use in WORN:
            await put_on(tx, await known(tx, before.id), addresses, now)
    return None


async def _stand_for(tx: Transaction, before: Medium | None, stored: Stored) -> None:
    """A film that was ready has another picture from now on; but one that is in a post keeps its own."""
    files = stored.beside(() if before is None else before.files)
    taken = before is not None and await tx.all(
        update(medium)
        .where(
            medium.c.id == before.id,
            medium.c.poster_source == stored.poster_source,
            medium.c.post_id.is_(None),
        )
        .values(files=files, **stored.look, poster_source=None, bytes=sum(file["bytes"] for file in files))
        .returning(medium.c.id)
    )
    if before is None or not taken:
        await let_go(tx, _names(stored.posters))
        await _leave(tx, before, stored.poster_source)
    else:
        await let_go(tx, _names(before.files) - _names(files) | {str(stored.poster_source)})


async def _leave(tx: Transaction, of: Medium | None, poster_source: str | None, why: str = "") -> None:
    """The picture that was to stand for an upload goes as it came, unless another one has come meanwhile."""
    if of is None or poster_source is None:
        return
    same = medium.c.id == of.id, medium.c.poster_source == poster_source
    if (await tx.execute(update(medium).where(*same).values(poster_source=None, why=why))).rowcount:
        await let_go(tx, [poster_source])


async def record(tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
    """An upload whose job is given up has failed, whatever it was that went wrong."""
    for job, outcome in ended:
        if isinstance(outcome, GiveUp) and isinstance(job.args.get("medium"), int):
            before = await by_id(tx, job.args["medium"])
            await _fail(tx, job.args["medium"], _TROUBLE, None if before is None else before.poster_source)


async def _fail(tx: Transaction, medium_id: int, why: str, poster_source: str | None) -> None:
    before = await by_id(tx, medium_id)
    changed = await tx.all(
        update(medium)
        .where(medium.c.id == medium_id, medium.c.state == WAITING)
        .values(state=FAILED, why=why, source=None, poster_source=None, bytes=0)
        .returning(medium.c.actor_id, medium.c.post_id)
    )
    await _settled(tx, changed)
    if changed and before is not None:
        await let_go(tx, before.unmade)
    elif not changed:
        await _leave(tx, before, poster_source, why)


def _names(*some: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(file["name"]) for files in some for file in files}


async def _settled(tx: Transaction, changed: Sequence[Any]) -> None:
    """Posts wait for those that are attached already: whoever attaches one at this moment is waited for, too."""
    for row in changed:
        if row.post_id is not None:
            await settled(tx, row.actor_id)
