"""ffmpeg is looked for once, and what is wrong with it is said."""

import os
from pathlib import Path

import pytest

from privapub.errors import OperatorError
from privapub.media import ffmpeg

GOOD = """#!/bin/sh
case "$*" in
  *encoders*) echo " V....D libx264   H.264"; echo " A....D aac   AAC";;
  *) echo "ffmpeg version 5.1.9-x Copyright";;
esac
"""


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(script, encoding="utf-8")
    path.chmod(0o700)
    return path


def test_the_one_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    here, probe = program(tmp_path, "ffmpeg", GOOD), program(tmp_path, "ffprobe", GOOD)
    assert ffmpeg.find("") == ffmpeg.Programs(here, probe, "5.1.9-x")


def test_the_one_that_is_named_is_found(tmp_path: Path) -> None:
    here, probe = program(tmp_path, "ffmpeg-own", GOOD), program(tmp_path, "ffprobe", GOOD)
    assert ffmpeg.find(str(here)) == ffmpeg.Programs(here, probe, "5.1.9-x")


def test_where_there_is_none_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ffmpeg.find("") is None


def test_what_cannot_be_used_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/bin-that-is-not-there")
    with pytest.raises(OperatorError, match="is no program"):
        ffmpeg.find(str(tmp_path / "none"))
    here = str(program(tmp_path, "ffmpeg", GOOD))
    with pytest.raises(OperatorError, match="no ffprobe"):
        ffmpeg.find(here)
    program(tmp_path, "ffprobe", GOOD)
    program(tmp_path, "ffmpeg", "#!/bin/sh\n")
    with pytest.raises(OperatorError, match="does not tell its version"):
        ffmpeg.find(here)
    program(tmp_path, "ffmpeg", GOOD.replace("libx264", "mpeg4"))
    with pytest.raises(OperatorError, match="without libx264"):
        ffmpeg.find(here)
