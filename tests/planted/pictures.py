"""Pictures of every form that is taken, with all that such a file can tell beside its pixels planted in them."""

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

import pillow_heif
from PIL import Image

from planted import parts
from planted.parts import painted
from planted.words import Planted, Words

Dress = Callable[[bytes, Words], bytes]
_PNG = 8  # bytes of the signature


def planted(name: str, form: str, ending: str, bare: bytes, *dresses: Dress) -> Planted:
    """A file with everything that these dresses plant."""
    words = Words(name)
    for dress in dresses:
        bare = dress(bare, words)
    return Planted(name, form, ending, bare, words.made)


def saved(kind: str, mode: str = "RGB", **options: object) -> bytes:
    """A picture with nothing planted."""
    data = BytesIO()
    painted(mode=mode).save(data, kind, **options)
    return data.getvalue()


def moving(kind: str, **options: object) -> bytes:
    """Three pictures, one after the other."""
    more = [painted().transpose(Image.Transpose.FLIP_LEFT_RIGHT), painted(mode="L").convert("RGB")]
    return saved(kind, save_all=True, append_images=more, duration=80, loop=0, **options)


def behind(data: bytes, words: Words) -> bytes:
    """Bytes behind the end."""
    return data + b"\0" * 8 + words.raw("behind the end")


# JPEG


def segment(data: bytes, marker: int, body: bytes, *, last: bool = False) -> bytes:
    """A segment put in: first of all, or before the frame header."""
    at = 2
    while last and data[at + 1] not in {0xC0, 0xC1, 0xC2}:
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return data[:at] + struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body + data[at:]


def jpeg_exif(data: bytes, words: Words) -> bytes:
    """EXIF with a thumbnail."""
    return segment(data, 0xE1, b"Exif\0\0" + parts.exif(words))


def jpeg_xmp(data: bytes, words: Words) -> bytes:
    """XMP, and a second packet where the first is too long (XMP part 3, 1.1.3.1)."""
    extended = parts.xmp(words, "extended xmp")
    name = hashlib.md5(extended).hexdigest().upper()  # noqa: S324 - it is the standard's name of a packet
    body = b"http://ns.adobe.com/xmp/extension/\0" + name.encode() + struct.pack(">II", len(extended), 0) + extended
    main = b"http://ns.adobe.com/xap/1.0/\0" + parts.xmp(words, more=f'xmpNote:HasExtendedXMP="{name}"')
    return segment(segment(data, 0xE1, body), 0xE1, main)


def jpeg_photoshop(data: bytes, words: Words) -> bytes:
    """IPTC and Photoshop's own."""
    return segment(data, 0xED, b"Photoshop 3.0\0" + parts.photoshop(words))


def jpeg_icc(data: bytes, words: Words) -> bytes:
    """A colour profile that tells, in two pieces."""
    profile = parts.icc(words)
    half = len(profile) // 2
    for number, piece in ((2, profile[half:]), (1, profile[:half])):
        data = segment(data, 0xE2, b"ICC_PROFILE\0" + bytes([number, 2]) + piece)
    return data


def jpeg_comments(data: bytes, words: Words) -> bytes:
    """Comments before and behind the tables."""
    return segment(segment(data, 0xFE, words.raw("comment")), 0xFE, words.raw("second comment"), last=True)


def jpeg_odd(data: bytes, words: Words) -> bytes:
    """Segments of other programs: a thumbnail of JFIF's extension, provenance (JUMBF), and one of nobody."""
    jumbf = struct.pack(">I4s", 8 + 30, b"jumb") + words.raw("provenance").ljust(30, b"\0")
    data = segment(data, 0xEB, b"JP\0\1\0\0\0\1" + jumbf)
    data = segment(data, 0xEF, b"Mine\0" + words.raw("segment of a program"))
    return segment(data, 0xE0, b"JFXX\0\x10" + parts.thumbnail(words, "jfif thumbnail"))


def jpeg_film_behind(data: bytes, words: Words) -> bytes:
    """A film behind the picture, as telephones write it; here its head alone."""
    film = struct.pack(">I4s4sI4s", 20, b"ftyp", b"mp42", 0, b"mp42")
    return data + film + struct.pack(">I4s", 40, b"free") + words.raw("film behind").ljust(32, b"\0")


JPEG_DRESSES = (jpeg_exif, jpeg_xmp, jpeg_photoshop, jpeg_icc, jpeg_comments, jpeg_odd, jpeg_film_behind, behind)


# PNG


def chunk(name: bytes, body: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG."""
    at = _PNG
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length
        if data[at - 8 - length : at - 4 - length] == b"IEND":
            return


def _put(data: bytes, *made: tuple[bytes, bytes], before: bytes = b"IDAT") -> bytes:
    """The chunks put in before the first one of a name (`IDAT`, or `IEND` for behind the pixels)."""
    at = data.index(before, _PNG) - 4
    return data[:at] + b"".join(chunk(*each) for each in made) + data[at:]


def png_texts(data: bytes, words: Words) -> bytes:
    """Texts: bare, compressed, international, and as ImageMagick keeps EXIF (in hexadecimal)."""
    raw = words.raw
    hidden = b"\nexif\n      22\n" + b"Exif\0\0".hex().encode() + raw("text in hexadecimal").hex().encode()
    data = _put(
        data,
        (b"tEXt", b"Author\0" + raw("text")),
        (b"zTXt", b"Comment\0\0" + zlib.compress(raw("compressed text"))),
        (b"iTXt", b"Title\0\0\0en\0\0" + raw("international text")),
        (b"iTXt", b"Description\0\1\0en\0\0" + zlib.compress(raw("compressed international text"))),
        (b"tEXt", b"Raw profile type exif\0" + hidden),
    )
    return _put(data, (b"tEXt", b"Source\0" + raw("text behind the pixels")), before=b"IEND")


def png_xmp(data: bytes, words: Words) -> bytes:
    """XMP."""
    return _put(data, (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + parts.xmp(words)))


def png_exif(data: bytes, words: Words) -> bytes:
    """EXIF, and when the picture was changed."""
    return _put(data, (b"eXIf", parts.exif(words)), (b"tIME", struct.pack(">HBBBBB", 1987, 6, 5, 4, 3, 21)))


def png_icc(data: bytes, words: Words) -> bytes:
    """A colour profile with a name and a description that tell."""
    name = words.raw("icc name")
    at = data.index(b"IHDR") + 4 + 13 + 4  # before a palette
    return data[:at] + chunk(b"iCCP", name + b"\0\0" + zlib.compress(parts.icc(words))) + data[at:]


def png_odd(data: bytes, words: Words) -> bytes:
    """A suggested palette with a name, chunks of nobody and of provenance, and a file within the file."""
    palette = words.raw("name of a palette") + b"\0\x08" + bytes(6)
    data = _put(data, (b"sPLT", palette), (b"prVt", words.raw("chunk of a program")))
    return _put(data, (b"caBX", words.raw("provenance")), (b"skRf", words.raw("chunk at the end")), before=b"IEND")


def png_in_pixels(data: bytes, words: Words) -> bytes:
    """Bytes behind the stream of pixels, within the chunk that holds it."""
    found = dict(chunks(data))
    return data.replace(chunk(b"IDAT", found[b"IDAT"]), chunk(b"IDAT", found[b"IDAT"] + words.raw("behind the pixels")))


def png_behind(data: bytes, words: Words) -> bytes:
    """Chunks behind the last one."""
    return data + chunk(b"tEXt", b"Comment\0" + words.raw("text behind the end"))


PNG_DRESSES = (png_texts, png_xmp, png_exif, png_icc, png_odd, png_in_pixels, png_behind, behind)


# GIF


def _blocks(body: bytes) -> bytes:
    return b"".join(bytes([len(body[at : at + 255])]) + body[at : at + 255] for at in range(0, len(body), 255)) + b"\0"


def _first(data: bytes, extension: bytes) -> bytes:
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
    return b"GIF89a" + data[6:at] + extension + data[at:]


def gif_comments(data: bytes, words: Words) -> bytes:
    """Comments before and behind the pictures."""
    first = _first(data, b"\x21\xfe" + _blocks(words.raw("comment")))
    return first[:-1] + b"\x21\xfe" + _blocks(words.raw("last comment")) + b"\x3b"


def gif_applications(data: bytes, words: Words) -> bytes:
    """Extensions of programs: XMP as it stands there (without blocks), a profile, and one of nobody."""
    tail = b"\1" + bytes(range(255, -1, -1)) + b"\0"
    data = _first(data, b"\x21\xff\x0bXMP DataXMP" + parts.xmp(words) + tail)
    data = _first(data, b"\x21\xff\x0bICCRGBG1012" + _blocks(parts.icc(words)))
    return _first(data, b"\x21\xff\x0bMYPROGRA1.0" + _blocks(words.raw("application")))


def gif_plain_text(data: bytes, words: Words) -> bytes:
    """Text that a viewer may draw (GIF89a, 25), as the last thing in the file."""
    grid = struct.pack("<BHHHHBBBB", 12, 0, 0, 8, 8, 8, 8, 0, 1)
    return data[:-1] + b"\x21\x01" + grid + _blocks(words.raw("plain text")) + b"\x3b"


GIF_DRESSES = (gif_comments, gif_applications, gif_plain_text, behind)


# WebP


def webp_chunks(*made: tuple[bytes, str]) -> Dress:
    """A dress of chunks: their names, and what of them is planted."""

    def dress(data: bytes, words: Words) -> bytes:
        of = {"exif": parts.exif, "xmp": parts.xmp, "icc": parts.icc}
        extended = data if data[12:16] == b"VP8X" else _extended(data)
        flags = {"exif": 0x08, "xmp": 0x04, "icc": 0x20}
        body, first, behind_ = bytearray(extended[12:]), b"", b""
        for name, kind in made:
            value = of[kind](words) if kind in of else words.raw(kind)
            piece = name + struct.pack("<I", len(value)) + value + bytes(len(value) % 2)
            body[8] |= flags.get(kind, 0)
            first, behind_ = (first + piece, behind_) if kind == "icc" else (first, behind_ + piece)
        whole = bytes(body[:18]) + first + bytes(body[18:]) + behind_
        return b"RIFF" + struct.pack("<I", len(whole) + 4) + b"WEBP" + whole

    return dress


def _extended(data: bytes) -> bytes:
    with Image.open(BytesIO(data)) as picture:
        width, height = picture.size
    clear = 0x10 if data[12:16] == b"VP8L" else 0
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return data[:12] + b"VP8X" + struct.pack("<IB3x", 10, clear) + size + data[12:]


webp_all = webp_chunks((b"ICCP", "icc"), (b"EXIF", "exif"), (b"XMP ", "xmp"), (b"SECR", "chunk of a program"))


# AVIF and HEIC


def box(name: bytes, body: bytes) -> bytes:
    """One box of ISO 14496-12."""
    return struct.pack(">I4s", len(body) + 8, name) + body


def boxes_behind(data: bytes, words: Words) -> bytes:
    """Boxes that readers pass over: free space, one of a program, and pixels that nothing refers to."""
    own = box(b"uuid", bytes(range(16)) + words.raw("box of a program"))
    return data + box(b"free", words.raw("free space")) + own + box(b"mdat", words.raw("data of nobody"))


def avif(name: str, *, moves: bool = False, mode: str = "RGB") -> Planted:
    """An AVIF with EXIF, XMP and a profile as items and properties."""
    words = Words(name)
    told = {"exif": b"Exif\0\0" + parts.exif(words), "xmp": parts.xmp(words), "icc_profile": parts.icc(words)}
    bare = moving("AVIF", speed=9, **told) if moves else saved("AVIF", mode, speed=9, **told)
    form = "animated AVIF" if moves else "AVIF"
    return Planted(name, form, "avif", boxes_behind(bare, words), words.made)


def heic(name: str, *, pictures: int = 1, thumbnails: bool = False, mode: str = "RGB") -> Planted:
    """A HEIC with EXIF, XMP and a profile; each of its pictures has its own."""
    words, heif = Words(name), pillow_heif.HeifFile()
    for number in range(pictures):
        told = Words(f"{name} {number}")
        picture = painted(mode=mode)
        picture.info["icc_profile"] = parts.icc(told)
        added = heif.add_from_pillow(picture)
        added.info["exif"], added.info["xmp"] = b"Exif\0\0" + parts.exif(told), parts.xmp(told)
        if thumbnails:
            added.info["thumbnails"] = [32]
        words.made.update({f"{kind} {number}": word for kind, word in told.made.items()})
    data = BytesIO()
    heif.save(data, quality=80)
    form = "HEIC of several pictures" if pictures > 1 else "HEIC"
    return Planted(name, form, "heic", boxes_behind(data.getvalue(), words), words.made)


def all_pictures() -> Iterator[Planted]:
    """All of them, one after the other."""
    forms = {
        "JPEG": saved("JPEG"), "progressive JPEG": saved("JPEG", progressive=True),
        "CMYK JPEG": saved("JPEG", "CMYK"), "grey JPEG": saved("JPEG", "L"),
        "JPEG without 4:2:0": saved("JPEG", subsampling=0),
    }  # fmt: skip
    for form, bare in forms.items():
        grey = form in {"CMYK JPEG", "grey JPEG"}  # for which this profile of three colours is none
        dresses = [dress for dress in JPEG_DRESSES if not (grey and dress is jpeg_icc)]
        yield planted(form, form, "jpg", bare, *dresses)
    for dress in JPEG_DRESSES:
        yield planted(f"JPEG with {dress.__name__}", "JPEG", "jpg", forms["JPEG"], dress)
    forms = {
        "PNG": saved("PNG"), "clear PNG": saved("PNG", "RGBA"), "PNG of a palette": saved("PNG", "P"),
        "grey PNG of 16 bits": saved("PNG", "I;16"), "PNG of two colours": saved("PNG", "1"), "APNG": moving("PNG"),
    }  # fmt: skip
    for form, bare in forms.items():
        grey = form in {"grey PNG of 16 bits", "PNG of two colours"}
        dresses = [
            dress for dress in PNG_DRESSES
            if not (grey and dress is png_icc) and not (form == "APNG" and dress is png_in_pixels)
        ]  # fmt: skip
        yield planted(form, form, "png", bare, *dresses)
    for dress in PNG_DRESSES:
        yield planted(f"PNG with {dress.__name__}", "PNG", "png", forms["PNG"], dress)
    yield planted("GIF", "GIF", "gif", saved("GIF", "P"), *GIF_DRESSES)
    yield planted("animated GIF", "animated GIF", "gif", moving("GIF"), *GIF_DRESSES)
    for dress in GIF_DRESSES:
        yield planted(f"GIF with {dress.__name__}", "GIF", "gif", saved("GIF", "P"), dress)
    yield planted("WebP", "WebP", "webp", saved("WEBP"), webp_all, behind)
    yield planted("WebP without loss", "WebP without loss", "webp", saved("WEBP", "RGBA", lossless=True), webp_all)
    yield planted("clear WebP", "clear WebP", "webp", saved("WEBP", "RGBA"), webp_all)
    yield planted("animated WebP", "animated WebP", "webp", moving("WEBP"), webp_all, behind)
    for name, kind in ((b"EXIF", "exif"), (b"XMP ", "xmp"), (b"ICCP", "icc"), (b"SECR", "chunk of a program")):
        yield planted(f"WebP with {kind}", "WebP", "webp", saved("WEBP"), webp_chunks((name, kind)))
    yield avif("AVIF")
    yield avif("clear AVIF", mode="RGBA")
    yield avif("animated AVIF", moves=True)
    yield heic("HEIC")
    yield heic("clear HEIC", mode="RGBA")
    yield heic("HEIC with thumbnails", thumbnails=True)
    yield heic("HEIC of three", pictures=3)
