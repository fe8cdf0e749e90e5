"""What picture a file is, by its bytes: the format, and the size that its header tells (pure).

Names and declared types say nothing here. Only headers are read, and of those only so much that no file makes it long:
the bounds are judged by what comes out before anything is decoded. What is found decides by which one decoder the file
is read, so that nothing guesses later.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

Format = Literal["jpeg", "png", "apng", "webp", "gif", "avif", "heic"]

# The brands of ISO 23008-12 and of AV1's image format.
_AVIF, _HEIC = frozenset({b"avif", b"avis"}), frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
_ANY_PICTURE = frozenset({b"mif1", b"msf1", b"miaf", b"MiHB", b"1pic"})
_STEPS = 200_000  # of blocks that are walked over to count frames; who has more has too many frames
MANY = 1_000_000  # frames, where there were too many blocks to count them
_BOXES = 1 << 20  # bytes of the boxes that describe a HEIC or AVIF
_PNG, _FRAME_MARKERS = b"\x89PNG\r\n\x1a\n", frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True)
class Picture:
    """A format, and what the header says of what it holds."""

    format: Format
    width: int
    height: int
    frames: int = 1


def picture(source: BinaryIO) -> Picture | None:
    """What this file is, read from its beginning; None for what is no picture of a format that is taken, or has a
    header that cannot be read. Raises nothing for any bytes.
    """
    source.seek(0)
    head = source.read(32)
    try:
        if head.startswith(b"\xff\xd8\xff"):
            return _jpeg(source)
        if head.startswith(_PNG):
            return _png(source)
        if head.startswith((b"GIF87a", b"GIF89a")):
            return _gif(source)
        if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
            return _webp(source)
        if head[4:8] == b"ftyp":
            return _boxed(source)
    except (_Cut, struct.error, IndexError):
        pass
    return None


def begins(head: bytes) -> bool:
    """Whether these first bytes are those of a picture, whose header may be longer than they are."""
    return head.startswith((b"\xff\xd8\xff", _PNG, b"GIF87a", b"GIF89a")) or head[4:8] == b"ftyp"


class _Cut(Exception):
    """The file ends within its header."""


def _take(source: BinaryIO, number: int) -> bytes:
    got = source.read(number)
    if len(got) < number:
        raise _Cut
    return got


def _jpeg(source: BinaryIO) -> Picture | None:
    """ISO 10918-1, B.2: the segments up to the frame header."""
    source.seek(2)
    for _ in range(_STEPS):
        marker = _take(source, 2)
        if marker == b"\xff\xff":  # a fill byte, and the marker is still to come
            source.seek(-1, 1)
            continue
        if marker[0] != 0xFF or marker[1] in {0xD9, 0xDA}:
            return None
        if marker[1] == 0x01 or 0xD0 <= marker[1] <= 0xD8:
            continue
        (length,) = struct.unpack(">H", _take(source, 2))
        if marker[1] in _FRAME_MARKERS:
            height, width = struct.unpack(">xHH", _take(source, 5))
            return _sized("jpeg", width, height)
        source.seek(length - 2, 1)
    return None


def _png(source: BinaryIO) -> Picture | None:
    """PNG, 5.6 and 11.2.2, and the chunk acTL, which comes before the first one of pixels."""
    source.seek(len(_PNG))
    if _take(source, 8)[4:] != b"IHDR":
        return None
    width, height = struct.unpack(">II", _take(source, 8))
    source.seek(5 + 4, 1)
    for _ in range(_STEPS):
        length, name = struct.unpack(">I4s", _take(source, 8))
        if name == b"acTL":
            (frames,) = struct.unpack(">I", _take(source, 4))
            return _sized("apng" if frames > 1 else "png", width, height, frames)
        if name == b"IDAT":
            return _sized("png", width, height)
        source.seek(length + 4, 1)
    return None


def _gif(source: BinaryIO) -> Picture | None:
    """GIF89a: the logical screen, and the blocks behind it; a file that is cut off has the frames that it has."""
    source.seek(6)
    width, height, flags = struct.unpack("<HHB", _take(source, 5))
    source.seek(2 + _table(flags), 1)
    frames = 0
    try:
        for kind in _gif_blocks(source):
            frames += kind == 0x2C
    except _Cut:
        pass
    except _Long:
        frames = MANY
    return _sized("gif", width, height, frames) if frames else None


class _Long(Exception):
    """There are more blocks than anybody needs."""


def _gif_blocks(source: BinaryIO) -> Iterator[int]:
    """The kinds of the blocks, each told when it was passed over."""
    steps = 0
    while (kind := _take(source, 1)[0]) in {0x21, 0x2C}:
        if kind == 0x2C:
            flags = _take(source, 9)[8]
            source.seek(_table(flags) + 1, 1)
        else:
            source.seek(1, 1)
        yield kind
        if (steps := steps + 1) > _STEPS:
            raise _Long
        while size := _take(source, 1)[0]:
            source.seek(size, 1)
            if (steps := steps + 1) > _STEPS:
                raise _Long


def _table(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _webp(source: BinaryIO) -> Picture | None:
    """RFC 9649, 2.5 to 2.7."""
    source.seek(12)
    name, _ = struct.unpack("<4sI", _take(source, 8))
    if name == b"VP8 ":
        head = _take(source, 10)
        width, height = struct.unpack("<HH", head[6:])
        return _sized("webp", width & 0x3FFF, height & 0x3FFF) if head[3:6] == b"\x9d\x01\x2a" else None
    if name == b"VP8L":
        signature, bits = struct.unpack("<BI", _take(source, 5))
        return _sized("webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1) if signature == 0x2F else None
    if name != b"VP8X":
        return None
    head = _take(source, 10)
    width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (4, 7))
    frames = 1
    if head[0] & 0x02:
        frames = _webp_frames(source)
    return _sized("webp", width, height, frames)


def _webp_frames(source: BinaryIO) -> int:
    frames = 0
    for _ in range(_STEPS):
        chunk = source.read(8)
        if len(chunk) < 8:
            return max(frames, 1)
        name, length = struct.unpack("<4sI", chunk)
        frames += name == b"ANMF"
        source.seek(length + (length & 1), 1)
    return MANY


def _boxed(source: BinaryIO) -> Picture | None:
    """ISO 23008-12: the brands, and the largest size that any of the items has; a grid's is that of the whole."""
    source.seek(0)
    (length,) = struct.unpack(">I", _take(source, 4))
    if length < 8:
        return None
    brands = _take(source, min(length, 512) - 4)[4:]
    major, compatible = brands[:4], {brands[at : at + 4] for at in range(8, len(brands), 4)}
    if not {major} & (_AVIF | _HEIC | _ANY_PICTURE):
        return None
    format_: Format = "avif" if {major} & _AVIF or (not {major} & _HEIC and compatible & _AVIF) else "heic"
    source.seek(length)
    for _ in range(64):
        length, name = struct.unpack(">I4s", _take(source, 8))
        if length < 8:
            return None
        if name == b"meta":
            sizes = _sizes(_take(source, min(length - 8, _BOXES)))
            return _sized(format_, *max(sizes, key=lambda size: size[0] * size[1])) if sizes else None
        source.seek(length - 8, 1)
    return None


def _sizes(meta: bytes) -> list[tuple[int, int]]:
    """The image spatial extents (ispe) among the properties of the items."""
    properties = _within(_within(meta[4:], b"iprp"), b"ipco")
    return [struct.unpack_from(">II", body, 4) for name, body in _boxes(properties) if name == b"ispe"]


def _within(data: bytes, wanted: bytes) -> bytes:
    return next((body for name, body in _boxes(data) if name == wanted), b"")


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        if length < 8:
            return
        yield name, data[at + 8 : at + length]
        at += length


def _sized(format_: Format, width: int, height: int, frames: int = 1) -> Picture | None:
    return Picture(format_, width, height, max(frames, 1)) if width and height else None
