"""Typing commands in this process, for a new installation."""

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privapub.cli.main import main

Type = Callable[..., int]


def _typist(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    for name in tuple(os.environ):
        if name.startswith("PRIVAPUB_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PRIVAPUB_DATA", str(folder))

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
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Types a command for a new installation, and gives its exit status."""
    return _typist(tmp_path, monkeypatch)


def _made(folder: Path, *of_bea: str) -> Path:
    with pytest.MonkeyPatch.context() as monkeypatch:
        typed = _typist(folder, monkeypatch)
        assert typed("migrate") == 0
        assert typed("account", "create", "a@b.example", "--password-stdin", given=b"long enough") == 0
        assert typed("persona", "create", "ann", "--account", "a@b.example") == 0
        assert typed("persona", "create", "bea", "--account", "a@b.example", *of_bea) == 0
    return folder


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an account that holds ann and bea, made by commands once: keys, a password and tables take long."""
    return _made(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="session")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, but bea accepts each follower by hand."""
    return _made(tmp_path_factory.mktemp("locked"), "--locked")


@pytest.fixture
def told(installation: Path, typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What a command prints with --json, for an account that holds ann and bea; it must end well."""
    shutil.copytree(installation, tmp_path, dirs_exist_ok=True)

    def told_(*words: str, given: bytes = b"") -> Any:
        capsys.readouterr()
        assert typed(*words, "--json", given=given) == 0, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

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
