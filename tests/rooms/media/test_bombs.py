"""What is small and asks for much is refused in a sentence or takes little, and the server goes on."""

import asyncio
import re
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from makers import make_persona
from planted import bombs, film_bombs
from privapub.database.connect import Database
from privapub.errors import InvalidInput
from privapub.media import ffmpeg, read, sniff
from privapub.media.accept import MEDIA, accept
from privapub.media.let_go import UNSTORE
from privapub.media.process import MediaTrouble, Want, bounds_of, process
from privapub.settings import Settings
from uploading import kept, pieces, run, server_of

PICTURES = bombs.pictures()
LITTLE = 120 * 1024  # KiB of memory
# The bounds are found sooner than with those by default.
TIGHT = {"media_memory": 384, "media_seconds": 2, "media_film_seconds": 30}
BOUNDS = bounds_of(Settings(**TIGHT))  # type: ignore[arg-type]  # numbers


async def outcome(data: bytes, tmp_path: Path, programs: ffmpeg.Programs | None = None) -> str:
    """What is said of a file; "" where it was made, and took little."""
    source, folder = tmp_path / "source", tmp_path / "made"
    source.write_bytes(data)
    folder.mkdir(exist_ok=True)
    try:
        made = await process(source, folder, Want("post"), BOUNDS, programs=programs)
    except (InvalidInput, MediaTrouble) as refused:
        assert list(folder.iterdir()) == []
        return str(refused)
    assert made.peak < LITTLE
    for each in made.files:
        each.path.unlink()
    return ""


def fits(said: str, pattern: str) -> bool:
    return bool(re.search(pattern, said)) if pattern else said == ""


@pytest.mark.parametrize("name", PICTURES)
async def test_a_picture_that_asks_for_much_is_refused_or_takes_little(name: str, tmp_path: Path) -> None:
    make, pattern = PICTURES[name]
    said = await outcome(make(), tmp_path)
    assert fits(said, pattern), said


async def test_a_film_that_asks_for_much_is_refused_or_takes_little(tmp_path: Path, programs: ffmpeg.Programs) -> None:
    other: dict[str, str] = {}
    for name, pattern, data in film_bombs.films(programs.ffmpeg, tmp_path):
        said = await outcome(data, tmp_path, programs)
        if not fits(said, pattern):
            other[name] = said
    assert other == {}


class Counted(BytesIO):
    """A file that counts how often it is read, and what the largest piece was that was asked for."""

    reads, largest = 0, 0

    def read(self, size: int | None = -1) -> bytes:
        self.reads += 1
        self.largest = max(self.largest, size if size is not None and size >= 0 else len(self.getbuffer()))
        return super().read(size)


LONG = 4_000_000
HEADS = {
    "JPEG of fill bytes": b"\xff\xd8" + b"\xff" * LONG,
    "JPEG of empty segments": b"\xff\xd8" + b"\xff\xe0\0\2" * (LONG // 4),
    "PNG of empty chunks": bombs.png(9, 9)[:33] + (bytes(4) + b"teXt" + bytes(4)) * (LONG // 12),
    "GIF of empty blocks": bombs.gif(1)[:-1] + b"\x21\xf9\0" * (LONG // 3),
    "GIF of small blocks": bombs.gif(1)[:-1] + b"\x21\xfe" + b"\1x" * (LONG // 2),
    "WebP of empty chunks": bombs.webp_sized(9, 9)[:20]
    + b"\2"
    + bombs.webp_sized(9, 9)[21:30]
    + b"ANMF\0\0\0\0" * (LONG // 8),
    "boxes of no length": b"\0\0\0\0ftypavif" + bytes(LONG),
    "boxes too short": b"\0\0\0\2ftypavif" + bytes(LONG),
    "a description of no length": b"\0\0\0\x0cftypavif\0\0\0\4meta" + bytes(LONG),
    "very many boxes": b"\0\0\0\x0cftypavif" + b"\0\0\0\x08free" * (LONG // 8),
    "a long description": b"\0\0\0\x0cftypavif" + (LONG + 8).to_bytes(4, "big") + b"meta" + bytes(LONG),
}


@pytest.mark.parametrize("name", HEADS)
def test_no_header_is_long_to_read(name: str) -> None:
    source = Counted(HEADS[name])
    seen = sniff.picture(source)
    assert seen is None or seen.frames > BOUNDS.frames
    assert source.reads < 500_000
    assert source.largest <= 1 << 20


def memory(name: str) -> int:
    """A size of this process, in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def forget_peak() -> None:
    """Let the largest size of this process (VmHWM) begin anew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def children() -> set[str]:
    return {number for each in Path("/proc/self/task").iterdir() for number in (each / "children").read_text().split()}


@pytest.fixture
async def sqlite_database(sqlite_url: str) -> AsyncIterator[Database]:
    opened = Database(sqlite_url)
    yield opened
    await opened.close()


async def test_twenty_at_once_harm_nothing_and_what_is_good_becomes_ready(
    sqlite_database: Database, tmp_path: Path, programs: ffmpeg.Programs
) -> None:
    server = server_of(sqlite_database, tmp_path, **TIGHT | {"media_seconds": 1})
    async with sqlite_database.write() as tx:
        alice = await make_persona(tx)
    made = {name: make() for name, (make, _) in PICTURES.items()}
    (tmp_path / "maker").mkdir()
    made |= {name: data for name, _, data in film_bombs.films(programs.ffmpeg, tmp_path / "maker")}
    chosen = [*list(made.items())[::2], *list(made.items())[1::2]][:20]
    good = BytesIO()
    Image.new("RGB", (60, 40), "teal").save(good, "JPEG")
    uploads = [data for _, data in chosen]
    uploads.insert(10, good.getvalue())
    before, alone = memory("VmRSS"), children()
    forget_peak()
    taken = await asyncio.gather(
        *(accept(server, alice.id, pieces(data, 65536)) for data in uploads), return_exceptions=True
    )
    assert all(isinstance(each, int | InvalidInput) for each in taken)
    await run(server, MEDIA, UNSTORE)
    async with sqlite_database.read() as tx:
        rows = [await read.by_id(tx, each) if isinstance(each, int) else None for each in taken]
    found = [row for row in rows if row is not None]
    assert len(found) > 5
    assert all(row.state in {"ready", "failed"} for row in found)
    assert all(row.why and row.source is None for row in found if row.state == "failed")
    assert rows[10] is not None
    assert (rows[10].state, rows[10].width) == ("ready", 60)
    assert children() <= alone
    assert memory("VmHWM") - before < 80 * 1024
    assert len(await kept(server.files)) == sum(len(row.files) for row in found)
