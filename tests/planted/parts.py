"""What files tell beside pictures and sounds, built byte by byte after the standards: EXIF, XMP, IPTC, ICC, ID3."""

import struct
from io import BytesIO

from PIL import Image, ImageCms

from planted.words import Words

WHEN = b"1987:06:05 04:03:21"
LATITUDE = ((52, 1), (31, 1), (1234, 100))
_ASCII, _SHORT, _LONG, _RATIONAL, _UNDEFINED, _BYTE = 2, 3, 4, 5, 7, 1
_MLUC = b"mluc\0\0\0\0" + struct.pack(">II", 1, 12) + b"enUS"


def painted(width: int = 96, height: int = 64, mode: str = "RGB") -> Image.Image:
    """A picture whose left half is red and whose right half is blue."""
    picture = Image.new("RGB", (width, height), (10, 90, 200))
    picture.paste((220, 20, 30), (0, 0, width // 2, height))
    if mode == "RGBA":
        picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    return picture.convert(mode)


def thumbnail(words: Words, kind: str) -> bytes:
    """A small JPEG with a comment of its own."""
    data = BytesIO()
    painted(32, 24).save(data, "JPEG", comment=words.of(kind))
    return data.getvalue()


def _ifd(entries: list[tuple[int, int, int, bytes]], at: int, behind: int = 0) -> bytes:
    """One directory of a TIFF that stands at `at`, its values behind it, and where the next one stands."""
    entries = sorted(entries)
    values, where = bytearray(), at + 2 + 12 * len(entries) + 4
    table = bytearray(struct.pack("<H", len(entries)))
    for tag, kind, count, value in entries:
        if len(value) <= 4:
            place = value.ljust(4, b"\0")
        else:
            place = struct.pack("<I", where + len(values))
            values += value + bytes(len(value) % 2)
        table += struct.pack("<HHI", tag, kind, count) + place
    return bytes(table + struct.pack("<I", behind) + values)


def _text(tag: int, value: bytes) -> tuple[int, int, int, bytes]:
    return tag, _ASCII, len(value) + 1, value + b"\0"


def _opaque(tag: int, value: bytes, kind: int = _UNDEFINED) -> tuple[int, int, int, bytes]:
    return tag, kind, len(value), value


def exif(words: Words) -> bytes:
    """A TIFF with who, with what, when and where, notes of the maker, and a small picture (EXIF 2.32, 4.6)."""
    own = [
        _text(0x9003, WHEN), _text(0x9004, WHEN), _text(0xA430, words.raw("exif owner")),
        _text(0xA431, words.raw("exif serial number")), _text(0xA434, words.raw("exif lens")),
        _opaque(0x927C, b"Notes\0" + words.raw("exif maker note")),
        _opaque(0x9286, b"ASCII\0\0\0" + words.raw("exif comment")),
        _text(0xA420, words.raw("exif picture number")),
    ]  # fmt: skip
    degrees = b"".join(struct.pack("<II", *part) for part in LATITUDE)
    place = [
        _opaque(0x0000, b"\2\3\0\0", _BYTE), _text(0x0001, b"N"), (0x0002, _RATIONAL, 3, degrees), _text(0x0003, b"E"),
        (0x0004, _RATIONAL, 3, degrees), _text(0x001D, WHEN[:10]),
        _opaque(0x001C, b"ASCII\0\0\0" + words.raw("exif place")),
    ]  # fmt: skip
    first = [
        _text(0x010E, words.raw("exif title")), _text(0x010F, words.raw("exif make")),
        _text(0x0110, words.raw("exif model")), _text(0x0131, words.raw("exif program")), _text(0x0132, WHEN),
        _text(0x013B, words.raw("exif artist")), _text(0x8298, words.raw("exif copyright")),
        _opaque(0x9C9C, words.of("exif for Windows").encode("utf-16-le") + b"\0\0", _BYTE),
        (0x8769, _LONG, 1, bytes(4)), (0x8825, _LONG, 1, bytes(4)),
    ]  # fmt: skip
    small = thumbnail(words, "exif thumbnail")
    after = 8 + len(_ifd(first, 8))
    own_at, own_bytes = after, _ifd(own, after)
    place_at = own_at + len(own_bytes)
    place_bytes = _ifd(place, place_at)
    second_at = place_at + len(place_bytes)
    second = [(0x0103, _SHORT, 1, struct.pack("<H", 6)), (0x0201, _LONG, 1, bytes(4)), (0x0202, _LONG, 1, bytes(4))]
    small_at = second_at + len(_ifd(second, second_at))
    second = [second[0], (0x0201, _LONG, 1, struct.pack("<I", small_at)), (0x0202, _LONG, 1, _long(len(small)))]
    first = [*first[:-2], (0x8769, _LONG, 1, _long(own_at)), (0x8825, _LONG, 1, _long(place_at))]
    head = b"II*\0" + _long(8)
    return head + _ifd(first, 8, second_at) + own_bytes + place_bytes + _ifd(second, second_at) + small


def _long(value: int) -> bytes:
    return struct.pack("<I", value)


def xmp(words: Words, kind: str = "xmp", more: str = "") -> bytes:
    """An XMP packet with a title, a place and a history (ISO 16684-1)."""
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"'
        ' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/"'
        f' photoshop:City="{words.of(kind + " city")}" xmp:CreatorTool="{words.of(kind + " program")}" {more}>'
        f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{words.of(kind + " title")}</rdf:li></rdf:Alt></dc:title>'
        '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


def photoshop(words: Words) -> bytes:
    """Photoshop's resources: IPTC (IIM, 1.5) with a caption and a city, a small picture, and one of no known kind."""
    iptc = b"".join(
        struct.pack(">BBBH", 0x1C, 2, number, len(words.raw(kind))) + words.raw(kind)
        for number, kind in ((120, "iptc caption"), (90, "iptc city"), (80, "iptc author"))
    )
    small = thumbnail(words, "photoshop thumbnail")
    size = struct.pack(">IIIIIIHH", 1, 32, 24, 96, 32 * 24 * 3, len(small), 24, 1)
    parts = ((0x0404, iptc), (0x040C, size + small), (0x0FA1, words.raw("photoshop plug-in")))
    return b"".join(
        b"8BIM" + struct.pack(">HHI", number, 0, len(body)) + body + bytes(len(body) % 2) for number, body in parts
    )


def icc(words: Words | None, **columns: tuple[float, float, float]) -> bytes:
    """A profile like that of sRGB (ICC.1, 7) whose description and copyright tell; `columns` are other primaries."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    (count,) = struct.unpack_from(">I", profile, 128)
    tags = [struct.unpack_from(">4sII", profile, 132 + 12 * number) for number in range(count)]
    bodies = {name: profile[at : at + size] for name, at, size in tags}
    if words is not None:
        for name, kind in ((b"desc", "icc description"), (b"cprt", "icc copyright")):
            text = words.of(kind).encode("utf-16-be")
            bodies[name] = _MLUC + struct.pack(">II", len(text), 28) + text
    for name_, column in columns.items():
        bodies[name_.encode()] = b"XYZ \0\0\0\0" + struct.pack(">iii", *(round(part * 65536) for part in column))
    table, data, at = bytearray(), bytearray(), 132 + 12 * len(bodies)
    for name, body in bodies.items():
        table += struct.pack(">4sII", name, at + len(data), len(body))
        data += body + bytes(-len(body) % 4)
    whole = profile[4:128] + struct.pack(">I", len(bodies)) + table + data
    return struct.pack(">I", len(whole) + 4) + whole


def id3(words: Words, cover: bytes) -> bytes:
    """ID3v2.4: texts, a comment, lyrics, a private frame, an object, and a cover."""

    def frame(name: bytes, body: bytes) -> bytes:
        return name + _synchsafe(len(body)) + b"\0\0" + body

    def text(name: bytes, kind: str) -> bytes:
        return frame(name, b"\3" + words.raw(kind))

    frames = b"".join([
        text(b"TIT2", "id3 title"), text(b"TPE1", "id3 artist"), text(b"TENC", "id3 encoded by"),
        frame(b"TALB", b"\1\xff\xfe" + words.of("id3 album").encode("utf-16-le")),
        frame(b"TXXX", b"\3key\0" + words.raw("id3 own text")),
        frame(b"COMM", b"\3eng\0" + words.raw("id3 comment")),
        frame(b"USLT", b"\3eng\0" + words.raw("id3 lyrics")),
        frame(b"PRIV", b"owner\0" + words.raw("id3 private")),
        frame(b"GEOB", b"\0text/plain\0name\0x\0" + words.raw("id3 object")),
        frame(b"UFID", b"owner\0" + words.raw("id3 identifier")),
        frame(b"WXXX", b"\0\0http://" + words.raw("id3 link")),
        frame(b"APIC", b"\0image/jpeg\0\3\0" + cover),
    ])  # fmt: skip
    return b"ID3\4\0\0" + _synchsafe(len(frames)) + frames


def _synchsafe(value: int) -> bytes:
    return bytes(value >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3_at_end(words: Words) -> bytes:
    """ID3v1."""
    fields = [words.raw(f"id3v1 {kind}").ljust(30, b"\0") for kind in ("title", "artist", "album")]
    return b"TAG" + b"".join(fields) + b"1987" + words.raw("id3v1 comment").ljust(30, b"\0") + b"\x0c"


def ape(words: Words) -> bytes:
    """An APEv2 tag with its foot alone."""
    value = words.raw("ape title")
    item = struct.pack("<II", len(value), 0) + b"Title\0" + value
    return item + b"APETAGEX" + struct.pack("<IIII", 2000, len(item) + 32, 1, 0) + bytes(8)
