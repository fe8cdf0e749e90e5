"""Pictures, films and sounds that belong to a post, and pages that it points to.

`attachment` as Mastodon and the others write it; `url` of a Video, Audio or Image (PeerTube, Funkwhale, Pixelfed);
`image` and `icon` of an Article, Page or Event (its cover).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.fields import Fields
from privapub.federation.documents.limits import MAX_ALT, MAX_ATTACHMENTS, MAX_SIDE
from privapub.federation.documents.moments import duration
from privapub.federation.documents.properties import each, flag, line, link, links, media_type, number, objects, types
from privapub.markup.characters import contained

MEDIA = frozenset({"Document", "Image", "Video", "Audio"})
_FAMILIES = {"image": "Image", "video": "Video", "audio": "Audio"}
_BEST_HEIGHT = 720  # pixels: of the files of a film the nearest to this is taken
_STREAMS = frozenset({"application/x-mpegurl", "application/vnd.apple.mpegurl"})
_ALSO_MEDIA = frozenset({"application/ogg", "application/mp4"})
_MAX_BLURHASH = 200


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file elsewhere. `alt` is plain text of several lines; sizes in pixels, `duration` in seconds.

    `focal_point` is (x, y) from -1 to 1, right and up; `preview` the address of a still picture.
    """

    type: str  # Document, Image, Video or Audio
    url: str
    media_type: str = ""
    alt: str = ""
    width: int | None = None
    height: int | None = None
    blurhash: str = ""
    focal_point: tuple[float, float] | None = None
    duration: float | None = None
    preview: str | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A page that a post points to beside its text: `name` is one line of plain text or ""."""

    href: str
    name: str = ""


def read_attachments(fields: Fields, kind: str) -> tuple[tuple[Attachment, ...], tuple[Pointer, ...]]:
    """The files of a post of this kind, its own first, and the pages that it points to."""
    found = {one.url: one for one in _own(fields, kind)}
    pointers: dict[str, Pointer] = {}
    for item in fields.objects("attachment", MAX_ATTACHMENTS):
        one = _attachment(item)
        if isinstance(one, Attachment):
            found.setdefault(one.url, one)
        elif one is not None:
            pointers.setdefault(one.href, one)
        else:
            item.note("attachment", "One of these is no file and no page with an http(s) URL.")
    for url in (item for item in each(fields.raw.get("attachment"))[:MAX_ATTACHMENTS] if isinstance(item, str)):
        if link(url):
            pointers.setdefault(url, Pointer(url))
        else:
            fields.note("attachment", "One of these is no file and no page with an http(s) URL.")
    for cover in _covers(fields, kind):
        found.setdefault(cover.url, cover)
    return tuple(found.values())[:MAX_ATTACHMENTS], tuple(pointers.values())


def any_sensitive(fields: Fields) -> bool:
    """Whether a file is marked for itself, as Misskey does."""
    return any(flag(item.get("sensitive")) for item in objects(fields.raw.get("attachment")))


def _attachment(item: Fields) -> Attachment | Pointer | None:
    value = item.raw.get("url", item.raw.get("href"))
    # Some give the address of the file as the id, and nothing else (FEP-b2b8).
    address, said = next(iter(links(value)), (link(item.raw.get("id")) if value is None else None, ""))
    if address is None:
        return None
    of = media_type(item.raw) or said
    kind = _kind(types(item.raw), of)
    if kind is None:
        return Pointer(address, line(item.raw.get("name")))
    return _file(item, kind, address, of)


def _kind(kinds: list[str], of: str) -> str | None:
    """Which sort of file it is; None for what is a page."""
    named = next((kind for kind in kinds if kind in MEDIA), None)
    return named or _FAMILIES.get(of.partition("/")[0])


def _file(item: Fields, kind: str, address: str, of: str) -> Attachment:
    return Attachment(
        type=kind,
        url=address,
        media_type=of,
        alt=alt_of(item),
        width=side(item.raw.get("width")),
        height=side(item.raw.get("height")),
        blurhash=line(item.raw.get("blurhash"), _MAX_BLURHASH),
        focal_point=_focal_point(item),
        duration=duration(item.raw.get("duration")),
        preview=link(item.raw.get("icon", item.raw.get("preview"))),
    )


def alt_of(item: Fields) -> str:
    """What a picture shows, in words: `name`, or `summary` as newer programs write it."""
    return contained(item.text("name", MAX_ALT).said.strip() or item.text("summary", MAX_ALT).said.strip())


def _focal_point(item: Fields) -> tuple[float, float] | None:
    value = item.raw.get("focalPoint")
    if value is None:
        return None
    found = [number(one) for one in value] if isinstance(value, list) and len(value) == 2 else []
    match found:
        case [float(x), float(y)] if abs(x) <= 1 and abs(y) <= 1:
            return x, y
    item.note("focalPoint", "This is no pair of numbers from -1 to 1.")
    return None


def side(value: Any) -> int | None:
    """A width or height in pixels; None for what cannot be one."""
    found = number(value)
    return int(found) if found is not None and 0 < found <= MAX_SIDE else None


def _covers(fields: Fields, kind: str) -> Iterator[Attachment]:
    """A picture beside the text. The `icon` of a film is its preview, that of an Article mostly the same again."""
    for name in ("image",) if kind in {"Video", "Audio"} else ("image", "icon"):
        items = fields.objects(name, MAX_ATTACHMENTS)
        if not items and (url := link(fields.raw.get(name))):
            yield Attachment("Image", url)
        for item in items:
            if url := link(item.raw):
                yield _file(item, "Image", url, media_type(item.raw))
            else:
                fields.note(name, "There is no http(s) URL in this.")
        if items:
            return


def _own(fields: Fields, kind: str) -> Iterator[Attachment]:
    """The file that a Video, Audio or Image itself is."""
    if kind not in {"Video", "Audio", "Image"}:
        return
    files = list(_files(fields.objects("url", 200), kind))
    if kind == "Image" and not files and (url := link(fields.raw.get("url"))):
        files = [Attachment("Image", url, media_type(fields.raw))]
    best = min(files, key=_distance, default=None)
    if best is None:
        return
    alt = _alt_of_image(fields) if kind == "Image" else ""
    yield Attachment(
        type=kind,
        url=best.url,
        media_type=best.media_type,
        alt=alt,
        width=best.width or side(fields.raw.get("width")),
        height=best.height or side(fields.raw.get("height")),
        blurhash=line(fields.raw.get("blurhash"), _MAX_BLURHASH),
        focal_point=_focal_point(fields),
        duration=duration(fields.raw.get("duration")),
        preview=_largest(fields.objects("icon", 20)) or link(fields.raw.get("icon")),
    )


def _alt_of_image(fields: Fields) -> str:
    return contained(fields.text("summary", MAX_ALT).said.strip())


def _files(items: list[Fields], kind: str) -> Iterator[Attachment]:
    """The files among the addresses of a film, also those of a stream that lists them."""
    for item in items:
        of, address = media_type(item.raw), link(item.raw)
        if address is not None and (of.startswith(f"{kind.lower()}/") or of in _ALSO_MEDIA):
            yield Attachment(kind, address, of, width=side(item.raw.get("width")), height=side(item.raw.get("height")))
        elif of in _STREAMS:
            yield from _files([one for one in item.objects("tag", 200) if link(one.raw)], kind)


def _distance(file: Attachment) -> tuple[int, int]:
    # Old PeerTube wrote the height as a width.
    height = file.height or file.width or _BEST_HEIGHT
    return abs(height - _BEST_HEIGHT), height


def _largest(items: list[Fields]) -> str | None:
    found = [(side(item.raw.get("width")) or 0, url) for item in items if (url := link(item.raw))]
    return max(found)[1] if found else None
