"""usage: ours_media.py FILE: has it processed as an upload, with the settings that the server comes with.

Tells the child's peak (MiB) and processor time, the seconds, by how much the memory of this process grew meanwhile and
how much of that is left, the longest side and the bytes of what was made, and the limits of the settings.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import pyvips
import uvloop
from ours_many import rss_anon
from starting import told
from strangers_door import growth

from privapub.media import ffmpeg
from privapub.media.process import MIB, Made, Want, bounds_of, process
from privapub.settings import load


async def measure(source: Path) -> None:
    """Process it."""
    bounds = bounds_of(load({}).settings)
    programs = ffmpeg.find("")

    async def once(file: Path) -> tuple[Made, int]:
        with tempfile.TemporaryDirectory(prefix="privapub-bench-made-") as folder:
            made = await process(file, Path(folder), Want("post"), bounds, programs=programs)
            return made, sum(each.bytes for each in made.files)

    with tempfile.TemporaryDirectory(prefix="privapub-bench-first-") as folder:
        small = Path(folder) / "small.png"
        await asyncio.to_thread(pyvips.Image.black(8, 8).pngsave, str(small))
        await once(small)  # what is loaded once is not counted
    before, began = rss_anon(), time.perf_counter()
    (made, size), grown = await growth(lambda: once(source))
    told({
        "peak": made.peak / 1024, "cpu": made.cpu, "seconds": time.perf_counter() - began,
        "grown": grown, "left": rss_anon() - before,
        "longest": max(made.width or 0, made.height or 0), "bytes": size,
        "memory": bounds.memory / MIB, "most_cpu": bounds.seconds, "most_film_cpu": bounds.film_seconds,
    })  # fmt: skip


if __name__ == "__main__":
    uvloop.run(measure(Path(sys.argv[1])))
