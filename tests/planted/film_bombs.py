"""Films and sounds that are small and ask for much, or for what is not theirs."""

import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

from planted.pictures import box

_PICTURES = ("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.6:r=10")
_TONE = ("-f", "lavfi", "-i", "sine=d=0.6")
_MP4 = ("-c:v", "mpeg4", "-c:a", "aac")
_INNER = frozenset({b"moov", b"trak", b"mdia", b"minf", b"dinf"})


def films(ffmpeg: Path, folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """What each is called, a pattern of the sentence ("" where it is made, and takes little), and its bytes."""

    def made(ending: str, *arguments: str) -> bytes:
        target = folder / f"target.{ending}"
        command = [str(ffmpeg), "-v", "error", "-nostdin", "-y", *arguments, str(target)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - the program that was found
        return target.read_bytes()

    longer, larger, damaged = "longer than", "larger than is taken", "damaged"
    mp4 = made("mp4", *_PICTURES, *_TONE, *_MP4)
    yield "MP4 of days", longer, _everywhere(mp4.replace(b"edts", b"free"), b"stts", 12, b"\0\xff\xff\xff")
    yield "MP4 of a thousand tracks", damaged, _tracks(mp4, 1000)
    yield "MP4 of 2³² samples", damaged, _everywhere(mp4, b"stsz", 4, struct.pack(">II", 1, 0xFFFFFFFF))
    yield "MP4 of boxes in boxes", damaged, _nested(20_000)
    (folder / "other.mp4").write_bytes(mp4)
    yield "MP4 whose pixels are in another file", damaged, elsewhere(mp4, folder / "other.mp4")
    yield "a playlist that is called a film", "no picture", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
    mjpeg = made("mov", *_PICTURES, "-c:v", "mjpeg")
    yield "MOV whose first picture says 65,500²", "", _frames(mjpeg, 65500, first=True)
    yield "MOV that grows to 65,500²", damaged, _frames(mjpeg, 65500, first=False)
    yield "MP4 of 16,000 by 7,000 that is real", larger, made("mp4", *_black(16_000, 7_000), "-c:v", "mjpeg")
    mkv = made("mkv", *_PICTURES, *_TONE, *_MP4)
    at = mkv.index(b"\x44\x89\x88")
    yield "Matroska of days", longer, mkv[: at + 3] + struct.pack(">d", 864_000_000.0) + mkv[at + 11 :]
    flac = bytearray(made("flac", *_TONE))
    flac[21:26] = bytes([flac[21] | 0x0F]) + b"\xff\xff\xff\xff"
    yield "FLAC of days", longer, bytes(flac)
    mp3 = bytearray(made("mp3", *_TONE, "-c:a", "libmp3lame"))
    at = mp3.index(b"Info") if b"Info" in mp3 else mp3.index(b"Xing")
    struct.pack_into(">I", mp3, at + 8, 0x7FFFFFFF)
    yield "MP3 of years", longer, bytes(mp3)
    wav = bytearray(made("wav", *_TONE))
    struct.pack_into("<I", wav, wav.index(b"data") + 4, 0xFFFFFFFE)
    yield "WAV of four gigabytes", "", bytes(wav)
    silence = ("-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=4000", "-c:a", "flac")
    yield "FLAC of an hour that is real", longer, made("flac", *silence)


def _black(width: int, height: int) -> tuple[str, ...]:
    return "-f", "lavfi", "-i", f"color=black:s={width}x{height}:d=0.04:r=25", "-pix_fmt", "yuvj420p"


def _everywhere(data: bytes, name: bytes, offset: int, value: bytes) -> bytes:
    """The bytes at a place of every box of a name, counted from behind the name."""
    made = bytearray(data)
    for found in re.finditer(re.escape(name), data):
        at = found.end() + offset
        made[at : at + len(value)] = value
    return bytes(made)


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        yield name, data[at + 8 : at + length]
        at += length


def _tracks(data: bytes, number: int) -> bytes:
    """The same with the first track very often."""

    def repeated(moov: bytes) -> bytes:
        inner = list(_boxes(moov))
        first = next(body for name, body in inner if name == b"trak")
        return b"".join(box(name, body) for name, body in [*inner, *[(b"trak", first)] * number])

    return b"".join(box(name, repeated(body) if name == b"moov" else body) for name, body in _boxes(data))


def _nested(depth: int) -> bytes:
    inner = b"".join(struct.pack(">I4s", 8 * (depth - at), b"moov") for at in range(depth))
    return box(b"ftyp", b"isom\0\0\0\0isom") + inner


def elsewhere(data: bytes, other: Path) -> bytes:
    """The same, whose tracks name another file as the place of their samples (ISO 14496-12, 8.7.2)."""
    path = str(other).encode()
    alias = bytearray(150)
    alias[10:42] = b"\4disk".ljust(32, b"\0")
    alias[50:114] = (bytes([len(path[:63])]) + path[:63]).ljust(64, b"\0")
    alias += struct.pack(">HH", 2, len(path)) + path + bytes(len(path) % 2) + b"\xff\xff\0\0"
    reference = bytes(4) + struct.pack(">I", 1) + box(b"alis", bytes(4) + bytes(alias))

    def changed(name: bytes, body: bytes) -> bytes:
        if name == b"dref":
            return reference
        if name == b"mdat":
            return bytes(len(body))
        return b"".join(box(each, changed(each, inner)) for each, inner in _boxes(body)) if name in _INNER else body

    return b"".join(box(name, changed(name, body)) for name, body in _boxes(data))


def _frames(data: bytes, side: int, *, first: bool) -> bytes:
    """The same, the first or all later pictures of which say that they are of another size."""
    made = bytearray(data)
    found = list(re.finditer(rb"\xff\xc0\0\x11\x08", data))
    for each in found[:1] if first else found[1:]:
        struct.pack_into(">HH", made, each.end(), side, side)
    return bytes(made)
