"""Typing commands in this process, for a new installation."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privapub.cli.main import main

Type = Callable[..., int]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Types a command for a new installation, and gives its exit status."""
    for name in tuple(os.environ):
        if name.startswith("PRIVAPUB_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PRIVAPUB_DATA", str(tmp_path))

    def type_(*words: str, given: bytes = b"", encoding: str = "utf-8", errors: str = "strict") -> int:
        monkeypatch.setattr(sys, "argv", ["privapub", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding, errors))
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return type_


@pytest.fixture
def told(typed: Type, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints with --json, for an account that holds ann and bea; it must end well."""

    def told_(*words: str, given: bytes = b"") -> Any:
        capsys.readouterr()
        assert typed(*words, "--json", given=given) == 0, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    told_("migrate")
    told_("account", "create", "a@b.example", "--password-stdin", given=b"long enough")
    for name in ("ann", "bea"):
        told_("persona", "create", name, "--account", "a@b.example")
    return told_


@pytest.fixture
def refused(typed: Type, told: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """The sentence with which a command fails."""
    del told

    def refused_(*words: str) -> str:
        capsys.readouterr()
        assert typed(*words, "--json") == 1
        said: str = json.loads(capsys.readouterr().out)["error"]
        return said

    return refused_
