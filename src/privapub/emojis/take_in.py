"""Pictures that become emojis: one, or all those of a folder or an archive."""

import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from privapub import clock
from privapub.emojis import keep
from privapub.emojis.keep import Emoji
from privapub.errors import InvalidInput, PrivaPubError
from privapub.markup.characters import contained
from privapub.media import names
from privapub.media.let_go import let_go
from privapub.media.process import Want, bounds_of, process
from privapub.server import Server

LARGEST = 8 * 1024 * 1024  # bytes of one picture in an archive
_ENDINGS = frozenset({".png", ".gif", ".webp", ".jpg", ".jpeg", ".avif", ".apng"})
# What reading an archive raises, by what is wrong with it: the reader lets through what its unpackers say, and what
# numbers of its headers lead to.
_DAMAGED = (OSError, EOFError, ValueError, OverflowError, tarfile.TarError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Taken:
    """What came of many: the names of those that are emojis now, and of each that is not, why."""

    added: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


async def take_in(server: Server, shortcode: str, picture: Path, category: str = "") -> Emoji:
    """Make an emoji of a picture, and let that go which had its name.

    Raises InvalidInput for a name or a picture that cannot be, MediaTrouble and Unavailable as processing and storing.
    """
    keep.check_shortcode(shortcode)
    with tempfile.TemporaryDirectory(prefix="privapub-") as folder:
        made = await process(picture, Path(folder), Want("emoji"), bounds_of(server.settings))
        file = made.files[0]
        name = names.new(file.media_type)
        await server.files.put(names.place(name), file.path)
    new = Emoji(shortcode, name, file.media_type, file.bytes, category, clock.now())
    try:
        async with server.database.write() as tx:
            before = await keep.add(tx, new)
            await let_go(tx, [] if before is None else [before])
    except BaseException:
        await server.files.delete([names.place(name)])
        raise
    return new


async def take_in_all(server: Server, source: Path, category: str = "") -> Taken:
    """Make emojis of the pictures in a folder or a tar, each named as its file is; one that cannot be stops no other.

    Raises InvalidInput for what is neither.
    """
    added, refused = [], []
    with pictures(source) as found:
        for shortcode, picture in found:
            if isinstance(picture, str):
                refused.append((shortcode, picture))
                continue
            try:
                added.append((await take_in(server, shortcode, picture, category)).shortcode)
            except PrivaPubError as problem:
                refused.append((shortcode, str(problem)))
    return Taken(tuple(added), tuple(refused))


@contextmanager
def pictures(source: Path) -> Iterator[Iterator[tuple[str, Path | str]]]:
    """The pictures of a folder or an archive: the name that each would have, and where it is, or why it is not taken.

    Of an archive only plain files are looked at, each is written to a name of ours, and no path in it leads anywhere.
    """
    if source.is_dir():
        yield (
            (contained(path.stem), path)
            for path in sorted(source.iterdir())
            if _is_picture(path.name) and path.is_file()
        )
        return
    try:
        archive = tarfile.open(source)  # noqa: SIM115 - closed below
    except _DAMAGED:
        raise InvalidInput(f"{source} is neither a folder nor a tar.") from None
    with archive, tempfile.TemporaryDirectory(prefix="privapub-") as folder:
        yield _members(archive, Path(folder) / "picture")


def _members(archive: tarfile.TarFile, to: Path) -> Iterator[tuple[str, Path | str]]:
    try:
        for number, member in enumerate(archive):
            if number >= keep.MOST:
                raise InvalidInput(f"This archive holds more than {keep.MOST} files.")
            name = PurePosixPath(member.name)
            if not member.isreg() or not _is_picture(name.name):
                continue
            opened = archive.extractfile(member) if member.size <= LARGEST else None
            if opened is None:
                yield contained(name.stem), f"This has more than {LARGEST >> 20} MiB."
                continue
            to.write_bytes(opened.read(LARGEST))
            yield contained(name.stem), to
    except _DAMAGED:
        raise InvalidInput("This archive is damaged or cut off.") from None


def _is_picture(name: str) -> bool:
    return not name.startswith(".") and PurePosixPath(name).suffix.lower() in _ENDINGS
