"""usage: pictures.py FOLDER: makes the files that are processed: photo.jpg, photo.heic, moving.gif, and film.mp4.

The film only where there is an ffmpeg; `film` says whether there is.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pillow_heif
import pyvips
from PIL import Image
from PIL.Image import Dither
from starting import told

PHOTO, HEIC, MOVING = (6000, 4000), (4032, 3024), (640, 480)
FRAMES = 200
FILM = (
    "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30", "-f", "lavfi", "-i", "sine=frequency=440", "-t", "10",
    "-vf", "noise=alls=8:allf=t", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac",
)  # fmt: skip


def photo(width: int, height: int) -> pyvips.Image:
    """As busy as a photograph: large and small shapes in colours, and grain."""

    def band(number: int) -> pyvips.Image:
        made = pyvips.Image.gaussnoise(width, height, sigma=3, mean=128, seed=number)
        for shape, strength in ((64, 60), (8, 20)):
            small = pyvips.Image.gaussnoise(
                width // shape + 2, height // shape + 2, sigma=strength, mean=0, seed=shape + number
            )
            made += small.resize(shape, kernel="cubic").crop(0, 0, width, height)
        return made

    bands = [band(number) for number in range(3)]
    return bands[0].bandjoin(bands[1:]).cast("uchar").copy(interpretation="srgb")


def make(folder: Path) -> bool:
    """All of them; whether the film is one."""
    photo(*PHOTO).jpegsave(str(folder / "photo.jpg"), Q=92)
    heic = pillow_heif.from_bytes("RGB", HEIC, bytes(photo(*HEIC).write_to_memory()))
    heic.save(folder / "photo.heic", quality=80, enc_params={"preset": "ultrafast"})
    width, height = MOVING
    ground = (width + FRAMES, height + FRAMES)
    drawn = Image.frombytes("RGB", ground, bytes(photo(*ground).write_to_memory())).quantize(256, dither=Dither.NONE)
    first, *rest = [drawn.crop((step, step, step + width, step + height)) for step in range(FRAMES)]
    first.save(folder / "moving.gif", save_all=True, append_images=rest, duration=40, loop=0)
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is not None:
        subprocess.run([ffmpeg, "-v", "error", *FILM, str(folder / "film.mp4")], check=True)  # noqa: S603 - on the PATH
    return ffmpeg is not None


if __name__ == "__main__":
    told({"film": make(Path(sys.argv[1]))})
