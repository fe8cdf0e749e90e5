"""Shared test data: absent it is skipped, a missing part of it fails where everything must run."""

from pathlib import Path

import pytest

from shared import shared, where


def test_a_file_that_is_there_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_TEST_SHARED", str(tmp_path))
    (tmp_path / "wire").mkdir()
    assert shared("wire") == tmp_path / "wire"


def test_without_any_shared_data_a_test_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_TEST_SHARED", str(tmp_path / "absent"))
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.skip.Exception, match="needs wire"):
        shared("wire")


def test_a_missing_part_fails_where_everything_must_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_TEST_SHARED", str(tmp_path))
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="wire is missing"):
        shared("wire")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        shared("wire")


def test_the_cases_may_lie_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_CASES", str(tmp_path))
    assert where("cases/inbox/01.json") == tmp_path / "inbox/01.json"
