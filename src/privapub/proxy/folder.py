"""The folder of the cache: files that are written once, under names that are never used again.

Nothing in it tells when a file was stored or read: the times of reading are not kept, those of writing are set to none.
Whoever reads while it is written reads `NAME.part`, which has the same bytes from the beginning on.
"""

import asyncio
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from privapub.storage.files import checked

_PART = ".part"
_NO_TIME = (0, 0)
_QUIET = getattr(os, "O_NOATIME", 0)  # where there is such a thing
_PIECE = 1 << 20  # bytes
_OURS = re.compile(r"[A-Za-z0-9_-]{20,64}\.[a-z0-9]{2,5}")  # a random word and an ending


class FolderTrouble(Exception):
    """The folder does not take a file, or lost what was written: it is full, or not ours."""


@contextmanager
def in_folder() -> Iterator[None]:
    """What the disk refuses is FolderTrouble: it is no fault of a host, and nothing that a network says."""
    try:
        yield
    except OSError as error:
        raise FolderTrouble(error.strerror or type(error).__name__) from None


@dataclass(frozen=True)
class CacheFolder:
    """The folder; it is made with its first file. All processes of an installation have the same."""

    path: Path

    def place(self, name: str) -> Path:
        """Where the file of this name is; ValueError for what is none."""
        return self.path / name[:2] / checked(name)

    def open(self, name: str) -> int:
        """A descriptor from which the file is read, or what is there of it; FileNotFoundError where there is none.

        Whoever gets it closes it.
        """
        whole = self.place(name)
        for path in (whole, _part(whole), whole):  # it may be finished between two looks
            try:
                return _open(path)
            except FileNotFoundError:
                continue
        raise FileNotFoundError(name)

    def begin(self, name: str) -> BinaryIO:
        """A file that grows, for whoever writes it (`write_all`). Raises FolderTrouble, as all that follows."""
        whole = self.place(name)
        with in_folder():
            whole.parent.mkdir(parents=True, exist_ok=True)
            return _part(whole).open("wb", buffering=0)

    def finish(self, name: str) -> None:
        """What grew is whole; it is on the disk before it is called so."""
        whole = self.place(name)
        part = _part(whole)
        with in_folder():
            with part.open("rb") as written:
                os.fsync(written.fileno())
            os.utime(part, _NO_TIME)
            part.replace(whole)

    async def keep(self, name: str, source: Path) -> None:
        """Copy a file into it, whole or not at all."""

        def copy() -> None:
            with self.begin(name) as to, source.open("rb") as opened:
                while piece := opened.read(_PIECE):
                    write_all(to, piece)
            self.finish(name)

        await asyncio.to_thread(copy)

    def has(self, names: Collection[str]) -> bool:
        """Whether all of these are here, whole or coming."""
        return all(whole.exists() or _part(whole).exists() or whole.exists() for whole in map(self.place, names))

    def walk(self) -> Iterator[tuple[str, int]]:
        """The names of all that is in it, files that were only begun among them, and their bytes."""
        for found in self.path.glob("*/*"):
            name = found.name.removesuffix(_PART)
            if found.parent.name == name[:2] and _OURS.fullmatch(name):
                with suppress(FileNotFoundError):  # it has gone meanwhile
                    yield name, found.stat().st_size

    async def delete(self, which: Collection[str]) -> None:
        """Let go of these; that one is not there any more, or was only begun, is as well."""

        def unlink() -> None:
            for name in which:
                whole = self.place(name)
                whole.unlink(missing_ok=True)
                _part(whole).unlink(missing_ok=True)

        await asyncio.to_thread(unlink)


def write_all(to: BinaryIO, piece: bytes) -> None:
    """Write all of it: a disk that gets full may take a part, and say so only when it is asked again."""
    rest = memoryview(piece)
    with in_folder():
        while rest:
            rest = rest[to.write(rest) :]


def _part(whole: Path) -> Path:
    return whole.with_name(whole.name + _PART)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | _QUIET)
    except PermissionError:  # the file is somebody else's: only its owner may leave the time of reading as it is
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
