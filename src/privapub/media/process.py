"""One file made fit to be shown: bounds first, then a sealed child, and its work judged before it is believed."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import structlog

from privapub.errors import InvalidInput, Unavailable
from privapub.media import ffmpeg, names, sandbox, sniff, sniff_film
from privapub.media.child.order import FILM, ORDER, RESULT, Order, Purpose, Result, Written
from privapub.media.sandbox import Ended, Limits, Tell
from privapub.settings import Settings

MIB = 1024 * 1024
ATTEMPTS = 2
_MOVING = 5  # how many times the pixels of one picture all frames together may have
_ANSWER = 1 << 20  # bytes
_COLOUR = 7  # the letters of #rrggbb

log = structlog.get_logger()


class BadMedia(InvalidInput):
    """This file cannot be taken."""


class MediaTrouble(Unavailable):
    """The file could not be processed: try again later."""


@dataclass(frozen=True)
class Bounds:
    """What a file may be, and what its child may take."""

    bytes: int
    pixels: int  # of one picture or frame
    side: int
    frames: int
    duration: int  # seconds
    longest: int  # the longest side of what is kept as the original
    memory: int  # bytes of address space of the child
    seconds: int  # of CPU time, for a picture
    film_seconds: int  # the same, for film and sound


@dataclass(frozen=True)
class Want:
    """What the file is for: it decides the sizes, and which kinds are taken."""

    purpose: Purpose


@dataclass(frozen=True)
class MadeFile:
    """One file that was made."""

    role: Literal["original", "large", "small", "poster"]
    path: Path
    media_type: str
    width: int | None
    height: int | None
    bytes: int

    def row(self, name: str) -> dict[str, Any]:
        """What rows keep of it, under the name that it is stored under."""
        return {
            "role": self.role,
            "name": name,
            "media_type": self.media_type,
            "width": self.width,
            "height": self.height,
            "bytes": self.bytes,
        }


@dataclass(frozen=True)
class Made:
    """What came of a file; `removed` says in words what it told beside itself and tells no more."""

    kind: Literal["image", "video", "audio"]
    files: tuple[MadeFile, ...]
    width: int | None
    height: int | None
    duration: float | None
    blurhash: str
    colour: str
    animated: bool
    removed: tuple[str, ...]
    peak: int  # the child's largest resident size, in KiB
    cpu: float  # its CPU time, in seconds


def bounds_of(settings: Settings) -> Bounds:
    """The bounds that the settings name."""
    return Bounds(
        bytes=settings.media_bytes * MIB,
        pixels=settings.media_pixels * 1_000_000,
        side=settings.media_side,
        frames=settings.media_frames,
        duration=settings.media_duration,
        longest=settings.media_longest,
        memory=settings.media_memory * MIB,
        seconds=settings.media_seconds,
        film_seconds=settings.media_film_seconds,
    )


async def process(
    source: Path,
    folder: Path,
    want: Want,
    bounds: Bounds,
    tell: Tell | None = None,
    *,
    programs: ffmpeg.Programs | None = None,
) -> Made:
    """Make what is wanted of the file `source` in `folder`, which is there and is this file's alone.

    `tell` hears how far it has come (0 to 1, and what is done). `programs` are those for film and sound; without them
    only pictures are taken. Raises BadMedia where the file is at fault, and MediaTrouble where its child died twice:
    no file is left in the folder then.
    """
    order = await asyncio.to_thread(_order, source, want, bounds, programs)
    kept = [source]
    try:
        await asyncio.to_thread((folder / ORDER).write_bytes, msgspec.json.encode(order))
        for attempt in range(1, ATTEMPTS + 1):
            ended = await sandbox.run(
                [sys.executable, "-I", "-m", "privapub.media.child", "."],
                folder=folder,
                limits=_limits(order, bounds),
                tell=tell,
            )
            result = await asyncio.to_thread(_result, folder)
            if ended.status == 0 and result is not None:
                made = await asyncio.to_thread(_judged, folder, result)
                kept += [each.path for each in made.files]
                return made
            log.warning("a child that made media died", attempt=attempt, why=_why(ended))
        raise MediaTrouble(
            "The file could not be processed: it asks for more time or memory than there is.",
            "Make it smaller, or save it anew in another format.",
        )
    finally:
        _clear(folder, kept)


def _order(source: Path, want: Want, bounds: Bounds, programs: ffmpeg.Programs | None) -> Order:
    """What the child is to do; raises BadMedia for what need not be tried."""
    size = source.stat().st_size
    if size == 0:
        raise empty()
    if size > bounds.bytes:
        raise too_long(bounds)
    with source.open("rb") as opened:
        picture = sniff.picture(opened)
        opened.seek(0)
        container = None if picture else sniff_film.container(opened.read(sniff_film.HEAD))
    if picture is not None:
        check(picture, bounds)
    elif container is None:
        raise unknown()
    elif want.purpose not in {"post", "remote"}:
        raise BadMedia("Only a picture can be used for this.")
    elif programs is None:
        raise BadMedia("This server takes pictures only: it has no ffmpeg for film and sound.")
    return Order(
        kind="image" if picture else "film",
        format=picture.format if picture else container.demuxer if container else "",
        source=str(source.absolute()),
        purpose=want.purpose,
        pixels=bounds.pixels,
        side=bounds.side,
        frames=bounds.frames,
        duration=bounds.duration,
        longest=bounds.longest,
        ffmpeg=str(programs.ffmpeg) if programs else "",
        ffprobe=str(programs.ffprobe) if programs else "",
    )


def empty() -> BadMedia:
    """What is said of a file without a byte (pure)."""
    return BadMedia("The file is empty.")


def too_long(bounds: Bounds) -> BadMedia:
    """What is said of a file of more bytes than are taken (pure)."""
    return BadMedia(f"The file has more than {bounds.bytes // MIB} MiB.")


def unknown() -> BadMedia:
    """What is said of a file that is nothing of what is taken (pure)."""
    return BadMedia(
        "The file is no picture, film or sound of a kind that is taken.",
        "Pictures: JPEG, PNG, WebP, GIF, AVIF, HEIC. Films: MP4, MOV, WebM. Sounds: MP3, Ogg, FLAC, WAV, M4A.",
    )


def check(picture: sniff.Picture, bounds: Bounds) -> None:
    """Raise BadMedia where the header tells of more than the bounds; nothing is decoded yet."""
    size = f"{picture.width} × {picture.height}"  # noqa: RUF001 - for people
    pixels = picture.width * picture.height
    if max(picture.width, picture.height) > bounds.side:
        raise BadMedia(f"The picture is too large: {size}, and no side may be longer than {bounds.side}.")
    if pixels > bounds.pixels:
        raise BadMedia(f"The picture is too large: {size}, and it may have {bounds.pixels // 1_000_000} megapixels.")
    if picture.frames > bounds.frames:
        raise BadMedia(f"The picture has too many frames: it may have {bounds.frames}.")
    if picture.frames > 1 and pixels * picture.frames > bounds.pixels * _MOVING:
        raise BadMedia(f"The picture is too large: {size} in {picture.frames} frames.")


def _limits(order: Order, bounds: Bounds) -> Limits:
    seconds = bounds.film_seconds if order.kind == FILM else bounds.seconds
    # The machine may have other things to do: twice the time before it is held to hang.
    return Limits(memory=bounds.memory, cpu=seconds, wall=seconds * 2.0 + 10, file=max(bounds.bytes * 2, 1024 * MIB))


def _result(folder: Path) -> Result | None:
    """What the child answered; nothing where that is no file of its own, or is longer than any answer."""
    path = folder / RESULT
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _ANSWER:
            return None
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.MsgspecError):
        return None


def _judged(folder: Path, result: Result) -> Made:
    """What the child says, checked as if it came from outside; raises BadMedia with the fault that it found."""
    if result.fault:
        raise BadMedia(result.fault[:300])
    files = tuple(_judged_file(folder, each) for each in result.files)
    if not files or files[0].role != "original":
        raise MediaTrouble
    return Made(
        kind=result.kind,
        files=files,
        width=result.width,
        height=result.height,
        duration=result.duration,
        blurhash=result.blurhash[:100],
        colour=result.colour[:_COLOUR],
        animated=result.animated,
        removed=tuple(word[:100] for word in result.removed[:100]),
        peak=result.peak,
        cpu=result.cpu,
    )


def _judged_file(folder: Path, written: Written) -> MadeFile:
    path = folder / Path(written.name).name
    if path.is_symlink() or not path.is_file() or written.media_type not in names.ENDINGS:
        raise MediaTrouble
    if written.media_type.startswith("image/"):
        with path.open("rb") as opened:
            seen = sniff.picture(opened)
        size = (written.width, written.height)
        if seen is None or seen.format not in written.media_type or (seen.width, seen.height) != size:
            raise MediaTrouble
    return MadeFile(written.role, path, written.media_type, written.width, written.height, path.stat().st_size)


def _why(ended: Ended) -> str:
    """How a child ended, for the log: nothing in it is of the file."""
    last = ended.complaint.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    how = "too slow" if ended.status is None else f"signal {-ended.status}" if ended.status < 0 else "failed"
    return json.dumps([how, last])


def _clear(folder: Path, kept: Collection[Path]) -> None:
    """Delete the files of the folder but these. Folders in it are left to whoever removes the whole."""
    stay = {path.absolute() for path in kept}
    for path in folder.iterdir():
        if path.absolute() not in stay:
            with contextlib.suppress(OSError):
                path.unlink()
