"""Typing commands in this process, for a new installation."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

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
