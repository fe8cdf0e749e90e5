"""`privapub backup`, `restore` and `jobs resume`, typed."""

import io
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from privapub import clock
from privapub.cli.output import Progress

Type = Callable[..., int]
Told = Callable[..., Any]


@pytest.fixture
def told(typed: Type, capsys: pytest.CaptureFixture[str]) -> Told:
    """What a command prints with --json, and its exit status."""

    def told_(*words: str, given: bytes = b"", ends: int = 0) -> Any:
        capsys.readouterr()
        status = typed(*words, "--json", given=given)
        said = capsys.readouterr()
        assert status == ends, said
        return json.loads(said.out)

    return told_


@pytest.fixture
def lived_in(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation in which ann has written a post that nobody has sent yet."""
    data = tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVAPUB_DATA", str(data))
    told("migrate")
    told("account", "create", "a@b.example", "--password-stdin", given=b"long enough")
    told("persona", "create", "ann", "--account", "a@b.example")
    told("post", "create", "--persona", "ann", "--audience", "public", "Hello")
    return data


def test_there_and_back(lived_in: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = told("backup")
    assert made["file"] == f"privapub-{clock.iso_day(clock.now())}.tar"
    assert (tmp_path / made["file"]).stat().st_size == made["bytes"]
    assert (made["database"]["kind"], made["media"]["files"]) == ("sqlite", 0)
    assert "already" in told("backup", ends=1)["error"]
    assert "already" in told("restore", made["file"], ends=1)["error"]
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    found = told("restore", made["file"])
    assert (found["paused"], found["migrate"], found["domain"]) == (1, False, "localhost:8000")
    assert [post["text"] for post in told("post", "list", "--persona", "ann")] == ["Hello"]
    (job,) = told("jobs", "list", "--state", "paused")
    assert job["kind"] == "post_published"
    assert "is paused" in told("jobs", "retry", str(job["id"]), ends=1)["error"]
    assert told("jobs", "resume", "--kind", "delivery") == {"resumed": 0}
    assert told("jobs", "resume") == {"resumed": 1}
    assert [job["id"] for job in told("jobs", "list", "--state", "waiting")] == [job["id"]]
    assert lived_in.exists()


def test_the_media_come_along_from_wherever_they_are(
    lived_in: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del lived_in
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "a.png")
    monkeypatch.setenv("PRIVAPUB_STORAGE_URL", (tmp_path / "kept here").as_uri())
    told("post", "create", "--persona", "ann", "--audience", "public", "--media", str(tmp_path / "a.png"), "Look")
    kept = sorted(path.relative_to(tmp_path / "kept here") for path in (tmp_path / "kept here").rglob("*.*"))
    made = told("backup", "one.tar")
    assert made["media"]["files"] == len(kept) > 1
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    monkeypatch.setenv("PRIVAPUB_STORAGE_URL", (tmp_path / "there" / "kept").as_uri())
    told("restore", "one.tar")
    assert sorted(path.relative_to(tmp_path / "there" / "kept") for path in (tmp_path / "there").rglob("*.*")) == kept


def test_media_in_a_store_are_said_not_to_be_in_the_backup(
    lived_in: Path, told: Told, typed: Type, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del lived_in
    monkeypatch.setenv("PRIVAPUB_STORAGE_URL", "s3://bucket/town?secret_access_key=S3CRET")
    assert told("backup", "one.tar")["media_elsewhere"] == "s3://bucket/town?secret_access_key=***"
    assert typed("backup", "two.tar") == 0
    said = capsys.readouterr().out
    assert "The media are at s3://bucket/town" in said
    assert "S3CRET" not in said


def test_people_are_told_what_to_do_next(
    lived_in: Path, typed: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lived_in.exists()
    capsys.readouterr()
    assert typed("backup", "saved.tar") == 0
    said = capsys.readouterr()
    assert "saved.tar holds the database and the media (0 files, " in said.out
    assert said.err == ""
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    assert typed("restore", "saved.tar") == 0
    assert "unasked: 1 of its jobs" in capsys.readouterr().out
    assert typed("jobs", "resume") == 0
    assert "No longer paused: 1." in capsys.readouterr().out
    assert typed("jobs", "resume") == 0
    assert "No job is paused." in capsys.readouterr().out


def test_a_paused_job_can_be_cancelled(
    lived_in: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lived_in.exists()
    told("backup", "saved.tar")
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    told("restore", "saved.tar")
    (job,) = told("jobs", "list", "--state", "paused")
    told("jobs", "cancel", str(job["id"]))
    assert told("jobs", "list", "--state", "paused") == []


def test_another_address_is_refused_unless_it_is_meant(
    lived_in: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lived_in.exists()
    told("backup", "saved.tar")
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    monkeypatch.setenv("PRIVAPUB_BASE_URL", "https://other.example")
    refused = told("restore", "saved.tar", ends=1)
    assert "is of localhost:8000 at http://localhost:8000, and the settings say other.example" in refused["error"]
    assert "--other-domain" in refused["hint"]
    assert not (tmp_path / "new").exists()
    assert told("restore", "saved.tar", "--other-domain")["paused"] == 1


def test_an_older_schema_is_restored_and_the_operator_told_to_migrate(
    lived_in: Path, told: Told, typed: Type, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    with closing(sqlite3.connect(lived_in / "privapub.sqlite3")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    assert told("backup", "saved.tar")["database"]["schema"] == "0001"
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "new"))
    assert typed("restore", "saved.tar") == 0
    assert "It has schema 0001: run `privapub migrate`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("backup",), "There is no database at"),
        (("restore", "nowhere.tar"), "nowhere.tar: No such file"),
        (("restore", "."), "cannot be restored"),
        (
            ("restore", "nonsense"),
            "nonsense is no backup of PrivaPub, or is cut short.\nHint: Name a file that `privapub backup` made.",
        ),
    ],
)
def test_who_errs_is_told_in_a_sentence(
    typed: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...], sentence: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path / "data"))
    (tmp_path / "nonsense").write_bytes(b"nonsense" * 1000)
    assert typed(*words) == 1
    said = capsys.readouterr().err
    assert said.startswith("Error: ")
    assert sentence in said
    assert [path.name for path in tmp_path.iterdir()] == ["nonsense"]


def test_a_postgresql_that_does_not_answer_is_named_without_its_password(
    typed: Type, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", "postgresql://ann:s3cret@127.0.0.1:1/x")
    for words in (("backup",), ("restore", "saved.tar")):
        assert typed(*words) == 1
        said = capsys.readouterr().err
        assert "The PostgreSQL at 127.0.0.1 cannot be used" in said
        assert "s3cret" not in said


def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(Progress, "EVERY", -1.0)
    with Progress() as progress:
        progress("reading", 1, 4)
        progress("writing", 2_500_000, 0)
        progress("waiting", 0, 0)
    assert terminal.getvalue().split("\r\033[K") == ["", "reading 25%", "writing 2.5 MB", "waiting ", ""]
