"""Files that are small and ask for much: of memory, of time, of other files. What is said of each is beside it."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise

import pillow_heif
import pyvips
from PIL import Image

from planted.pictures import chunk, moving, saved

# By name: what makes the file, and a pattern of the sentence; "" where it is made, and takes little.
Bombs = dict[str, tuple[Callable[[], bytes], str]]
_PNG = b"\x89PNG\r\n\x1a\n"


def pictures() -> Bombs:
    """Pictures."""
    large, damaged, none = "too large", "damaged|larger than its header", "no picture"
    return {
        "PNG of 20,000²": (lambda: png(20_000, 20_000), large),
        "PNG of 15,000²": (lambda: png(15_000, 15_000), large),
        "PNG whose pixels never end": (lambda: png(200, 200, lines=40_000_000), ""),
        "PNG whose text is a gigabyte": (lambda: _with(png(200, 200), b"zTXt", b"Comment\0\0" + deflated(1 << 30)), ""),
        "PNG whose profile is a gigabyte": (lambda: _with(png(200, 200), b"iCCP", b"sRGB\0\0" + deflated(1 << 30)), ""),
        "PNG that says 2³¹ lines": (lambda: png(200, 0x7FFFFFFF, lines=100), large),
        "APNG of 100,000 frames": (
            lambda: _with(png(200, 200), b"acTL", struct.pack(">II", 100_000, 0)),
            "too many frames",
        ),
        "APNG of large frames": (lambda: _with(png(9000, 9000), b"acTL", struct.pack(">II", 900, 0)), large),
        "GIF of 5,000 frames": (lambda: gif(5000), "too many frames"),
        "GIF of a million blocks": (lambda: gif(1)[:-1] + b"\x21\xf9\0" * 1_000_000 + b"\x3b", "too many frames"),
        "GIF of 65,535²": (lambda: gif_sized(65535, 65535, 10, 10), large),
        "GIF with a frame larger than itself": (lambda: gif_sized(10, 10, 65535, 65535), damaged),
        "WebP that says 2²⁴": (lambda: webp_sized(1 << 24, 1 << 24), large),
        "WebP that says 16,383²": (lambda: webp_sized(16383, 16383), large),
        "WebP that says less than it holds": (lambda: webp_sized(16, 16), damaged),
        "animated WebP of many frames": (lambda: _many_webp(3000), "too many frames"),
        "AVIF that says 100,000²": (lambda: ispe(avif(64, 64), 100_000, 100_000), large),
        "AVIF that says 15,000²": (lambda: ispe(avif(64, 64), 15_000, 15_000), large),
        "AVIF that says less than it holds": (lambda: ispe(avif(3000, 3000), 64, 64), damaged),
        "HEIC that says 100,000²": (lambda: ispe(heic(64, 64), 100_000, 100_000), large),
        "HEIC that says 15,000²": (lambda: ispe(heic(64, 64), 15_000, 15_000), large),
        "HEIC that says less than it holds": (lambda: ispe(heic(2000, 2000), 64, 64), damaged),
        "JPEG of 65,535²": (lambda: jpeg(65535, 65535), large),
        "JPEG of 15,000²": (lambda: jpeg(15_000, 15_000), large),
        "JPEG of many scans": (lambda: jpeg_of_scans(9_000, 9_000), "asks for more time"),
        "WebP of 8,000², whole": (lambda: webp(8000, 8000), "asks for more time or memory"),
        "JPEG of fill bytes": (lambda: b"\xff\xd8" + b"\xff" * 3_000_000, none),
        "SVG": (lambda: b"<svg xmlns='http://www.w3.org/2000/svg' width='99999999' height='99999999'/>", none),
        "a billion laughs": (laughs, none),
    }


def deflated(size: int) -> bytes:
    """Zeros, as zlib writes them: a thousandth of their size. (Each MiB of them is written alike.)"""
    packer, whole = zlib.compressobj(9, wbits=-15), size >> 20
    one = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(bytes(size & 0xFFFFF)) + packer.flush()
    return b"\x78\xda" + one * whole + rest + struct.pack(">HH", size % 65521, 1)  # Adler's sum of zeros


def png(width: int, height: int, *, lines: int | None = None) -> bytes:
    """A white PNG of two colours that really holds its lines, or another number of them."""
    size = ((width + 7) // 8 + 1) * (height if lines is None else lines)
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return _PNG + chunk(b"IHDR", head) + chunk(b"IDAT", deflated(size)) + chunk(b"IEND", b"")


def _with(data: bytes, name: bytes, body: bytes) -> bytes:
    at = data.index(b"IDAT") - 4
    return data[:at] + chunk(name, body) + data[at:]


def gif(frames: int) -> bytes:
    """A GIF of very many very small frames."""
    data = BytesIO()
    Image.new("P", (4, 4)).save(data, "GIF")
    at = data.getvalue().index(b"\x2c")
    return data.getvalue()[:at] + data.getvalue()[at:-1] * frames + b"\x3b"


def gif_sized(width: int, height: int, frame_width: int, frame_height: int) -> bytes:
    """A GIF whose screen and frame have any sizes."""
    made = bytearray(gif(1))
    at = made.index(b"\x2c")
    struct.pack_into("<HH", made, 6, width, height)
    struct.pack_into("<HH", made, at + 5, frame_width, frame_height)
    return bytes(made)


def webp_sized(width: int, height: int) -> bytes:
    """A WebP whose canvas says this, while its picture is of another size."""
    bare = saved("WEBP")
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<IB3x", 10, 0) + size + bare[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp(width: int, height: int) -> bytes:
    """A WebP of one colour that really holds its pixels."""
    black = pyvips.Image.black(width, height, bands=3).copy(interpretation="srgb")
    return bytes(black.webpsave_buffer(lossless=True, effort=0))


def _many_webp(frames: int) -> bytes:
    data = moving("WEBP")
    at = data.index(b"ANMF")
    (length,) = struct.unpack_from("<I", data, at + 4)
    body = data[8:at] + data[at : at + 8 + length] * frames
    return b"RIFF" + struct.pack("<I", len(body)) + body


def avif(width: int, height: int) -> bytes:
    """A real AVIF of one colour."""
    data = BytesIO()
    Image.new("RGB", (width, height), "teal").save(data, "AVIF", speed=10)
    return data.getvalue()


def heic(width: int, height: int) -> bytes:
    """A real HEIC of one colour."""
    data = BytesIO()
    pillow_heif.from_pillow(Image.new("RGB", (width, height), "teal")).save(data, quality=10)
    return data.getvalue()


def ispe(data: bytes, width: int, height: int) -> bytes:
    """The same, with another size in all its properties of size."""
    made, at = bytearray(data), data.find(b"ispe")
    while at > 0:
        struct.pack_into(">II", made, at + 8, width, height)
        at = data.find(b"ispe", at + 4)
    return bytes(made)


def jpeg(width: int, height: int) -> bytes:
    """A JPEG whose frame says this, and whose pixels end at once."""
    bare = bytearray(saved("JPEG", "L"))
    struct.pack_into(">HH", bare, bare.index(b"\xff\xc0") + 5, height, width)
    return bytes(bare)


def jpeg_of_scans(width: int, height: int) -> bytes:
    """A progressive JPEG that is whole and right: 882 scans pass over all of it, one for each bit of each coefficient,
    and say in a few bytes that nothing changes (ISO 10918-1, G.1.2.2: runs of blocks that end at once).
    """
    blocks = -(-width // 8) * -(-height // 8)
    frame = b"\xff\xc2" + struct.pack(">HBHHB3B", 11, 8, height, width, 1, 1, 0x11, 0)
    table = b"\xff\xdb" + struct.pack(">HB", 67, 0) + b"\1" * 64
    # One code of one bit: that the average is as before, and that up to 32,767 blocks end here.
    codes = b"".join(
        b"\xff\xc4" + struct.pack(">HB", 20, kind) + b"\1" + bytes(15) + bytes([symbol])
        for kind, symbol in ((0x00, 0x00), (0x10, 0xE0))
    )
    runs = _bits(("0" + "1" * 14) * -(-blocks // 32767))
    scans = b"".join(
        _scan(at, at, 0 if bit == 13 else bit + 1, bit) + runs for at in range(1, 64) for bit in range(13, -1, -1)
    )
    return b"\xff\xd8" + table + frame + codes + _scan(0, 0, 0, 0) + _bits("0" * blocks) + scans + b"\xff\xd9"


def _scan(first: int, last: int, before: int, after: int) -> bytes:
    return b"\xff\xda" + struct.pack(">H6B", 8, 1, 1, 0, first, last, before << 4 | after)


def _bits(bits: str) -> bytes:
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")


def laughs() -> bytes:
    """An SVG whose entities refer to each other."""
    names = "abcdefghij"
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in pairwise(names))
    return f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">{entities}]><svg><text>&j;</text></svg>'.encode()
