"""Pictures, films and sounds of a post, as a page shows them (pure).

What this server keeps itself is shown; what is elsewhere is a link, so that a browser asks no other host for it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privapub.markup.clean import plain

# What an address in a page may begin with: another one might run in the browser of whoever follows it.
WEB = ("https://", "http://")
_FILE = re.compile(r"[A-Za-z0-9_-]+\.[a-z0-9]+")  # no path that leads from our files to our pages
_SHOWN = {"image": "Picture", "video": "Film", "audio": "Sound"}
_SMALL = 400  # the longest side of the small one of a picture
_TYPES = {"Image": "image", "Video": "video", "Audio": "audio", "Document": "image"}


@dataclass(frozen=True)
class ShownMedium:
    """A file of a post. `alt` is plain text, `small` and `poster` are addresses of pictures, all of them ours or "".

    `small` is there for a still picture that is larger alone: the small one of what moves stands still.
    """

    family: str  # image, video or audio
    url: str
    alt: str
    small: str
    poster: str
    width: int | None
    height: int | None
    ours: bool

    @property
    def small_width(self) -> int:
        """How wide the small one is: it keeps the shape."""
        width, height = self.width or 1, self.height or 1
        return max(1, round(width * _SMALL / max(width, height)))

    @property
    def word(self) -> str:
        """What it is called."""
        return _SHOWN[self.family]


def media(attachments: tuple[Mapping[str, Any], ...], base: str) -> tuple[ShownMedium, ...]:
    """Those of a post that have an address a browser may follow; `base` is where ours are, without a slash."""
    return tuple(_shown(item, f"{base}/") for item in attachments if str(item.get("url", "")).startswith(WEB))


def _shown(item: Mapping[str, Any], base: str) -> ShownMedium:
    def ours(name: str) -> str:
        address = str(item.get(name) or "")
        return address if address.startswith(base) and _FILE.fullmatch(address, len(base)) else ""

    family = str(item.get("media_type", "")).partition("/")[0]
    if family not in _SHOWN:
        family = _TYPES.get(str(item.get("type", "")), "image")
    width, height = item.get("width"), item.get("height")
    larger = bool(width and height and max(width, height) > _SMALL)
    return ShownMedium(
        family,
        str(item["url"]),
        plain(str(item.get("alt", ""))),
        ours("small") if larger and not item.get("moves") else "",
        ours("preview"),
        width,
        height,
        bool(ours("url")),
    )
