"""What a picture tells beside itself, in words for whoever gave it."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from PIL import Image

_TIMES, _MAKE, _MODEL, _OWN, _GPS = (0x9003, 0x9004), 0x010F, 0x0110, 0x8769, 0x8825
_NAMED = {"xmp-data": "XMP", "iptc-data": "IPTC", "icc-profile-data": "colour profile", "comment": "text"}
_TEXTS = frozenset({b"tEXt", b"zTXt", b"iTXt"})


def in_words(said: Mapping[str, bytes], around: Collection[str]) -> tuple[str, ...]:
    """All that was found, each once: `said` are libvips' fields with their bytes, `around` what the file held."""
    found: list[str] = []
    if "exif-data" in said:
        found += ["EXIF", *_of_exif(said["exif-data"])]
    found += [word for field, word in _NAMED.items() if field in said]
    found += around
    return tuple(dict.fromkeys(found))


def _of_exif(data: bytes) -> Iterator[str]:
    exif = Image.Exif()
    try:
        exif.load(data)
        own, place = exif.get_ifd(_OWN), exif.get_ifd(_GPS)
    except Exception:  # noqa: BLE001 - whatever a stranger wrote there, it is gone, and only its name is lost
        return
    if place:
        yield "place (GPS)"
    if exif.get(_MAKE) or exif.get(_MODEL):
        yield "camera"
    if any(own.get(tag) for tag in _TIMES):
        yield "time"


def around(path: Path, format_: str) -> list[str]:
    """What stands in the file itself: comments, texts, and bytes behind its end."""
    data = path.read_bytes() if path.stat().st_size <= 1 << 26 else b""
    if format_ == "jpeg":
        return list(_around_jpeg(data))
    if format_ in {"png", "apng"}:
        return list(_around_png(data))
    if format_ == "gif":
        try:
            return list(_around_gif(data))
        except IndexError:  # it ends before its end
            return []
    if format_ == "webp":
        return ["bytes behind the end"] if len(data) > int.from_bytes(data[4:8], "little") + 9 else []
    return []


def _around_jpeg(data: bytes) -> Iterator[str]:
    at = 2
    while data[at : at + 1] == b"\xff" and data[at + 1 : at + 2] != b"\xda":
        if data[at + 1 : at + 2] == b"\xfe":
            yield "text"
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    end = data.find(b"\xff\xd9", at)
    if 0 <= end < len(data) - 2:
        yield "bytes behind the end"


def _around_png(data: bytes) -> Iterator[str]:
    at = 8
    while at + 12 <= len(data):
        name, length = data[at + 4 : at + 8], int.from_bytes(data[at : at + 4], "big")
        if name in _TEXTS:
            yield "text"
        at += 12 + length
        if name == b"IEND":
            if at < len(data):
                yield "bytes behind the end"
            return


def _around_gif(data: bytes) -> Iterator[str]:
    """GIF89a, sections 17 to 27: the blocks, of which those with the label FE are comments."""
    at = 13 + colours(data[10])
    while data[at] in {0x21, 0x2C}:
        if data[at] == 0x2C:
            at += 10 + colours(data[at + 9]) + 1
        else:
            if data[at + 1] == 0xFE:
                yield "text"
            at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    if data[at] == 0x3B and at + 1 < len(data):
        yield "bytes behind the end"


def colours(flags: int) -> int:
    """The bytes of the table of colours of a GIF whose flags these are."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0
