"""usage: pyvips_media.py FILE: a photograph in the same sizes, formats and qualities as ours, by pyvips alone.

Each size is read from the file by itself, as pyvips does it best: what is not needed of a JPEG is not decoded. Tells
its peak (MiB) and processor time, from the start of Python, and the longest side and the bytes of what was made.
"""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

os.environ["VIPS_CONCURRENCY"] = "1"  # as ours

import pyvips

LONGEST, LARGE, SMALL = 3840, 1280, 400


def main(source: str, folder: Path) -> None:
    """Make the three."""
    paths = [folder / name for name in ("original.jpg", "large.webp", "small.webp")]

    def made(side: int) -> pyvips.Image:
        return pyvips.Image.thumbnail(source, side, height=side, size="down", output_profile="srgb")

    original = made(LONGEST)
    original.jpegsave(str(paths[0]), Q=84, keep="none")
    for path, side in zip(paths[1:], (LARGE, SMALL), strict=True):
        made(side).webpsave(str(path), Q=80, effort=3, keep="none")
    used = resource.getrusage(resource.RUSAGE_SELF)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(json.dumps({
        "peak": int(status.partition("VmHWM:")[2].split()[0]) / 1024, "cpu": used.ru_utime + used.ru_stime,
        "longest": max(original.width, original.height), "bytes": sum(path.stat().st_size for path in paths),
    }))  # fmt: skip


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="privapub-bench-made-") as made_in:
        main(sys.argv[1], Path(made_in))
