"""Whatever can be planted in a picture, a film or a sound is found in what comes in, and in nothing that goes out."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planted import pictures
from planted.words import Planted, within
from privapub.media import ffmpeg
from privapub.media.process import Want, bounds_of, process
from privapub.settings import Settings

# What exiftool may say of a file that we made, by group: sizes, colour types, and what its format cannot be without.
ALLOWED = {
    # Of the file on this disk, of exiftool itself, and what it reckons out of the rest.
    "ExifTool": {"ExifToolVersion"},
    "System": {
        "FileName", "Directory", "FileSize", "FileModifyDate", "FileAccessDate", "FileInodeChangeDate",
        "FilePermissions",
    },
    "Composite": {"ImageSize", "Megapixels", "AvgBitrate", "Rotation"},
    # What kind of file it is, its size, and how its pixels are encoded.
    "File": {
        "FileType", "FileTypeExtension", "MIMEType", "ImageWidth", "ImageHeight", "EncodingProcess", "BitsPerSample",
        "ColorComponents", "YCbCrSubSampling",
    },
    # Every JPEG begins so; the resolution is a fixed one.
    "JFIF": {"JFIFVersion", "ResolutionUnit", "XResolution", "YResolution"},
    # WebP: the size, the way of encoding, whether something shines through, and how an animation goes.
    "RIFF": {
        "VP8Version", "ImageWidth", "ImageHeight", "HorizontalScale", "VerticalScale", "WebP_Flags", "AlphaIsUsed",
        "AlphaPreprocessing", "AlphaFiltering", "AlphaCompression", "BackgroundColor", "AnimationLoopCount",
        "FrameCount", "Duration",
    },
}  # fmt: skip


def _form(each: Planted) -> str:
    return each.form


PICTURES = {form: list(them) for form, them in groupby(sorted(pictures.all_pictures(), key=_form), key=_form)}


@pytest.fixture(scope="module")
def exiftool() -> str:
    found = shutil.which("exiftool")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("there is no exiftool")
        pytest.skip("needs exiftool")
    return found


def told(exiftool: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """All that exiftool knows of these files, pictures and tracks within them too, by group and tag."""
    command = [exiftool, "-j", "-b", "-a", "-G1", "-ee", "-u", "-U", "-q", "-q", *map(str, paths)]
    said = subprocess.run(command, capture_output=True, check=False).stdout  # noqa: S603 - Debian's
    found: list[dict[str, Any]] = msgspec.json.decode(said)
    assert [each.pop("SourceFile") for each in found] == [str(path) for path in paths]
    return found


def of_no_need(tags: dict[str, Any]) -> dict[str, Any]:
    """What exiftool says that need not be there."""
    split = {name: name.partition(":") for name in tags}
    return {name: tags[name] for name, (group, _, tag) in split.items() if tag not in ALLOWED.get(group, ())}


@pytest.mark.parametrize("form", PICTURES)
async def test_nothing_that_was_planted_in_a_picture_is_left(form: str, tmp_path: Path, exiftool: str) -> None:
    planted = PICTURES[form]
    await nothing_is_left(planted, tmp_path, exiftool, None)


async def nothing_is_left(
    planted: list[Planted], tmp_path: Path, exiftool: str, programs: ffmpeg.Programs | None
) -> None:
    sources, made = [], []
    for number, each in enumerate(planted):
        source, folder = tmp_path / f"{number}.{each.ending}", tmp_path / f"made{number}"
        source.write_bytes(each.data)
        folder.mkdir()
        found = await process(source, folder, Want("post"), bounds_of(Settings()), programs=programs)
        sources.append(source)
        made.append([file.path for file in found.files])
    flat = [path for paths in made for path in paths]
    said = told(exiftool, [*sources, *flat])
    coming, going = said[: len(sources)], dict(zip(flat, said[len(sources) :], strict=True))
    assert all(each.words for each in planted)
    assert any(of_no_need(tags) for tags in coming), "exiftool finds nothing in what comes in"
    for each, tags, paths in zip(planted, coming, made, strict=True):
        unfound = [kind for kind, word in each.words.items() if not within(word, each.data, tags)]
        assert not unfound, f"{each.name}: not planted"
        for path in paths:
            data = path.read_bytes()
            left = [kind for kind, word in each.words.items() if within(word, data, going[path])]
            assert not left, f"{each.name}: left in {path.name}"
            assert of_no_need(going[path]) == {}, f"{each.name}: {path.name}"
