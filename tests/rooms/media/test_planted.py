"""Whatever can be planted in a picture, a film or a sound is found in what comes in, and in nothing that goes out."""

import subprocess
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planted import pictures
from planted.allowed import of_no_need
from planted.films import Maker
from planted.words import Planted, within
from privapub.media import ffmpeg
from privapub.media.process import Want, bounds_of, process
from privapub.settings import Settings


def _form(each: Planted) -> str:
    return each.form


PICTURES = {form: list(them) for form, them in groupby(sorted(pictures.all_pictures(), key=_form), key=_form)}


def told(exiftool: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """All that exiftool knows of these files, pictures and tracks within them too, by group and tag."""
    command = [exiftool, "-j", "-b", "-a", "-G1", "-ee", "-u", "-U", "-q", "-q", *map(str, paths)]
    said = subprocess.run(command, capture_output=True, check=False).stdout  # noqa: S603 - Debian's
    found: list[dict[str, Any]] = msgspec.json.decode(said)
    assert [each.pop("SourceFile") for each in found] == [str(path) for path in paths]
    return found


@pytest.mark.parametrize("form", PICTURES)
async def test_nothing_that_was_planted_in_a_picture_is_left(form: str, tmp_path: Path, exiftool: str) -> None:
    planted = PICTURES[form]
    await nothing_is_left(planted, tmp_path, exiftool, None)


async def test_nothing_that_was_planted_in_a_film_or_a_sound_is_left(
    tmp_path: Path, exiftool: str, programs: ffmpeg.Programs
) -> None:
    (tmp_path / "maker").mkdir()
    await nothing_is_left(list(Maker(programs.ffmpeg, tmp_path / "maker")), tmp_path, exiftool, programs)


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
