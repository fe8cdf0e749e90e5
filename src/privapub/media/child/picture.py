"""A picture made anew: upright, in sRGB, bounded, and nothing in it but pixels.

Every file that comes out is encoded from decoded pixels; no byte of the source is copied. So what a format can hide,
known or not, is not there any more: EXIF, XMP, IPTC, profiles, comments, text, thumbnails, what stands behind the end.
"""

import mmap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import blurhash_rs
import pyvips

from privapub.media.child import frames, traces
from privapub.media.child.order import Faulty, Order, Purpose, Result, Written, say

JPEG, PNG, WEBP = "image/jpeg", "image/png", "image/webp"
_LOSSY = frozenset({"jpeg", "webp", "avif", "heic"})
_DAMAGED = "The picture cannot be read: it is damaged or cut off."
# At these two a photograph looks the same.
_JPEG_QUALITY, _WEBP_QUALITY = 84, 80
_EFFORT, _MOVING_EFFORT, _LOSSLESS_EFFORT = 3, 1, 2  # of WebP: from 0, the quickest, to 6


@dataclass(frozen=True)
class _Sizes:
    """How large the files of a purpose are: width and height into which they fit, or to which they are cut."""

    original: tuple[int, int] | None = None  # None: the order's longest side
    large: tuple[int, int] | None = None
    small: tuple[int, int] | None = (400, 400)
    cut: bool = False
    moves: bool = True  # whether what moves stays moving
    plain: bool = False  # whether what shows JPEG and PNG alone shows it


_SIZES: dict[Purpose, _Sizes] = {
    "post": _Sizes(large=(1280, 1280)),
    "remote": _Sizes(large=(1280, 1280)),
    "avatar": _Sizes((400, 400), small=(120, 120), cut=True),
    "header": _Sizes((1500, 500), small=(600, 200), cut=True, moves=False),
    "emoji": _Sizes((128, 128), small=(128, 128)),
    "card": _Sizes((800, 800), moves=False),
    # It is the one picture of its film wherever that is shown, and of the kind that somebody chose.
    "poster": _Sizes((640, 640), small=None, moves=False, plain=True),
}
_MOVING = 1280  # the longest side of what moves
_LIES = 5  # the first of the orientations in which width and height change places
_TRIAL = 1280  # the side at which it is tried whether a picture is smaller without loss


def make(order: Order) -> Result:
    """Make the files of this order in the working folder. Raises Faulty where the picture is at fault."""
    say(0.0, "reading")
    try:
        return _made(order)
    except pyvips.Error as error:
        if "out of memory" in str(error):
            raise MemoryError(str(error)) from error
        raise Faulty(_DAMAGED) from error


def _made(order: Order) -> Result:
    sizes = _SIZES[order.purpose]
    source = _Source(order)
    original = sizes.original or (order.longest, order.longest)
    if sizes.cut:
        original = _within(original, source.upright)
    tried = _within(original, (_TRIAL, _TRIAL))
    trial = _upright(source.open(tried, cut=sizes.cut), *tried, cut=sizes.cut)
    first = trial.copy_memory()
    clear = first.hasalpha() and first[3].min() == 255
    first = first.flatten() if clear else first
    lossless = _smaller_without_loss(first, lossy=order.format in _LOSSY)
    writing = _Writing(lossless=lossless, opaque=not first.hasalpha(), plain=sizes.plain)
    written: list[Written] = []
    animated = sizes.moves and source.moves
    if animated:
        say(0.2, "making the animation")
        side = min(_MOVING, *original)
        written.append(writing.animation(_moving(source.all_frames(), side, cut=sizes.cut)))
    else:
        say(0.2, "making the original")
        whole = first
        if max(source.size) > _TRIAL and max(original) > _TRIAL:
            whole = _upright(source.open(original, cut=sizes.cut), *original, cut=sizes.cut)
            whole = whole.flatten() if clear else whole
        written.append(writing.still("original", whole, keep_jpeg=True))
        if sizes.large and max(whole.width, whole.height) > max(sizes.large):
            say(0.6, "making the smaller ones")
            written.append(writing.still("large", _upright(first, *sizes.large, cut=False)))
    small = _upright(first, *(sizes.small or original), cut=sizes.cut).copy_memory()
    if sizes.small:
        written.append(writing.still("small", small))
    blurhash, colour = _look(small)
    say(1.0, "done")
    return Result(
        kind="image",
        files=tuple(written),
        width=written[0].width,
        height=written[0].height,
        blurhash=blurhash,
        colour=colour,
        animated=animated,
        removed=source.removed(),
    )


class _Source:
    """The file, read by the one decoder of its format."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._path = order.source
        self._held: pyvips.Image | None = None
        self._said: dict[str, bytes] = {}
        if order.format == "heic":
            self._held, self._said = frames.heic(self._path, order)
            head = self._held
        elif order.format == "apng":
            head = frames.apng(self._path, order)
        elif order.format == "gif" and _gif_ends_within(Path(self._path)):
            raise Faulty(_DAMAGED)
        else:
            head = self._load()
        self._head = head
        pages = head.get("n-pages") if head.get_typeof("n-pages") else 1
        self.moves = pages > 1 and order.format in {"gif", "webp", "apng"}
        self.size, self.upright = (head.width, head.get_page_height()), _size(head)
        _check(self.size, pages if self.moves else 1, order)
        if order.format in {"avif", "webp"} and not self.moves:
            self._held = head.copy_memory()  # its decoder holds the whole of it anyway, and is slow

    def _load(self, **options: Any) -> pyvips.Image:
        loaders: dict[str, Callable[..., pyvips.Image]] = {
            "jpeg": pyvips.Image.jpegload,
            "png": pyvips.Image.pngload,
            "gif": pyvips.Image.gifload,
            "webp": pyvips.Image.webpload,
            "avif": pyvips.Image.heifload,
        }
        return loaders[self._order.format](self._path, access="sequential", fail_on="truncated", **options)

    def open(self, box: tuple[int, int], *, cut: bool) -> pyvips.Image:
        """The picture, or the first of its frames, at no less than twice what becomes of it where it can be had so."""
        if self._held is not None:
            return self._held
        if self._order.format == "apng":
            return self._head.crop(0, 0, self._head.width, self._head.get_page_height()).copy()
        if self._order.format == "jpeg":
            times = (min(self.size) if cut else max(self.size)) / max(box)
            return self._load(shrink=next(shrink for shrink in (8, 4, 2, 1) if times >= shrink * 2 or shrink == 1))
        return self._load()

    def all_frames(self) -> pyvips.Image:
        """All frames, one below the other."""
        return self._head if self._order.format == "apng" else self._load(n=-1)

    def removed(self) -> tuple[str, ...]:
        """What was there that no file has any more, in words."""
        said = dict(self._said)
        for field in self._head.get_fields():
            if field in {"exif-data", "xmp-data", "iptc-data", "icc-profile-data"}:
                said[field] = self._head.get(field)
            elif field.startswith("png-comment-") or field == "gif-comment":
                said["comment"] = b""
        return traces.in_words(said, traces.around(Path(self._path), self._order.format))


def _gif_ends_within(path: Path) -> bool:
    """Whether a GIF ends within one of its blocks (GIF89a, 15): libvips leaves out the frame of it, and says nothing.
    One that ends behind a block lacks its end alone, which many do.
    """
    with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = 13 + traces.colours(data[10])
        while at < len(data) and data[at] in {0x21, 0x2C}:
            if data[at] == 0x21:
                at += 2
            elif at + 9 < len(data):
                at += 10 + traces.colours(data[at + 9]) + 1
            else:
                return True
            while at < len(data) and data[at]:
                at += data[at] + 1
            at += 1
        return at > len(data)


def _check(size: tuple[int, int], pages: int, order: Order) -> None:
    """What the header promised is asked again of the decoder, which is nearer to the truth."""
    if size[0] * size[1] > order.pixels or max(size) > order.side or pages > order.frames:
        raise Faulty("The picture is larger than its header tells.")


def _upright(image: pyvips.Image, width: int, height: int, *, cut: bool) -> pyvips.Image:
    """The picture turned as it is meant to be seen, in sRGB of 8 bits, no larger than this and never enlarged."""
    if cut:  # a small one has the shape, too
        width, height = _within((width, height), _size(image))
    how = {"crop": "centre"} if cut else {}
    made = _for_screens(image).thumbnail_image(width, height=height, size="down", output_profile="srgb", **how)
    if made.interpretation != "srgb":
        made = made.colourspace("srgb")
    return made if made.format == "uchar" else made.cast("uchar")


def _for_screens(image: pyvips.Image) -> pyvips.Image:
    """A picture in inks becomes one in light as browsers do it: without a profile nobody knows what the inks were."""
    if image.interpretation != "cmyk" or image.get_typeof("icc-profile-data"):
        return image
    lit = (255 - image[0:3]) * (255 - image[3]) / 255
    return lit.rint().cast("uchar").copy(interpretation="srgb")


def _moving(frames_below: pyvips.Image, side: int, *, cut: bool) -> pyvips.Image:
    """All frames upright and no larger than this, or cut to a square of this side at most, from the middle."""
    if not cut:
        return _upright(frames_below, side, side, cut=False)
    across, down = _size(frames_below)
    kept = min(side, across, down)
    scale = kept / min(across, down)
    made = _upright(frames_below, max(kept, round(across * scale)), max(kept, round(down * scale)), cut=False)
    left, top = (made.width - kept) // 2, (made.get_page_height() - kept) // 2
    if (made.width, made.get_page_height()) == (kept, kept):
        return made
    first, *rest = [frame.crop(left, top, kept, kept) for frame in made.pagesplit()]
    return first.pagejoin(rest)


def _size(image: pyvips.Image) -> tuple[int, int]:
    """Width and height of a picture, or of one of its frames, as it is meant to be seen."""
    across, down = image.width, image.get_page_height()
    lies = image.get("orientation") >= _LIES if image.get_typeof("orientation") else False
    return (down, across) if lies else (across, down)


def _within(box: tuple[int, int], bound: tuple[int, int]) -> tuple[int, int]:
    """The box, made smaller in its shape until it fits."""
    scale = min(1.0, bound[0] / box[0], bound[1] / box[1])
    return max(1, round(box[0] * scale)), max(1, round(box[1] * scale))


def _smaller_without_loss(image: pyvips.Image, *, lossy: bool) -> bool:
    """Whether a picture (at the size of the trial) is no larger without loss: drawings, screens, few colours."""
    if lossy:
        return False
    bare = image.webpsave_buffer(lossless=True, effort=_LOSSLESS_EFFORT, keep="none")
    if image.hasalpha():
        return len(bare) <= len(image.webpsave_buffer(Q=_WEBP_QUALITY, effort=_EFFORT, keep="none"))
    return len(bare) <= len(image.jpegsave_buffer(Q=_JPEG_QUALITY, keep="none"))


@dataclass(frozen=True)
class _Writing:
    """How the files of one picture are encoded."""

    lossless: bool
    opaque: bool
    plain: bool

    def still(self, role: Any, image: pyvips.Image, *, keep_jpeg: bool = False) -> Written:
        """Write one file of a picture that stands still."""
        if keep_jpeg and self.opaque and not self.lossless:
            name, media_type = f"{role}.jpg", JPEG
            image.jpegsave(name, Q=_JPEG_QUALITY, keep="none")
        elif self.plain:
            name, media_type = f"{role}.png", PNG
            image.pngsave(name, keep="none")
        else:
            name, media_type = f"{role}.webp", WEBP
            self._webp(image, name, _LOSSLESS_EFFORT if self.lossless else _EFFORT)
        return Written(role, name, media_type, image.width, image.height)

    def animation(self, image: pyvips.Image) -> Written:
        """Write all frames; each is shown as long as before, and the whole as often."""
        self._webp(image, "original.webp", _MOVING_EFFORT)
        return Written("original", "original.webp", WEBP, image.width, image.get_page_height())

    def _webp(self, image: pyvips.Image, name: str, effort: int) -> None:
        if self.lossless:
            image.webpsave(name, lossless=True, effort=effort, keep="none")
        else:
            image.webpsave(name, Q=_WEBP_QUALITY, effort=effort, keep="none")


def _look(small: pyvips.Image) -> tuple[str, str]:
    """The blurhash, and the average colour as #rrggbb; what is transparent counts as white."""
    bare = small.flatten(background=255) if small.hasalpha() else small
    tiny = bare.thumbnail_image(64, height=64, size="down")
    across, down = (4, 3) if tiny.width >= tiny.height else (3, 4)
    blurhash = blurhash_rs.encode_rgb(bytes(tiny.write_to_memory()), tiny.width, tiny.height, across, down)
    return blurhash, "#" + "".join(f"{round(tiny[band].avg()):02x}" for band in range(3))
