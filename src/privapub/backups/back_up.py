"""Making a backup while the server runs."""

import os
import shutil
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from privapub import clock, identifiers
from privapub.backups import archive, postgresql, sqlite
from privapub.backups import manifest as manifests
from privapub.backups.archive import Member, Progress
from privapub.backups.manifest import Manifest
from privapub.backups.place import Place, move, sync_folder
from privapub.errors import Conflict, OperatorError


def quiet(_what: str, _done: int, _total: int) -> None:
    """For who wants no progress told."""


def back_up(place: Place, target: Path, version: str, now: float, progress: Progress = quiet) -> Manifest:
    """Write the whole installation to one file, readable by its owner alone; what it holds.

    `version` is the program's. The file appears when it is whole and on the disk; beside it there must be room for the
    database twice. Raises Conflict where the file is there already, and OperatorError where something cannot be read or
    written.
    """
    if target.exists():
        raise _taken(target)
    work = target.parent / f".{target.name}.{identifiers.token()}"
    try:
        work.mkdir(mode=0o700)
        whole = work / "whole"
        copied = work / "database"
        schema = _copy_database(place, copied, progress)
        with os.fdopen(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "r+b") as file:
            made = _write(place, file, copied, schema=schema, version=version, now=now, progress=progress)
            file.flush()
            os.fsync(file.fileno())
        move(whole, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError as error:
        raise OperatorError(
            f"The backup cannot be written to {target}: {error.strerror or error}.",
            "Look at the folder and its room. It needs as much as the media and the database twice.",
        ) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    sync_folder(target.parent)
    return made


def _taken(target: Path) -> Conflict:
    return Conflict(f"There is a {target} already, and it is left alone.", "Name another file.")


def _copy_database(place: Place, copied: Path, progress: Progress) -> str:
    """The database as it is at one moment; which schema the copy has."""
    what = "copying the database"
    if place.kind == "sqlite":
        sqlite.copy(place.file, copied, partial(progress, what))
        return sqlite.look(copied)
    postgresql.copy(place.url, copied, place.tools, place.server, lambda size: progress(what, size, 0))
    return postgresql.look(copied, place.tools, place.server)


def _write(
    place: Place, file: IO[bytes], copied: Path, *, schema: str, version: str, now: float, progress: Progress
) -> Manifest:
    def told(_count: int) -> None:
        progress("writing", file.tell(), 0)

    size = copied.stat().st_size
    with copied.open("rb") as source:
        sha256 = archive.add(file, Member(archive.DATABASE[place.kind], size), source, told)
    if sha256 is None:
        raise OperatorError("The copy of the database has become shorter while it was read.")
    copied.unlink()
    media = archive.MediaHash()
    for path in _files(place.media):
        name = archive.MEDIA + path.relative_to(place.media).as_posix()
        opened = _open(path)
        if opened is None:
            continue
        with opened:
            member = Member(name, os.fstat(opened.fileno()).st_size)
            try:
                sum_ = archive.add(file, member, opened, told)
            except ValueError:
                raise OperatorError(f"The name of {path} is too long for a backup.", "Move that file away.") from None
        if sum_ is not None:
            media.add(member, sum_)
    manifest = Manifest(
        format=manifests.FORMAT,
        version=version,
        base_url=place.base_url,
        domain=place.domain,
        made_at=clock.iso(now),
        database=manifests.Database(place.kind, schema, size, sha256),
        media=media.so_far(),
    )
    text = manifests.encode(manifest)
    archive.add_bytes(file, archive.MANIFEST, text)
    archive.finish(file)
    return manifest


def _files(folder: Path) -> Iterator[Path]:
    """The plain files below a folder, one folder after the other; what goes away meanwhile is not missed."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _open(path: Path) -> IO[bytes] | None:
    """The file opened, or None where it is gone or has become something else."""
    try:
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        return None
    return os.fdopen(opened, "rb")
