"""Every noun of the command line, typed by somebody new, and by somebody who errs."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import ports
from privapub.cli.shown import paragraphs
from rules.house import SOURCE

Type = Callable[..., int]
HERE = "localhost:8000"


@pytest.fixture
def told(typed: Type, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints with --json; it must end well."""
    capsys.readouterr()

    def told_(*words: str, given: bytes = b"") -> Any:
        assert typed(*words, "--json", given=given) == 0, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    return told_


@pytest.fixture
def settled(told: Callable[..., Any], locked: Path, tmp_path: Path) -> Callable[..., Any]:
    """An account that holds ann, and the locked bea."""
    shutil.copytree(locked, tmp_path, dirs_exist_ok=True)
    return told


def test_accounts_and_personas_are_listed(settled: Callable[..., Any]) -> None:
    assert settled("account", "list") == [{"email": "a@b.example", "personas": ["ann", "bea"]}]
    ann, bea = settled("persona", "list")
    assert (ann["address"], ann["locked"], bea["locked"]) == (f"@ann@{HERE}", False, True)
    assert ann["url"] == f"http://{HERE}/@ann"


def test_a_locked_persona_lets_in_whom_it_wants(settled: Callable[..., Any]) -> None:
    asked = settled("follow", "add", f"@bea@{HERE}", "--persona", "ann")
    assert asked["state"] == "pending"
    assert settled("follow", "accept", f"@ann@{HERE}", "--persona", "bea")["state"] == "accepted"
    sides = settled("follow", "list", "--persona", "bea")
    assert [(one["address"], one["state"]) for one in sides["followers"]] == [(f"@ann@{HERE}", "accepted")]
    settled("follow", "reject", f"@ann@{HERE}", "--persona", "bea")
    settled("follow", "remove", f"@bea@{HERE}", "--persona", "ann")
    assert settled("follow", "list", "--persona", "ann")["following"] == []


def test_a_post_is_written_changed_answered_and_taken_back(settled: Callable[..., Any]) -> None:
    post = settled("post", "create", "--persona", "ann", "--audience", "public", f"Hello @bea@{HERE}")
    assert post["audience"] == "public"
    answer = settled("post", "create", "--persona", "bea", "--audience", "unlisted", "Hi", "--reply-to", post["uri"])
    assert answer["in_reply_to"] == post["uri"]
    assert settled("post", "edit", post["id"], "Hello again", "--persona", "ann")["edited_at"]
    assert [one["text"] for one in settled("post", "list", "--persona", "ann")] == ["Hello again"]
    assert settled("post", "delete", post["uri"], "--persona", "ann")["deleted"] is True
    assert settled("post", "list", "--persona", "ann") == []


def test_jobs_are_listed_shown_cancelled_and_tried_again(settled: Callable[..., Any]) -> None:
    settled("post", "create", "--persona", "ann", "--audience", "public", "Hello")
    (job,) = settled("jobs", "list", "--kind", "post_published")
    assert (job["state"], job["attempt"]) == ("waiting", 0)
    assert settled("jobs", "show", str(job["id"]))["kind"] == "post_published"
    settled("jobs", "cancel", str(job["id"]))
    assert settled("jobs", "list", "--state", "cancelled")[0]["id"] == job["id"]
    settled("jobs", "retry", str(job["id"]))
    assert settled("jobs", "show", str(job["id"]))["state"] == "waiting"
    assert settled("hosts", "list") == []
    report = settled("federation", "report")
    assert {"kind": "post_published", "state": "waiting", "count": 1} in report["jobs"]
    assert settled("timeline", "--persona", "ann") == []


def test_people_are_shown_words_and_no_html(
    settled: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]
) -> None:
    settled("post", "create", "--persona", "ann", "--audience", "public", "Tea & #cake", "--summary", "food")
    (post,) = settled("post", "list", "--persona", "ann")
    assert typed("persona", "list") == 0
    assert re.findall(r"^@(\w+)@\S+ +(yes|no) ", capsys.readouterr().out, re.MULTILINE) == [
        ("ann", "no"),
        ("bea", "yes"),
    ]
    lines = paragraphs({**post, "author": f"@ann@{HERE}"})
    assert lines.split("\n")[1:] == ["food", "Tea & #cake", f"{post['uri']}  (post {post['id']})"]


def test_a_server_on_this_machine_alone_is_a_warning(settled: Callable[..., Any]) -> None:
    found = {finding["what"]: finding for finding in settled("doctor")}
    assert found["database"]["state"] == found["folder"]["state"] == "ok"
    assert found["base URL"]["state"] == "warning"
    assert "nobody elsewhere can reach it" in found["base URL"]["finding"]


def test_a_public_name_that_leads_to_this_machine_is_bad(
    settled: Callable[..., Any], typed: Type, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert settled("doctor")
    monkeypatch.setenv("PRIVAPUB_BASE_URL", "https://127.0.0.1")
    assert typed("doctor") == 1
    assert "✗ base URL: https://127.0.0.1 is a private address" in capsys.readouterr().out


def test_every_setting_is_shown(told: Callable[..., Any]) -> None:
    shown = {row["name"]: row for row in told("settings")}
    assert shown["PRIVAPUB_LISTEN"]["value"] == HERE
    assert shown["PRIVAPUB_DATA"]["source"] == "environment"
    assert all(row["meaning"] for row in shown.values())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("persona", "create", "no spaces", "--account", "a@b.example"), "handle"),
        (("persona", "create", "ann", "--account", "a@b.example"), "ann"),
        (("persona", "create", "cleo", "--account", "nobody@b.example"), "There is no account nobody@b.example."),
        (("account", "create", "nonsense", "--password-stdin"), "e-mail"),
        (("post", "create", "--persona", "nobody", "--audience", "public", "Hello"), "There is no persona 'nobody'."),
        (("post", "create", "--persona", "ann", "--audience", "friends", "Hello"), "'friends'"),
        (("post", "create", "--persona", "ann", "--audience", "direct", "Hello"), "mentions nobody"),
        (("post", "create", "--persona", "ann", "--audience", "public", " "), "needs a text"),
        (("post", "edit", "1", "Hello", "--persona", "ann"), "ann has no post 1."),
        (("follow", "add", "@nobody@" + HERE, "--persona", "ann"), "nobody"),
        (("follow", "add", "nonsense", "--persona", "ann"), "nonsense"),
        (("follow", "accept", f"@bea@{HERE}", "--persona", "ann"), "did not ask"),
        (("jobs", "show", "4711"), "There is no job 4711."),
        (("jobs", "list", "--state", "nonsense"), "No job is 'nonsense'."),
        (("hosts", "show", "nowhere.example"), "nowhere.example"),
    ],
)
@pytest.mark.usefixtures("settled")
def test_who_errs_is_told_in_a_sentence(
    typed: Type, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert typed(*words, given=b"long enough") == 1
    said = capsys.readouterr().err
    assert said.startswith("Error: ")
    assert sentence in said
    assert "Traceback" not in said
    assert typed(*words, "--json", given=b"long enough") == 1
    assert sentence in json.loads(capsys.readouterr().out)["error"]


def serving() -> str:
    """What `privapub serve` says, which must end at once: in a process of its own, since it makes another."""
    command = [sys.executable, "-m", "privapub.cli.entry", "serve"]
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, env=environ)  # noqa: S603 - our own program
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "Hint: " in ended.stderr
    return ended.stderr


@pytest.mark.usefixtures("typed")
def test_a_port_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with ports.bound() as taken:
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PRIVAPUB_LISTEN", f"127.0.0.1:{port}")
        assert f"Port {port} on 127.0.0.1 is taken." in serving()


@pytest.mark.usefixtures("typed")
def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PRIVAPUB_LISTEN", f"127.0.0.1:{ports.free()}")
    for folder in (tmp_path / "file" / "data", Path("/proc/nobody")):
        monkeypatch.setenv("PRIVAPUB_DATA", str(folder))
        assert f"The data folder {folder} cannot be written" in serving()


@pytest.mark.usefixtures("settled")
def test_a_schema_newer_than_the_program(typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(tmp_path / "privapub.sqlite3") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    for words in (("migrate",), ("persona", "list")):
        assert typed(*words) == 1
        assert "newer than this program" in capsys.readouterr().err


def test_a_command_in_the_wrong_folder_makes_nothing_there(
    typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("persona", "list") == 1
    said = capsys.readouterr().err
    assert f"There is no database at {tmp_path / 'privapub.sqlite3'}." in said
    assert "Hint: " in said
    assert list(tmp_path.iterdir()) == []
