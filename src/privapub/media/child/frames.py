"""Pictures that libvips does not read: HEIC, and PNG that moves. They become images of libvips here."""

from pathlib import Path

import pillow_heif
import pyvips
from PIL import Image

from privapub.media.child.order import Faulty, Order

_BANDS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_SIDE = 1280  # to which frames are made smaller before they are laid down
_RAW = "frames.raw"


def heic(path: str, order: Order) -> tuple[pyvips.Image, dict[str, bytes]]:
    """The main picture of a HEIC, upright (its turning is no metadata but a part of it), and what else was in it."""
    try:
        opened = pillow_heif.open_heif(path, convert_hdr_to_8bit=True)
        if opened.size[0] * opened.size[1] > order.pixels or max(opened.size) > order.side:
            raise Faulty("The picture is larger than its header tells.")
        info = dict(opened.info)
        picture = opened.to_pillow()
    except (OSError, ValueError, EOFError, SyntaxError, RuntimeError) as error:
        raise Faulty("The picture cannot be read: it is damaged or cut off.") from error
    if picture.mode not in _BANDS:
        picture = picture.convert("RGBA" if "A" in picture.mode else "RGB")
    image = _image(picture)
    names = {"exif": "exif-data", "xmp": "xmp-data", "icc_profile": "icc-profile-data"}
    said = {ours: bytes(info[name]) for name, ours in names.items() if info.get(name)}
    if "icc-profile-data" in said:
        image.set_type(pyvips.GValue.blob_type, "icc-profile-data", said["icc-profile-data"])
    return image, said


def apng(path: str, order: Order) -> pyvips.Image:
    """The frames of a PNG, one below the other, as a GIF of libvips would be; they lie in a file meanwhile."""
    delays: list[int] = []
    try:
        with Image.open(path, formats=["PNG"]) as source, Path(_RAW).open("wb") as raw:
            frames, loop = getattr(source, "n_frames", 1), int(source.info.get("loop", 0))
            if frames > order.frames or source.width * source.height > order.pixels:
                raise Faulty("The picture is larger than its header tells.")
            # Not a frame: it is what stands there for those who know no animation.
            first = 1 if source.info.get("default_image") and frames > 1 else 0
            size = source.size
            for number in range(first, frames):
                source.seek(number)
                frame = source.convert("RGBA")
                frame.thumbnail((_SIDE, _SIDE))
                size = frame.size
                raw.write(frame.tobytes())
                delays.append(round(float(source.info.get("duration", 100))))
            profile = source.info.get("icc_profile")
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        raise Faulty("The picture cannot be read: it is damaged or cut off.") from error
    pyvips.operation_block_set("VipsForeignLoadRaw", False)  # which is blocked for what strangers wrote; this is ours
    image = pyvips.Image.rawload(_RAW, size[0], size[1] * len(delays), 4).copy(interpretation="srgb")
    for name, kind, value in (
        ("page-height", pyvips.GValue.gint_type, size[1]),
        ("n-pages", pyvips.GValue.gint_type, len(delays)),
        ("loop", pyvips.GValue.gint_type, loop),
        ("delay", pyvips.GValue.array_int_type, delays),
    ):
        image.set_type(kind, name, value)
    if profile:
        image.set_type(pyvips.GValue.blob_type, "icc-profile-data", profile)
    return image


def _image(picture: Image.Image) -> pyvips.Image:
    bands = _BANDS[picture.mode]
    image = pyvips.Image.new_from_memory(picture.tobytes(), picture.width, picture.height, bands, "uchar")
    return image.copy(interpretation="b-w" if bands <= 2 else "srgb")
