"""Files that are not what they should be, and children that are not what they were: a sentence, and nothing left."""

import io
import os
import select
import signal
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image

from planted import pictures
from planted.pictures import box, segment
from privapub.media import ffmpeg, sandbox
from privapub.media.process import BadMedia, Bounds, Made, MediaTrouble, Want, bounds_of, process
from privapub.media.sandbox import Ended, Limits, Tell
from privapub.settings import Settings

BOUNDS = bounds_of(Settings())
CUT = "damaged or cut off"


async def made(
    data: bytes,
    tmp_path: Path,
    programs: ffmpeg.Programs | None = None,
    *,
    name: str = "source",
    bounds: Bounds = BOUNDS,
    tell: Tell | None = None,
) -> Made:
    source, folder = tmp_path / name, tmp_path / "made"
    source.write_bytes(data)
    folder.mkdir()
    return await process(source, folder, Want("post"), bounds, tell, programs=programs)


def left(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "made").iterdir())


# Cut off, and of wrong lengths


def noisy(kind: str, mode: str = "RGB", *, moves: bool = False, **options: object) -> bytes:
    """A picture whose pixels take most of its file."""
    frames = [Image.effect_noise((120, 90), 60).convert(mode) for _ in range(3 if moves else 1)]
    more = {"save_all": True, "append_images": frames[1:], "duration": 80} if moves else {}
    data = io.BytesIO()
    frames[0].save(data, kind, **more, **options)
    return data.getvalue()


def heic() -> bytes:
    data = io.BytesIO()
    pillow_heif.from_pillow(Image.effect_noise((120, 90), 60).convert("RGB")).save(data)
    return data.getvalue()


WHOLE: dict[str, Callable[[], bytes]] = {
    "JPEG": lambda: noisy("JPEG"),
    "progressive JPEG": lambda: noisy("JPEG", progressive=True),
    "CMYK JPEG": lambda: noisy("JPEG", "CMYK"),
    "PNG": lambda: noisy("PNG"),
    "APNG": lambda: noisy("PNG", moves=True),
    "GIF": lambda: noisy("GIF", "P"),
    "animated GIF": lambda: noisy("GIF", moves=True),
    "WebP": lambda: noisy("WEBP"),
    "WebP without loss": lambda: noisy("WEBP", lossless=True),
    "animated WebP": lambda: noisy("WEBP", moves=True),
    "AVIF": lambda: noisy("AVIF"),
    "HEIC": heic,
}


@pytest.mark.parametrize("share", [0.5, 0.97])
@pytest.mark.parametrize("form", WHOLE)
async def test_a_picture_that_is_cut_off_is_said_to_be(form: str, share: float, tmp_path: Path) -> None:
    data = WHOLE[form]()
    with pytest.raises(BadMedia, match=CUT):
        await made(data[: int(len(data) * share)], tmp_path)
    assert left(tmp_path) == []


FILMS = {
    "mp4": "libx264", "mov": "libx264", "mkv": "libx264", "webm": "libvpx", "m4a": "aac", "flac": "flac",
    "wav": "pcm_s16le", "mp3": "libmp3lame", "ogg": "libvorbis",
}  # fmt: skip


@pytest.mark.parametrize("ending", FILMS)
async def test_a_film_or_a_sound_that_is_cut_off_is_said_to_be_or_ends_there(
    ending: str, tmp_path: Path, programs: ffmpeg.Programs
) -> None:
    codec, whole = FILMS[ending], tmp_path / f"whole.{ending}"
    film = codec.startswith("lib") and ending not in {"mp3", "ogg"}
    lavfi = "testsrc2=s=64x48:d=6:r=5" if film else "sine=d=6"
    given(str(programs.ffmpeg), "-f", "lavfi", "-i", lavfi, f"-c:{'v' if film else 'a'}", codec, str(whole))
    data = whole.read_bytes()[: whole.stat().st_size // 3]
    if ending in {"mp3", "wav"}:  # where the end of the file is the end
        assert 1 < ((await made(data, tmp_path, programs)).duration or 0) < 4
        return
    with pytest.raises(BadMedia, match=CUT):
        await made(data, tmp_path, programs)
    assert left(tmp_path) == []


def given(program: str, *arguments: str) -> None:
    subprocess.run([program, "-v", "error", "-nostdin", "-y", *arguments], check=True)  # noqa: S603 - the one found


def with_length(data: bytes, at: bytes, offset: int, form: str, value: int) -> bytes:
    """The same with a number changed at so many bytes from the first place where these stand."""
    changed = bytearray(data)
    struct.pack_into(form, changed, data.index(at) + offset, value)
    return bytes(changed)


NO_PICTURE = "no picture"
EITHER = f"{CUT}|{NO_PICTURE}"
LENGTHS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a segment of a JPEG too long": (lambda: with_length(noisy("JPEG"), b"\xff\xdb", 2, ">H", 0xFFFF), EITHER),
    "a segment of a JPEG of no length": (lambda: with_length(noisy("JPEG"), b"\xff\xdb", 2, ">H", 0), EITHER),
    "a chunk of a PNG too long": (lambda: with_length(noisy("PNG"), b"IDAT", -4, ">I", 0x7FFFFFFF), CUT),
    "a chunk of a PNG of 2³²": (lambda: with_length(noisy("PNG"), b"IDAT", -4, ">I", 0xFFFFFFFF), CUT),
    "a PNG of more lines than it has": (lambda: with_length(noisy("PNG"), b"IHDR", 8, ">I", 900), CUT),
    "a WebP that is shorter than it says": (lambda: with_length(noisy("WEBP"), b"VP8 ", 4, "<I", 1 << 30), CUT),
    "an AVIF whose item is elsewhere": (lambda: with_length(noisy("AVIF"), b"iloc", 20, ">I", 1 << 30), EITHER),
    "a HEIC whose description is too long": (lambda: with_length(heic(), b"meta", -4, ">I", 1 << 30), EITHER),
    "an MP4 of one long box": (
        lambda: box(b"ftyp", b"isom\0\0\0\0isom") + b"\x7f\xff\xff\xffmoov" + bytes(99), f"{CUT}|neither film",
    ),
    "an MP3 of one long tag": (lambda: b"ID3\4\0\0\x7f\x7f\x7f\x7f" + bytes(999), CUT),
    "a WAV of nothing": (lambda: b"RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\xff" + bytes(99), CUT),
    "a FLAC of nothing": (lambda: b"fLaC\x80\xff\xff\xff" + bytes(99), CUT),
}  # fmt: skip


@pytest.mark.parametrize("name", LENGTHS)
async def test_a_wrong_length_is_a_fault_of_the_file(name: str, tmp_path: Path, programs: ffmpeg.Programs) -> None:
    make, said = LENGTHS[name]
    with pytest.raises(BadMedia, match=said):
        await made(make(), tmp_path, programs)
    assert left(tmp_path) == []


# Two formats at once, and names that say something else


def archive() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.writestr("other.html", "<script>alert(1)</script>")
    return data.getvalue()


PAGE = b"<html><script>alert(1)</script></html>"
PDF = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R/Encrypt 3 0 R>>\n%%EOF"


def gif_script() -> bytes:
    """A GIF whose width is the beginning of a comment of JavaScript."""
    data = bytearray(pictures.saved("GIF", "P"))
    data[6:10] = b"/*\x40\0"
    return bytes(data[6:])


def png_page() -> bytes:
    data = pictures.saved("PNG")
    return data[:33] + pictures.chunk(b"tEXt", b"Comment\0" + PAGE) + data[33:]


BOTH: dict[str, tuple[Callable[[], bytes], bytes]] = {
    "GIF and JavaScript": (lambda: b"GIF89a" + gif_script() + b"*/=alert(1)//", b"alert"),
    "JPEG and ZIP": (lambda: pictures.saved("JPEG") + archive(), b"PK\3\4"),
    "JPEG and PDF": (lambda: segment(pictures.saved("JPEG"), 0xFE, PDF), b"%PDF"),
    "JPEG and PHP": (lambda: segment(pictures.saved("JPEG"), 0xFE, b"<?php system($_GET[0]); ?>"), b"<?php"),
    "PNG and a page": (lambda: pictures.saved("PNG") + PAGE, b"<script"),
    "PNG and a page in a text": (png_page, b"<script"),
    "WebP and a page": (lambda: pictures.saved("WEBP") + PAGE, b"<script"),
    "AVIF and a page": (lambda: pictures.saved("AVIF") + box(b"free", PAGE), b"<script"),
    "GIF and ZIP": (lambda: pictures.saved("GIF", "P") + archive(), b"PK\3\4"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOTH)
async def test_of_two_formats_at_once_only_the_picture_is_left(name: str, tmp_path: Path) -> None:
    make, other = BOTH[name]
    data = make()
    assert other in data
    found = await made(data, tmp_path)
    for each in found.files:
        written = each.path.read_bytes()
        assert other not in written
        with Image.open(each.path) as picture:
            assert picture.format in {"JPEG", "WEBP"}


@pytest.mark.parametrize("data", [PDF + pictures.saved("JPEG"), archive() + pictures.saved("PNG"), PDF, PAGE])
async def test_what_begins_as_something_else_is_no_picture(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadMedia, match=NO_PICTURE):
        await made(data, tmp_path, name="holiday.jpg")
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", ["holiday.svg", "page.html", "-rf", "a b;c$(d).gif", "%d.png", "x[n=-1].pdf", "\n"])
async def test_names_say_nothing_and_do_nothing(name: str, tmp_path: Path) -> None:
    found = await made(pictures.saved("PNG"), tmp_path, name=name)
    assert (found.kind, found.width) == ("image", 96)
    assert {each.path.parent for each in found.files} == {tmp_path / "made"}


async def test_a_name_with_path_parts_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    found = await made(pictures.saved("PNG"), tmp_path, name="other/../source")
    assert sorted(each.path.name for each in found.files) == sorted(path.name for path in left(tmp_path))


# Children that loop, die, or have been taken over


Program = Callable[[int], str | None]  # what runs instead of the child, by the number of the attempt; None: the child


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Callable[[Program], list[int]]:
    """Let other programs run where the child would, in the same sandbox; the list grows with each attempt."""
    run = sandbox.run

    def begin(program: Program) -> list[int]:
        attempts: list[int] = []

        async def other(argv: list[str], *, folder: Path, limits: Limits, tell: Tell | None = None) -> Ended:
            attempts.append(len(attempts) + 1)
            code = program(attempts[-1])
            chosen = argv if code is None else [sys.executable, "-I", "-c", code]
            return await run(chosen, folder=folder, limits=limits, tell=tell)

        monkeypatch.setattr(sandbox, "run", other)
        return attempts

    return begin


async def test_a_decoder_that_loops_is_ended_and_tried_once_more(
    tmp_path: Path, instead: Callable[[Program], list[int]]
) -> None:
    attempts = instead(lambda _: "while True: pass")
    with pytest.raises(MediaTrouble, match="asks for more time"):
        await made(pictures.saved("PNG"), tmp_path, bounds=replace(BOUNDS, seconds=1))
    assert attempts == [1, 2]
    assert left(tmp_path) == []


# It works, together with a process that it started, until it is killed.
_WORKS = (
    "import os, signal, subprocess, sys\n"
    "other = subprocess.Popen([sys.executable, '-I', '-c', 'import signal; signal.pause()'])\n"
    "open('unfinished.webp', 'wb').write(bytes(9999))\n"
    "print('[0.5, \"' + f'{os.getpid()} {other.pid}' + '\"]', flush=True)\n"
    "signal.pause()"
)


class Killer:
    """Kills whoever tells of himself, and remembers who it was."""

    def __init__(self) -> None:
        self.killed: list[int] = []

    async def __call__(self, _share: float, what: str) -> None:
        told = [int(number) for number in what.split() if number.isdigit()]
        if told:
            self.killed += told
            os.kill(told[0], signal.SIGKILL)

    def all_gone(self) -> bool:
        return not any(self._runs(number) for number in self.killed)

    @staticmethod
    def _runs(number: int) -> bool:
        try:
            process = os.pidfd_open(number)
        except ProcessLookupError:
            return False
        try:
            return not select.select([process], [], [], 30)[0]
        finally:
            os.close(process)


async def test_a_child_that_is_killed_is_tried_once_more(
    tmp_path: Path, instead: Callable[[Program], list[int]]
) -> None:
    attempts, killer = instead(lambda attempt: _WORKS if attempt == 1 else None), Killer()
    found = await made(pictures.saved("PNG"), tmp_path, tell=killer)
    assert attempts == [1, 2]
    assert found.width == 96
    assert sorted(path.name for path in left(tmp_path)) == sorted(each.path.name for each in found.files)
    assert len(killer.killed) == 2
    assert killer.all_gone()


async def test_one_that_is_killed_twice_has_failed_with_a_sentence(
    tmp_path: Path, instead: Callable[[Program], list[int]]
) -> None:
    attempts, killer = instead(lambda _: _WORKS), Killer()
    with pytest.raises(MediaTrouble, match="could not be processed"):
        await made(pictures.saved("PNG"), tmp_path, tell=killer)
    assert attempts == [1, 2]
    assert left(tmp_path) == []
    assert len(killer.killed) == 4
    assert killer.all_gone()


_ANSWERS = "import json; json.dump({'files': [%r]}, open('result.json', 'w'))"
_OTHER = {"role": "original", "name": "original.webp", "media_type": "image/webp", "width": 96, "height": 64}
TAKEN_OVER = {
    "a path": _ANSWERS % (_OTHER | {"name": "../source"}),
    "a whole path": _ANSWERS % (_OTHER | {"name": "/etc/passwd"}),
    "the folder": _ANSWERS % (_OTHER | {"name": "."}),
    "a link": "import os; os.symlink('../source', 'original.webp');" + _ANSWERS % _OTHER,
    "a pipe": "import os; os.mkfifo('original.webp');" + _ANSWERS % _OTHER,
    "a page": "open('original.webp', 'w').write('<html>');" + _ANSWERS % _OTHER,
    "another format": "import shutil; shutil.copy('../source', 'original.webp');" + _ANSWERS % _OTHER,
    "a type that is not given out": _ANSWERS % (_OTHER | {"name": "order.json", "media_type": "text/html"}),
    "nothing": "import json; json.dump({}, open('result.json', 'w'))",
    "an answer that is a pipe": "import os; os.mkfifo('result.json')",
    "an answer that is a device": "import os; os.symlink('/dev/zero', 'result.json')",
    "an answer without end": "open('result.json', 'w').write(' ' * (2 << 20) + '{}')",
    "no JSON": "open('result.json', 'w').write('[' * 100000)",
}


@pytest.mark.parametrize("name", TAKEN_OVER)
async def test_a_child_that_was_taken_over_is_not_believed(
    name: str, tmp_path: Path, instead: Callable[[Program], list[int]]
) -> None:
    instead(lambda _: TAKEN_OVER[name])
    with pytest.raises(MediaTrouble):
        await made(pictures.saved("PNG"), tmp_path)
    assert left(tmp_path) == []
