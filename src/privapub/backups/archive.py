"""The file of a backup: a tar of regular files, written and read in one pass and constant memory.

The format is ustar (POSIX.1-2017, pax, "ustar Interchange Format"), with GNU's binary size for what is beyond 8 GiB.
Nothing but regular files is written or let in: no links, no devices, no extended headers.
"""

import hashlib
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import IO, Any

from privapub.backups import manifest as manifests
from privapub.backups.manifest import Kind, Manifest
from privapub.errors import InvalidInput

DATABASE: dict[Kind, str] = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
MEDIA = "media/"
MANIFEST = "manifest.json"
CHUNK = 1024 * 1024
LONGEST_MANIFEST = 64 * 1024

Sink = Callable[["Member"], AbstractContextManager[IO[bytes]]]
Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much (bytes; 0: not known)


class NoBackup(InvalidInput):
    """This is no backup of PrivaPub, or is cut short."""


@dataclass(frozen=True)
class Member:
    """A file in the archive: `name` as it stands there, `size` in bytes."""

    name: str
    size: int


@dataclass
class MediaHash:
    """The sum of all media files, whatever their number."""

    files: int = 0
    bytes: int = 0
    _sum: Any = field(default_factory=hashlib.sha256)

    def add(self, member: Member, sha256: str) -> None:
        """The next file, in the order of the archive."""
        self.files += 1
        self.bytes += member.size
        self._sum.update(f"{sha256} {member.size} {member.name}\n".encode("utf-8", "surrogateescape"))

    def so_far(self) -> manifests.Media:
        """As the manifest says it."""
        return manifests.Media(self.files, self.bytes, self._sum.hexdigest())


def _header(name: str, size: int) -> bytes:
    """The block before a file; raises ValueError for a name of more bytes than it has room for."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    plain = size < 8**11
    return info.tobuf(tarfile.USTAR_FORMAT if plain else tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def add(archive: IO[bytes], member: Member, source: IO[bytes], progress: Callable[[int], None]) -> str | None:
    """Append a file, and tell its SHA-256 in hexadecimal.

    None where the source turns out to be shorter than it was: nothing is appended then.
    """
    start = archive.tell()
    archive.write(_header(member.name, member.size))
    sha256 = _copy(source, archive, member.size, progress)
    if sha256 is None:
        archive.seek(start)
        archive.truncate()
        return None
    archive.write(bytes(-member.size % tarfile.BLOCKSIZE))
    return sha256


def add_bytes(archive: IO[bytes], name: str, content: bytes) -> None:
    """Append a small file."""
    archive.write(_header(name, len(content)) + content + bytes(-len(content) % tarfile.BLOCKSIZE))


def finish(archive: IO[bytes]) -> None:
    """The end of the archive."""
    archive.write(bytes(2 * tarfile.BLOCKSIZE))


def _copy(source: IO[bytes], target: IO[bytes] | None, size: int, progress: Callable[[int], None]) -> str | None:
    sha256, left = hashlib.sha256(), size
    while left:
        part = source.read(min(CHUNK, left))
        if not part:
            return None
        sha256.update(part)
        if target is not None:
            target.write(part)
        left -= len(part)
        progress(len(part))
    return sha256.hexdigest()


def read(archive: IO[bytes], size: int, sink: Sink | None, progress: Progress) -> Manifest:
    """Read a whole archive of `size` bytes from its beginning, and check it against its manifest.

    With a `sink`, each file but the manifest is written to what it opens for it. Raises InvalidInput with the reason
    where the archive is not what `back_up` makes, NoBackup where not even its beginning is.
    """
    database: tuple[Member, str] | None = None
    media = MediaHash()
    for member in _members(archive, size):
        if member.name == MANIFEST:
            return _checked(archive, member, database, media)
        if (member.name in DATABASE.values()) != (database is None):
            raise InvalidInput("The backup is damaged: it does not begin with one database.")

        def told(_count: int) -> None:
            progress("reading", archive.tell(), size)

        if sink is None:
            sha256 = _copy(archive, None, member.size, told)
        else:
            with sink(member) as target:
                sha256 = _copy(archive, target, member.size, told)
        if sha256 is None:
            raise InvalidInput(CUT)
        archive.read(-member.size % tarfile.BLOCKSIZE)
        if database is None:
            database = member, sha256
        else:
            media.add(member, sha256)
    raise NoBackup() if database is None else InvalidInput(CUT)


CUT = "The backup is cut short: its end, which says what belongs to it, is missing."


def _members(archive: IO[bytes], size: int) -> Iterator[Member]:
    """Each file's header; whoever asks for the next one has read the file."""
    first = True
    while len(block := archive.read(tarfile.BLOCKSIZE)) == tarfile.BLOCKSIZE and block.count(0) != len(block):
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.HeaderError, ValueError):
            raise (NoBackup() if first else InvalidInput("The backup is damaged: it is no whole tar.")) from None
        if info.type != tarfile.REGTYPE:
            raise InvalidInput(f"The backup holds {info.name!a}, which is no plain file.")
        _check_name(info.name)
        if not 0 <= info.size <= size - archive.tell():
            raise InvalidInput(CUT)
        first = False
        yield Member(info.name, info.size)


def _check_name(name: str) -> None:
    """Nothing is unpacked outside its place."""
    if name == MANIFEST or name in DATABASE.values():
        return
    parts = name.removeprefix(MEDIA).split("/")
    odd = any(part in {"", ".", ".."} or "\\" in part or ":" in part for part in parts)
    if not name.startswith(MEDIA) or odd or any(ord(letter) < ord(" ") for letter in name):
        raise InvalidInput(f"The backup holds {name!a}, which does not belong into one.")


def _checked(archive: IO[bytes], member: Member, database: tuple[Member, str] | None, media: MediaHash) -> Manifest:
    if member.size > LONGEST_MANIFEST:
        raise InvalidInput("The manifest of the backup cannot be read.")
    text = archive.read(member.size)
    found = manifests.decode(text)
    archive.read(-member.size % tarfile.BLOCKSIZE)
    while rest := archive.read(CHUNK):
        if rest.count(0) != len(rest):
            raise InvalidInput("Something follows the end of the backup.")
    if database is None or DATABASE[found.database.kind] != database[0].name:
        raise InvalidInput("The backup is damaged: it does not hold the database that it says.")
    if (found.database.bytes, found.database.sha256) != (database[0].size, database[1]):
        raise InvalidInput("The backup is damaged: its database is not what was written.")
    if found.media != media.so_far():
        raise InvalidInput("The backup is damaged: its media are not what was written.")
    return found
