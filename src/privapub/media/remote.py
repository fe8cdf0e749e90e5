"""The job of kind `remote_file`: fetches a file elsewhere into the cache.

A picture is made anew like ours before anybody sees it. A film or a sound is kept as it comes, and can be read from the
first bytes on; as what it is served, its first bytes decide and nobody's word.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import structlog

from privapub import scope
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.jobs.lease import renew
from privapub.media import names, sniff_film
from privapub.media.child.order import Purpose
from privapub.media.process import MIB, BadMedia, MadeFile, MediaTrouble, Want, bounds_of, process
from privapub.outbound.answers import IN_A_MOMENT, FetchProblem
from privapub.outbound.target import host_of
from privapub.proxy import cache
from privapub.proxy.folder import FolderTrouble, write_all
from privapub.server import Server

ATTEMPTS = 4
LEASE, DEADLINE = 120.0, 3600.0  # seconds
NO_ROOM_FOR = 30.0  # seconds, until what is coming may have come
FOLDER = "cache"  # the reason where it was our own disk
_IN_A_MOMENT = IN_A_MOMENT | {"500"}  # what makes a file there for whoever asks first may need a second try
_PURPOSES: Mapping[str, Purpose] = {
    "picture": "remote",
    "avatar": "avatar",
    "header": "header",
    "emoji": "emoji",
    "card": "card",
}
_PICTURES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic", "image/heif"})
_FILMS = frozenset({"video/mp4", "video/webm", "video/ogg", "video/quicktime", "application/ogg", "application/mp4"})
_SOUNDS = frozenset({
    "audio/mpeg", "audio/mp3", "audio/mp4", "audio/x-m4a", "audio/aac", "audio/ogg", "audio/opus", "audio/vorbis",
    "audio/webm", "audio/flac", "audio/x-flac", "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave",
})  # fmt: skip
# What says nothing is taken as well: what it is, its bytes tell.
_ANY = "application/octet-stream"
_SERVED = {  # as what a film or a sound in this container is served
    sniff_film.MP4: ("video/mp4", "audio/mp4"),
    sniff_film.MATROSKA: ("video/webm", "audio/webm"),
    sniff_film.OGG: ("video/ogg", "audio/ogg"),
    sniff_film.MP3: ("audio/mpeg", "audio/mpeg"),
    sniff_film.FLAC: ("audio/flac", "audio/flac"),
    sniff_film.WAV: ("audio/wav", "audio/wav"),
}
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Stored:
    """The files that are in the folder now, as rows have them; or why there are none."""

    files: tuple[dict[str, Any], ...] = ()
    reason: str = ""


async def fetch(server: Server, job: Job) -> Stored | Outcome:
    """Fetch the file, unless it is here; tried again where the other server has a bad moment, or our disk."""
    if not await _is_wanted(server, job):
        return Done()
    if not await server.door.gate.takes_media(host_of(str(job.args["url"]))):
        return Stored(reason="disallowed")
    use = str(job.args["use"])
    try:
        with scope.purpose("media"):
            picture = _PURPOSES.get(use)
            return await (_picture(server, job, picture) if picture else _film(server, job, sound=use == "sound"))
    except _Other as other:
        return other.outcome
    except FolderTrouble as trouble:
        _log.warning("the cache takes nothing", folder=str(server.proxy.folder.path), why=str(trouble))
        return Retry(None, FOLDER)
    except FetchProblem as problem:
        late = problem.reason in _IN_A_MOMENT and job.attempt < ATTEMPTS
        return Retry(None, problem.reason) if late else Stored(reason=problem.reason)


async def _is_wanted(server: Server, job: Job) -> bool:
    """Whether it is neither here nor known to be nowhere. What the folder lost is forgotten.

    That is judged here alone: whoever writes into the folder has the right one.
    """
    key = str(job.args["key"])
    async with server.database.read() as tx:
        found = await cache.look(tx, key)
    if found is None or found.state != cache.READY:
        return found is None or found.again_at <= job.leased_at
    if await asyncio.to_thread(server.proxy.folder.has, found.names):
        return False
    async with server.database.write() as tx:
        await cache.forget(tx, key, found.names)
    return True


async def write(tx: Transaction, job: Job, stored: Stored, now: float) -> Outcome | None:
    """What was stored is shown from now on. Where another attempt took its place, nothing is."""
    key = str(job.args["key"])
    if job.id not in await renew(tx, [job]):
        return None  # nothing of this stays
    if not stored.files:
        await cache.fail(tx, key, host_of(str(job.args["url"])), stored.reason, now)
        return GiveUp(stored.reason)
    await cache.settle(tx, key, stored.files)
    return None


async def record(tx: Transaction, ended: Sequence[tuple[Job, Outcome]], now: float) -> None:
    """A job that is given up has failed, whatever it was that went wrong."""
    for job, outcome in ended:
        key, url = job.args.get("key"), job.args.get("url")
        if isinstance(outcome, GiveUp) and isinstance(key, str) and isinstance(url, str):
            found = await cache.look(tx, key)
            if found is None or found.state == cache.COMING:
                await cache.fail(tx, key, host_of(url), FOLDER if outcome.why == FOLDER else "network", now)


async def _picture(server: Server, job: Job, purpose: Purpose) -> Stored:
    limit = server.settings.remote_picture_bytes * MIB
    with tempfile.TemporaryDirectory(prefix="privapub-") as name:
        source, folder = Path(name) / "source", Path(name) / "made"
        folder.mkdir()
        with await asyncio.to_thread(source.open, "wb", buffering=0) as opened:
            await server.door.download(
                str(job.args["url"]),
                _ToFile(opened),
                accept="image/webp, image/avif, image/*",
                content_types=_PICTURES | {_ANY},
                limit=limit,
            )
        try:
            made = await process(source, folder, Want(purpose), replace(bounds_of(server.settings), bytes=limit))
        except (BadMedia, MediaTrouble):
            return Stored(reason="content-type")
        return await _keep(server, job, made.files)


async def _keep(server: Server, job: Job, made: Sequence[MadeFile]) -> Stored:
    files = tuple(each.row(names.new(each.media_type)) for each in made)
    await _make_room(server, job, files)
    async with _written(server, job, files):
        for row, each in zip(files, made, strict=True):
            await server.proxy.folder.keep(row["name"], each.path)
    return Stored(files)


async def _film(server: Server, job: Job, *, sound: bool) -> Stored:
    limit = server.settings.remote_film_bytes * MIB
    growing = _Growing(server, job, sound=sound)
    async with _written(server, job, growing.rows):
        try:
            await server.door.download(
                str(job.args["url"]),
                growing,
                accept="audio/*, application/ogg" if sound else "video/*, application/ogg",
                content_types=_SOUNDS | _FILMS | {_ANY},
                limit=limit,
            )
            await growing.end()
        finally:
            growing.close()
    return Stored(tuple(growing.rows))


@asynccontextmanager
async def _written(server: Server, job: Job, files: Sequence[dict[str, Any]]) -> AsyncIterator[None]:
    """While these files are written: what went wrong leaves nothing of them, and nobody's room is taken.

    Who is killed leaves what there is to the next attempt. That one may be there already, and have let go of these:
    then they are deleted by us, since nobody else knows that they came.
    """
    key, folder = str(job.args["key"]), server.proxy.folder
    try:
        yield
    except Exception:
        async with server.database.write() as tx:
            await cache.give_back(tx, key, [each["name"] for each in files])
        await cache.sweep(server.database, folder)
        raise
    which = [each["name"] for each in files]
    async with server.database.read() as tx:
        stays = await cache.holds(tx, which)
    if not stays:
        await folder.delete(which)
        raise _Other(Done())


class _Other(Exception):
    """The attempt ends here, with this outcome. It is no InvalidInput: it says nothing of what is fetched."""

    def __init__(self, outcome: Outcome | Stored) -> None:
        super().__init__(outcome)
        self.outcome = outcome


async def _make_room(server: Server, job: Job, files: Sequence[dict[str, Any]]) -> None:
    """Have room in the cache for these files; what has to go for them is gone when this returns."""
    most, bound = server.settings.remote_film_bytes * MIB, server.settings.cache_size * MIB
    key, host = str(job.args["key"]), host_of(str(job.args["url"]))
    try:
        async with server.database.write() as tx:
            if job.id not in await renew(tx, [job]):
                raise _Other(Done())  # which nobody hears: another attempt is under way
            found = await cache.reserve(tx, key, host, files, most, bound)
    except cache.NoRoom:
        raise _Other(Retry(NO_ROOM_FOR, "the cache is full of what is coming", spends_attempt=False)) from None
    if not found:
        raise _Other(Stored(reason="too-large"))
    await cache.sweep(server.database, server.proxy.folder)


@dataclass
class _ToFile:
    """A sink that writes to a file of this machine."""

    opened: BinaryIO

    async def begin(self, content_type: str, length: int | None) -> None:
        """Whatever it is called."""

    async def take(self, piece: bytes) -> None:
        """The next of it. Raises FolderTrouble."""
        await asyncio.to_thread(write_all, self.opened, piece)


@dataclass
class _Growing:
    """A sink that writes into the cache, from where it is read meanwhile."""

    server: Server
    job: Job
    sound: bool
    rows: list[dict[str, Any]] = field(default_factory=list)  # of the one file, once there is room for it
    _length: int | None = None
    _head: bytearray = field(default_factory=bytearray)
    _opened: BinaryIO | None = None
    _bytes: int = 0

    async def begin(self, content_type: str, length: int | None) -> None:
        """Nothing is stored before the first bytes tell what it is."""
        del content_type
        self._length = length

    async def take(self, piece: bytes) -> None:
        """InvalidInput where it is no film and no sound. Raises FolderTrouble."""
        if self._opened is not None:
            await self._write(piece)
            return
        self._head += piece
        if len(self._head) >= sniff_film.HEAD:
            await self._start()

    async def end(self) -> None:
        """It is all there. Raises FetchProblem where it was nothing, or not all of it came."""
        try:
            if self._opened is None:
                await self._start()
        except InvalidInput:
            raise FetchProblem(host_of(str(self.job.args["url"])), "content-type") from None
        self.close()
        (row,) = self.rows
        await asyncio.to_thread(self.server.proxy.folder.finish, row["name"])
        self.rows[:] = [{**row, "bytes": self._bytes}]

    def close(self) -> None:
        """Nothing more is written."""
        if self._opened is not None:
            self._opened.close()

    async def _start(self) -> None:
        container = sniff_film.container(bytes(self._head))
        if container is None:
            raise InvalidInput("The file is no film and no sound.")
        kind = _SERVED[container][self.sound]
        name = names.new(kind)
        row = {"role": "original", "name": name, "media_type": kind, "bytes": self._length}
        await _make_room(self.server, self.job, [row])
        self.rows.append(row)
        self._opened = await asyncio.to_thread(self.server.proxy.folder.begin, name)
        head, self._head = bytes(self._head), bytearray()
        await self._write(head)

    async def _write(self, piece: bytes) -> None:
        assert self._opened is not None  # noqa: S101 - it was started
        self._bytes += len(piece)
        await asyncio.to_thread(write_all, self._opened, piece)
