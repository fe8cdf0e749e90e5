"""Typing `post receipt` and `post thread`."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Type = Callable[..., int]


def test_a_receipt_and_a_thread_are_typed(typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str, given: bytes = b"") -> Any:
        capsys.readouterr()
        assert typed(*words, "--json", given=given) == 0, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    told("migrate")
    told("account", "create", "a@b.example", "--password-stdin", given=b"long enough")
    told("persona", "create", "ann", "--account", "a@b.example")
    written = told("post", "create", "hello", "--persona", "ann", "--audience", "public")
    assert told("post", "receipt", written["id"], "--persona", "ann") == {
        "counts": {"taken": 0, "waiting": 0, "held": 0, "refused": 0, "given_up": 0},
        "hosts": [],
    }
    with sqlite3.connect(next(tmp_path.glob("*.sqlite3"))) as database:
        values = (written["id"], "https://peer.test/inbox", "", "failed", "answered 404")
        database.execute("INSERT INTO sent(post_id, inbox, recipient, outcome, why, at) VALUES (?,?,?,?,?,0)", values)
    database.close()
    assert typed("post", "receipt", written["id"], "--persona", "ann") == 0
    said = capsys.readouterr().out
    assert "1 refused" in said
    assert "peer.test" in said
    assert "answered 404" in said
    thread = told("post", "thread", written["uri"], "--persona", "ann")
    # All of it is from here: there is nobody to ask.
    assert (thread["asked"], [each["uri"] for each in thread["posts"]]) == (False, [written["uri"]])
    assert typed("post", "thread", written["id"], "--persona", "ann") == 0
    said = capsys.readouterr().out
    assert "@ann@" in said
    assert "hello" in said
    assert "asked" not in said
    assert typed("post", "thread", "77", "--persona", "ann") == 1
