"""A picture is made anew in a sealed child: what it told is gone, what is too large costs nothing."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image, PngImagePlugin

from privapub.media.process import BadMedia, Bounds, Made, Want, bounds_of, process
from privapub.settings import Settings

SECRET = b"Planted-Kw7"
POST = Want("post")


@pytest.fixture
def bounds() -> Bounds:
    return bounds_of(Settings())


def painted(width: int = 90, height: int = 60, mode: str = "RGB") -> Image.Image:
    """A picture whose left half is red and whose right half is not."""
    picture = Image.new("RGB", (width, height), (10, 90, 200))
    picture.paste((220, 20, 30), (0, 0, width // 2, height))
    return picture.convert(mode)


def at(picture: Image.Image, x: int, y: int) -> bytes:
    """One pixel, a byte for each band."""
    return picture.crop((x, y, x + 1, y + 1)).tobytes()


def exif(orientation: int = 1) -> bytes:
    told = Image.Exif()
    told[0x010F], told[0x0110], told[0x0112] = SECRET.decode(), SECRET.decode(), orientation
    told.get_ifd(0x8825)[1] = "N"
    return told.tobytes()


def jpeg() -> bytes:
    data = BytesIO()
    painted().save(data, "JPEG", exif=exif(), comment=SECRET, xmp=b"<x:xmpmeta>" + SECRET)
    return data.getvalue() + SECRET


def png() -> bytes:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Location", SECRET.decode())
    texts.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    data = BytesIO()
    painted().save(data, "PNG", pnginfo=texts, exif=exif())
    return data.getvalue() + SECRET


def webp() -> bytes:
    data = BytesIO()
    painted().save(data, "WEBP", exif=exif(), xmp=SECRET)
    return data.getvalue()


def gif() -> bytes:
    data = BytesIO()
    painted().save(data, "GIF", comment=SECRET, save_all=True, append_images=[painted(mode="L")], duration=80, loop=0)
    return data.getvalue() + SECRET


def heic() -> bytes:
    data = BytesIO()
    pillow_heif.from_pillow(painted(96, 64)).save(data, exif=exif(), quality=80)
    return data.getvalue()


def avif() -> bytes:
    data = BytesIO()
    painted(96, 64).save(data, "AVIF", exif=exif(), xmp=SECRET)
    return data.getvalue()


async def made(data: bytes, tmp_path: Path, bounds: Bounds, want: Want = POST) -> Made:
    source, folder = tmp_path / "source", tmp_path / "made"
    source.write_bytes(data)
    folder.mkdir()
    return await process(source, folder, want, bounds)


@pytest.mark.parametrize("make", [jpeg, png, webp, gif, heic, avif], ids=lambda make: str(make.__name__))
async def test_nothing_is_left_of_what_a_picture_told(
    make: Callable[[], bytes], tmp_path: Path, bounds: Bounds
) -> None:
    data = make()
    assert SECRET in data
    found = await made(data, tmp_path, bounds)
    assert found.files[0].role == "original"
    assert found.removed
    for each in found.files:
        written = each.path.read_bytes()
        assert SECRET not in written
        assert not any(mark in written for mark in (b"Exif", b"<x:xmp", b"ICC_PROFILE", b"EXIF", b"XMP "))
        with Image.open(each.path) as picture:
            assert picture.size == (each.width, each.height)
            red, _, blue = at(picture.convert("RGB"), 5, picture.height // 2)
            assert red > 150 > blue
    assert len(found.blurhash) > 6
    assert len(found.colour) == len("#rrggbb")
    assert found.animated is (make is gif)


async def test_a_picture_is_turned_as_it_is_meant_to_be_seen(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    painted().save(data, "JPEG", exif=exif(orientation=6))
    found = await made(data.getvalue(), tmp_path, bounds)
    assert (found.width, found.height) == (60, 90)


def moving(kind: str, size: tuple[int, int] = (900, 600)) -> bytes:
    """Six pictures, one after the other, each with its own shade."""
    first, *more = (Image.new("RGB", size, (40 * shade, 30, 90)) for shade in range(6))
    data = BytesIO()
    first.save(data, kind, save_all=True, append_images=more, duration=80, loop=0)
    return data.getvalue()


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
@pytest.mark.parametrize("purpose", ["post", "avatar"])
async def test_what_moves_goes_on_moving(kind: str, purpose: str, tmp_path: Path, bounds: Bounds) -> None:
    found = await made(moving(kind), tmp_path, bounds, Want(purpose))  # type: ignore[arg-type]  # one of those there are
    assert found.animated
    with Image.open(found.files[0].path) as picture:
        assert getattr(picture, "n_frames", 1) == 6
        picture.seek(3)
        picture.load()
        assert picture.info["duration"] == 80
        red, green, _ = at(picture.convert("RGB"), 5, 5)
        assert abs(red - 120) < 12 > abs(green - 30)
    with Image.open(found.files[-1].path) as still:
        assert getattr(still, "n_frames", 1) == 1


async def test_inks_without_a_profile_are_the_colours_that_browsers_show(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    painted(mode="CMYK").save(data, "JPEG", quality=95)
    found = await made(data.getvalue(), tmp_path, bounds)
    with Image.open(found.files[0].path) as picture:
        assert picture.mode == "RGB"
        for x, wanted in ((20, (220, 20, 30)), (70, (10, 90, 200))):
            assert max(abs(one - other) for one, other in zip(at(picture, x, 30), wanted, strict=True)) < 12


async def test_a_header_that_moves_stands_still(tmp_path: Path, bounds: Bounds) -> None:
    found = await made(moving("GIF"), tmp_path, bounds, Want("header"))
    assert not found.animated
    with Image.open(found.files[0].path) as picture:
        assert getattr(picture, "n_frames", 1) == 1


async def test_what_the_child_takes_is_its_own(tmp_path: Path, bounds: Bounds) -> None:
    ballast = bytearray(b"x" * (300 << 20))  # the parent is large: that is not the child's
    found = await made(jpeg(), tmp_path, bounds)
    assert 0 < found.peak < 200 * 1024 < len(ballast) // 1024


async def test_a_large_picture_has_three_sizes_and_a_small_one_is_not_enlarged(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    painted(4000, 2000).save(data, "JPEG")
    found = await made(data.getvalue(), tmp_path, bounds)
    assert [(each.role, each.width, each.height) for each in found.files] == [
        ("original", 3840, 1920),
        ("large", 1280, 640),
        ("small", 400, 200),
    ]


async def test_what_shines_through_still_does(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    picture = painted(mode="RGBA")
    picture.putpixel((80, 30), (0, 0, 0, 0))
    picture.save(data, "PNG")
    found = await made(data.getvalue(), tmp_path, bounds)
    with Image.open(found.files[0].path) as seen:
        assert at(seen.convert("RGBA"), 80, 30)[3] < 40


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
@pytest.mark.parametrize(
    ("size", "header", "avatar"),
    [
        ((300, 300), (300, 100), (300, 300)), ((2000, 900), (1500, 500), (400, 400)), ((100, 40), (100, 33), (40, 40)),
        ((900, 300), (900, 300), (300, 300)),
    ],
)  # fmt: skip
async def test_what_is_cut_has_its_shape_however_small_it_is(
    kind: str, size: tuple[int, int], header: tuple[int, int], avatar: tuple[int, int], tmp_path: Path, bounds: Bounds
) -> None:
    data = BytesIO()
    painted(*size).save(data, kind, exif=exif())
    if kind == "GIF":
        data = BytesIO(moving(kind, size))
    for purpose, wanted in (("header", header), ("avatar", avatar)):
        (tmp_path / purpose).mkdir()
        want = Want(purpose)  # type: ignore[arg-type]  # one of those there are
        found = await made(data.getvalue(), tmp_path / purpose, bounds, want)
        assert (found.width, found.height) == wanted
        assert found.animated == (kind == "GIF" and purpose == "avatar")
        with Image.open(found.files[0].path) as seen:
            assert (seen.size, getattr(seen, "n_frames", 1)) == (wanted, 6 if found.animated else 1)


async def test_a_frame_is_cut_from_the_middle_and_shown_as_long(tmp_path: Path, bounds: Bounds) -> None:
    found = await made(moving("GIF", (300, 100)), tmp_path, bounds, Want("avatar"))
    with Image.open(found.files[0].path) as seen:
        seen.seek(3)
        seen.load()
        assert seen.info["duration"] == 80
        assert abs(at(seen.convert("RGB"), 50, 50)[0] - 120) < 12


async def test_a_header_that_lies_on_its_side_is_cut_as_it_is_seen(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    painted(200, 600).save(data, "JPEG", exif=exif(6))
    found = await made(data.getvalue(), tmp_path, bounds, Want("header"))
    assert (found.width, found.height) == (600, 200)


async def test_an_avatar_is_cut_to_a_square(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    painted(900, 600).save(data, "PNG")
    found = await made(data.getvalue(), tmp_path, bounds, Want("avatar"))
    assert (found.width, found.height) == (400, 400)


def header_only(width: int, height: int) -> bytes:
    """A PNG that promises very many pixels and holds none."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")


def long_strip() -> bytes:
    data = BytesIO()
    Image.new("L", (1, 65500)).save(data, "JPEG")
    return data.getvalue()


BAD = {
    "empty": (b"", "empty"),
    "page": (b"<html><script>alert(1)</script></html>", "no picture"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture"),
    "pdf": (b"%PDF-1.7\n1 0 obj<</Encrypt 2 0 R>>", "no picture"),
    "mvg": (b"push graphic-context\nimage over 0,0 0,0 'http://127.0.0.1:1/x'\n", "no picture"),
    "playlist": (b"#EXTM3U\n#EXTINF:1\nfile:///etc/passwd\n", "no picture"),
    "many pixels": (header_only(15_000, 15_000), "megapixels"),
    "long sides": (header_only(50_000, 50_000), "no side"),
    "strip": (long_strip(), "no side"),
    "cut off": (jpeg()[:-200], "damaged"),
    "cut in the header": (jpeg()[:20], "no picture"),
    "lie": (header_only(300, 300), "damaged"),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_is_no_good_is_told_in_a_sentence_and_leaves_nothing(
    name: str, tmp_path: Path, bounds: Bounds
) -> None:
    data, said = BAD[name]
    with pytest.raises(BadMedia, match=said):
        await made(data, tmp_path, bounds)
    assert list((tmp_path / "made").iterdir()) == []


async def test_too_many_frames_are_refused(tmp_path: Path, bounds: Bounds) -> None:
    data = BytesIO()
    first, *more = (Image.new("L", (2, 2), shade) for shade in range(30))
    first.save(data, "GIF", save_all=True, append_images=more)
    few = replace(bounds, frames=20)
    with pytest.raises(BadMedia, match="too many frames"):
        await made(data.getvalue(), tmp_path, few)
