"""Pictures of 16 bits in wider spaces of colour come out in sRGB of 8 bits, and look as they did."""

import struct
import zlib
from pathlib import Path

import pytest

from planted import parts
from planted.pictures import chunk
from privapub.media.process import Want, bounds_of, process
from privapub.settings import Settings

Columns = dict[str, tuple[float, float, float]]
# The primaries, adapted to D50.
SPACES: dict[str, Columns] = {
    "Display P3": {
        "rXYZ": (0.5151, 0.2412, -0.0011), "gXYZ": (0.2919, 0.6922, 0.0419), "bXYZ": (0.1572, 0.0666, 0.7841),
    },
    "Rec. 2020": {
        "rXYZ": (0.6734, 0.2790, -0.0019), "gXYZ": (0.1657, 0.6753, 0.0300), "bXYZ": (0.1251, 0.0456, 0.7968),
    },
}  # fmt: skip
TO_SRGB = ((3.13386, -1.61687, -0.49061), (-0.97877, 1.91614, 0.03345), (0.07195, -0.22899, 1.40524))
COLOUR = (40_000, 26_000, 20_000)  # of 65,535


def reference(columns: Columns) -> list[int]:
    """The colour in sRGB, reckoned by hand (IEC 61966-2-1)."""
    shares = [part / 65535 for part in COLOUR]
    linear = [((share + 0.055) / 1.055) ** 2.4 for share in shares]
    xyz = [sum(column[axis] * part for column, part in zip(columns.values(), linear, strict=True)) for axis in range(3)]
    made = [sum(factor * part for factor, part in zip(row, xyz, strict=True)) for row in TO_SRGB]
    return [round(255 * (1.055 * part ** (1 / 2.4) - 0.055)) for part in made]


@pytest.mark.parametrize("space", SPACES)
async def test_a_wide_space_of_colour_becomes_srgb(space: str, tmp_path: Path) -> None:
    profile = parts.icc(None, **SPACES[space])
    rows = (b"\0" + struct.pack(">HHH", *COLOUR) * 32) * 32
    data = b"\x89PNG\r\n\x1a\n" + b"".join([
        chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 16, 2, 0, 0, 0)),
        chunk(b"iCCP", b"wide\0\0" + zlib.compress(profile)), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""),
    ])  # fmt: skip
    (tmp_path / "source").write_bytes(data)
    (tmp_path / "made").mkdir()
    found = await process(tmp_path / "source", tmp_path / "made", Want("post"), bounds_of(Settings()))
    seen = [int(found.colour[at : at + 2], 16) for at in (1, 3, 5)]
    assert seen == pytest.approx(reference(SPACES[space]), abs=4)
    assert seen != pytest.approx([part / 257 for part in COLOUR], abs=4)
