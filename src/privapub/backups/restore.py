"""Putting a backup back where nothing is: all of it or nothing."""

import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from privapub.backups import archive, postgresql, sqlite
from privapub.backups.archive import Member, Progress
from privapub.backups.back_up import quiet
from privapub.backups.manifest import Manifest, judge
from privapub.backups.place import Place, move, sync_folder
from privapub.errors import Conflict, InvalidInput, OperatorError
from privapub.jobs.pause import statements

WORK = ".restoring"
MEDIA_IS_OURS = "the-media-folder-is-of-this-restore"


def restore(
    source: Path,
    place: Place,
    *,
    revisions: Sequence[str],
    stay: Collection[str],
    empty: bool,
    other_domain: bool = False,
    progress: Progress = quiet,
) -> Manifest:
    """Put a backup back, with every unfinished job paused but those of the kinds in `stay`; what it holds.

    `revisions` are the schemas that this program knows; `empty` tells whether a PostgreSQL holds no tables. Until the
    last step nothing is there that a server could use, and if anything fails nothing is left behind. Raises
    InvalidInput for a file that is no sound backup, Conflict where it does not belong here or the place is not empty,
    and OperatorError where something cannot be read or written.
    """
    try:
        with _working(place, empty=empty) as work:
            _check_empty(place, empty=empty)
            with source.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                manifest = archive.read(file, size, None, progress)
                judge(
                    manifest, kind=place.kind, revisions=revisions, base_url=place.base_url, domain=place.domain,
                    other_domain=other_domain,
                )  # fmt: skip
                _unpack(file, size, manifest, place, work, progress)
            progress("putting it in place", 0, 0)
            _put_in_place(manifest, place, work, stay)
    except archive.NoBackup:
        raise archive.NoBackup(
            f"{source} is no backup of PrivaPub, or is cut short.", "Name a file that `privapub backup` made."
        ) from None
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        raise OperatorError(f"The backup cannot be restored: {what}{error.strerror or error}.") from None
    return manifest


@contextmanager
def _working(place: Place, *, empty: bool) -> Iterator[Path]:
    """A folder for what is not in its place yet; one restore at a time, and what a killed one left is cleared away."""
    made = [folder for folder in (place.data, *place.data.parents) if not folder.exists()]
    place.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    work = place.data / WORK
    work.mkdir(mode=0o700, exist_ok=True)
    # A lock that ends with the process that holds it, on every system.
    lock = sqlite3.connect(work / "lock", timeout=0, isolation_level=None)
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            raise Conflict("Another restore is under way here.") from None
        _clear(place, work, empty=empty)
        try:
            yield work
        finally:
            _clear(place, work, empty=empty)
            shutil.rmtree(work, ignore_errors=True)
    finally:
        lock.close()
        for folder in made:
            with suppress(OSError):
                folder.rmdir()  # if nothing came into it


def _clear(place: Place, work: Path, *, empty: bool) -> None:
    """Remove what is not in its place; the media too, if they came there and their database did not."""
    if (work / MEDIA_IS_OURS).exists() and (empty if place.kind == "postgresql" else not place.file.exists()):
        shutil.rmtree(place.media, ignore_errors=True)
    for path in work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("lock"):
            path.unlink()
    if place.kind == "sqlite" and place.file.parent.exists():
        for path in place.file.parent.iterdir():
            if path.name.startswith(_unplaced(place, work).name):  # what SQLite made beside it, too
                path.unlink()


def _unplaced(place: Place, work: Path) -> Path:
    """Where the database is before it is in its place: for SQLite beside it, on the same disk."""
    return place.file.with_name(f".{place.file.name}{WORK}") if place.kind == "sqlite" else work / "database"


def _check_empty(place: Place, *, empty: bool) -> None:
    hint = "A backup is restored into an empty place: name a new one, or move away what is there."
    if place.kind == "sqlite":
        for file in (place.file, *(Path(f"{place.file}{end}") for end in ("-wal", "-shm", "-journal"))):
            if file.exists():
                raise Conflict(f"There is a database already: {file}.", hint)
    elif not empty:
        raise Conflict("The PostgreSQL database holds tables already.", "Make a new one with createdb, and name that.")
    if place.media.is_symlink() or (place.media.exists() and any(place.media.iterdir())):
        raise Conflict(f"There are media already: {place.media}.", hint)


def _unpack(file: IO[bytes], size: int, manifest: Manifest, place: Place, work: Path, progress: Progress) -> None:
    """Once more from the beginning, and checked once more: what is written is what was checked."""
    file.seek(0)
    database = _unplaced(place, work)
    database.parent.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def sink(member: Member) -> Iterator[IO[bytes]]:
        path = work / member.name if member.name.startswith(archive.MEDIA) else database
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            opened = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except (FileExistsError, NotADirectoryError):
            raise InvalidInput(f"The backup holds {member.name!a} twice.") from None
        with open(opened, "wb") as target:  # noqa: PTH123 - opened above
            yield target
            target.flush()
            os.fsync(opened)

    def told(_what: str, done: int, total: int) -> None:
        progress("unpacking", done, total)

    if archive.read(file, size, sink, told) != manifest:
        raise InvalidInput("The backup was changed while it was read.")
    (work / "media").mkdir(exist_ok=True)
    for folder, _, _ in os.walk(work / "media"):
        sync_folder(Path(folder))


def _put_in_place(manifest: Manifest, place: Place, work: Path, stay: Collection[str]) -> None:
    """The media first, then the one step that makes the database usable, with its jobs paused."""

    def place_media() -> None:
        if manifest.media.files:
            (work / MEDIA_IS_OURS).touch()
            sync_folder(work)
            if place.media.exists():
                place.media.rmdir()  # it is empty: that was looked at
            place.media.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(work / "media", place.media)  # it may be on another disk
            sync_folder(place.media.parent)

    def all_is_there() -> None:
        (work / MEDIA_IS_OURS).unlink(missing_ok=True)

    database = _unplaced(place, work)
    if place.kind == "sqlite":
        _check_schema(sqlite.look(database), manifest)
        sqlite.change(database, statements(stay))
        place_media()
        try:
            move(database, place.file)
        except FileExistsError:
            if manifest.media.files:
                shutil.rmtree(place.media)
            raise Conflict(f"There is a database now: {place.file}.", "Stop the server that made it.") from None
    else:
        _check_schema(postgresql.look(database, place.tools, place.server), manifest)
        try:
            postgresql.put_back(place.url, database, statements(stay), place.tools, place.server, place_media)
        except postgresql.InDoubt:
            all_is_there()
            raise
    all_is_there()


def _check_schema(found: str, manifest: Manifest) -> None:
    if found != manifest.database.schema:
        raise InvalidInput(
            f"The backup is damaged: its database has schema {found}, and its manifest says {manifest.database.schema}."
        )
