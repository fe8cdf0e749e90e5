"""Files of media that a case tells in words, made as real bytes."""

import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image

from cases.words import Words

RECIPE = Words("recipe of a file")
NOTE = Words("note on a file")
COORDINATES = ((12.0, 34.0, 56.7), (65.0, 43.0, 21.0))


class Making:
    """A file that is being made."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data


async def made(recipe: str) -> bytes:
    """The bytes that a recipe tells."""
    making = Making()
    for _, meaning in RECIPE.read(recipe):
        await meaning(making)
    return making.data


async def changed(data: bytes, note: str) -> bytes:
    """The bytes as a note wants them."""
    making = Making(data)
    for _, meaning in NOTE.read(note):
        await meaning(making)
    return making.data


def program(name: str) -> str:
    """Where a program of Debian's is; the test is skipped where there is none, and fails where there must be."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"there is no {name}")
        pytest.skip(f"needs {name}")
    return found


def png(width: int, height: int, rows: int | None = None) -> bytes:
    """A grey PNG of one bit with nothing in it, pressed as small as can be; with `rows`, only the first are there."""
    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    pressed = [packer.compress(row) for _ in range(height if rows is None else rows)]
    header = width.to_bytes(4) + height.to_bytes(4) + bytes([1, 0, 0, 0, 0])
    chunks = ((b"IHDR", header), (b"IDAT", b"".join(pressed) + packer.flush()), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4) for kind, data in chunks
    )


@RECIPE.on(r"1-bit grey PNG (\d+)x(\d+), all zero rows, deflate level 9.*")
async def zero_rows(making: Making, width: str, height: str) -> None:
    making.data = png(int(width), int(height))


@RECIPE.on(r"valid JPEG (\d+)x(\d+)")
async def jpeg(making: Making, width: str, height: str) -> None:
    """Grey, and written by hand: no library makes one with sides as long as the format allows.

    Every block is the same as the one before: six bits, by the tables of the standard.
    """
    data = io.BytesIO()
    Image.new("L", (8, 8), 128).save(data, "JPEG")
    head, _, _ = data.getvalue().partition(b"\xff\xda")
    size = head.index(b"\xff\xc0") + 5
    head = head[:size] + int(height).to_bytes(2) + int(width).to_bytes(2) + head[size + 4 :]
    bits = "001010" * (-(-int(width) // 8) * -(-int(height) // 8))
    bits += "1" * (-len(bits) % 8)
    pressed = int(bits, 2).to_bytes(len(bits) // 8).replace(b"\xff", b"\xff\x00")
    making.data = head + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + pressed + b"\xff\xd9"


@RECIPE.on(r"GIF (\d+)x(\d+) with (\d+) frames of one colour")
async def gif(making: Making, width: str, height: str, frames: str) -> None:
    """Every frame fills the whole: one is made, and stands there so many times."""
    data = io.BytesIO()
    Image.new("P", (int(width), int(height))).save(data, "GIF")
    one = data.getvalue()
    begins = one.index(b"\x2c\x00\x00\x00\x00")
    making.data = one[:begins] + one[begins:-1] * int(frames) + b"\x3b"


@RECIPE.on(r"ffmpeg (.+) (\S+)")
async def by_ffmpeg(making: Making, arguments: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [program("ffmpeg"), "-v", "error", *shlex.split(arguments), name]
        subprocess.run(command, cwd=folder, check=True)  # noqa: ASYNC221, S603 - as the case tells it, and soon over
        making.data = (Path(folder) / name).read_bytes()


@NOTE.on(r"add an Exif item before use")
async def with_exif(making: Making) -> None:
    """What cameras write: who made it, when, and where."""
    told = Image.Exif()
    told[0x010F], told[0x0110], told[0x0132] = "ExampleCam", "X1", "2026:03:01 10:00:00"
    where = told.get_ifd(0x8825)
    where[1], where[2], where[3], where[4] = "N", COORDINATES[0], "E", COORDINATES[1]
    data = io.BytesIO()
    pillow_heif.open_heif(io.BytesIO(making.data)).save(data, exif=told.tobytes())
    making.data = data.getvalue()


def words_in(data: bytes) -> list[bytes]:
    """Pieces of what a person would read in bytes: none of them is to be found in what is made anew."""
    runs = re.findall(rb"[\x20-\x7e]{12,}", data)
    return [run[at : at + 16] for run in runs for at in range(0, len(run) - 11, 16)]
