"""Files of posts."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from privapub.client_api.shapes.pictures import Pictures
from privapub.proxy.prefetch import use_of

_TYPES = {"picture": "image", "film": "video", "sound": "audio"}
_FAMILIES = frozenset({"image", "video", "audio"})
_SAYS_NOTHING = frozenset({"", "application/octet-stream"})


class Focus(Struct):
    """What matters of a picture: from -1 to 1, right and up."""

    x: float
    y: float


class Size(Struct):
    """How large one of the files is; seconds for what takes time."""

    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET
    size: str | UnsetType = UNSET
    aspect: float | UnsetType = UNSET
    duration: float | UnsetType = UNSET


class Meta(Struct):
    """What is known of the files."""

    original: Size | UnsetType = UNSET
    small: Size | UnsetType = UNSET
    focus: Focus | UnsetType = UNSET


class MediaAttachment(Struct):
    """Entity `MediaAttachment`."""

    id: str
    type: str
    url: str | None
    preview_url: str | None
    remote_url: str | None
    preview_remote_url: str | None
    text_url: str | None
    meta: Meta
    description: str | None
    blurhash: str | None


def attachment(item: Mapping[str, Any], number: str, pictures: Pictures) -> MediaAttachment:
    """A file of a post (pure). `number` names it where it is not ours."""
    use = use_of(item)
    url, small = pictures.stored(item.get("url")), pictures.stored(item.get("small"))
    preview = small or pictures.stored(item.get("preview"))
    remote = None
    if not (url and item.get("medium")):
        remote = str(item.get("url") or "") or None
        shows = _may_show(item, pictures)
        url = pictures.elsewhere(use, remote) if shows else ""
        still = item.get("preview") if use != "picture" else remote
        preview = pictures.elsewhere("picture", str(still or ""), "small") if shows else ""
    kind = _TYPES[use] if url or item.get("medium") else "unknown"
    return MediaAttachment(
        str(item.get("medium") or number),
        "gifv" if kind == "video" and item.get("animated") else kind,
        url or remote,
        preview or (url if kind == "image" else None) or None,
        remote,
        None,
        None,
        _meta(item),
        str(item.get("alt") or "") or None,
        str(item.get("blurhash") or "") or None,
    )


def _may_show(item: Mapping[str, Any], pictures: Pictures) -> bool:
    """Whether a file elsewhere can be shown at all, by what is said of it: else it is a link to where it is."""
    kind = str(item.get("media_type") or "")
    if item.get("type") == "Document" and kind not in _SAYS_NOTHING and kind.partition("/")[0] not in _FAMILIES:
        return False
    return (item.get("width") or 0) * (item.get("height") or 0) <= pictures.pixels


def _meta(item: Mapping[str, Any]) -> Meta:
    meta = Meta(original=_size(item.get("width"), item.get("height"), item.get("duration")))
    width, height = item.get("width"), item.get("height")
    if width and height:
        scale = min(1.0, 400 / max(width, height))
        meta.small = _size(max(1, round(width * scale)), max(1, round(height * scale)), None)
    if chosen := item.get("preview_size"):
        meta.small = _size(chosen[0], chosen[1], None)
    if focal := item.get("focal_point"):
        meta.focus = Focus(float(focal[0]), float(focal[1]))
    return meta


def _size(width: int | None, height: int | None, duration: float | None) -> Size:
    size = Size()
    if width and height:
        size.width, size.height = width, height
        size.size, size.aspect = f"{width}x{height}", width / height
    if duration:
        size.duration = duration
    return size
