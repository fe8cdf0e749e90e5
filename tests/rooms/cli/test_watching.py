"""How commands draw a job and name the state of a host: pure."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from privapub.cli import hosts, jobs, watching
from privapub.errors import InvalidInput


def job(**values: Any) -> Any:
    row = {"id": 7, "kind": "work", "state": "leased", "attempt": 1, "progress": None, "progress_note": None}
    return SimpleNamespace(**{**row, "why": None, "finished_at": None, **values})


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({}, "job 7, leased"),
        ({"state": "failed", "why": "404"}, "job 7, failed: 404"),
        ({"progress": 0.456, "progress_note": "packing"}, "job 7, leased: 46%, packing"),
        ({"progress": 0.9, "state": "done"}, "job 7, done: 100%"),
    ],
)
def test_a_job_stands_in_one_line(values: dict[str, Any], line: str) -> None:
    assert watching.line(job(**values)) == line


@pytest.mark.parametrize(("far", "filled"), [(0.0, 0), (0.5, 15), (0.999, 29), (1.0, 30)])
def test_the_bar_is_as_full_as_the_job_is_far(far: float, filled: int) -> None:
    drawn = watching.bar(job(progress=far))
    assert drawn.startswith("[" + "#" * filled + "-" * (30 - filled) + "] job 7")


def test_the_bar_keeps_within_the_terminal_and_is_none_where_nothing_is_known() -> None:
    assert len(watching.bar(job(progress=0.5, progress_note="x" * 200), columns=60)) == 59
    assert watching.bar(job()) == "job 7, leased"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_bar_stays_in_its_place_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    for row in (job(progress=0.5), job(progress=1.0, state="done")):
        watching.draw(row, as_json=False)
    half, whole = terminal.getvalue().split(watching.ERASE)[1:]
    assert half == f"[{'#' * 15}{'-' * 15}] job 7, leased: 50%"
    assert whole == f"[{'#' * 30}] job 7, done: 100%\n"


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ({}, ("well", None)),
        ({"fails": 3}, ("failing", None)),
        ({"fails": 10, "quarantine": 3600.0, "open_until": 150.0}, ("left alone", 150.0)),
        ({"fails": 10, "quarantine": 3600.0, "open_until": 150.0, "not_before": 160.0}, ("left alone", 160.0)),
        ({"fails": 10, "quarantine": 3600.0, "open_until": 100.0}, ("to be tried", None)),
        ({"fails": 10, "quarantine": 3600.0, "open_until": 90.0, "not_before": 160.0}, ("asked for peace", 160.0)),
        ({"not_before": 101.0}, ("asked for peace", 101.0)),
        ({"not_before": 99.0}, ("well", None)),
    ],
)
def test_the_state_of_a_host_in_words(values: dict[str, float], state: tuple[str, float | None]) -> None:
    row = {"fails": 0, "quarantine": 0.0, "open_until": 0.0, "not_before": 0.0, **values}
    assert hosts.standing(SimpleNamespace(**row), 100.0) == state
    assert hosts.NEXT[state[0]]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("example.org", "example.org"), ("Example.ORG.", "example.org"), ("bücher.example", "xn--bcher-kva.example"),
        ("example.org:443", "example.org"), ("example.org:8443", "example.org:8443"), ("[::1]:8000", "[::1]:8000"),
    ],
)  # fmt: skip
def test_a_host_is_named_as_its_lane_is(typed: str, name: str) -> None:
    assert hosts.canonical(typed) == name


@pytest.mark.parametrize("typed", ["", "a/b", "a?b", "a#b", "u@a", "a b", "https://a", "a:99999", ".", "é" * 300])
def test_what_can_be_no_host_is_refused(typed: str) -> None:
    with pytest.raises(InvalidInput):
        hosts.canonical(typed)


@pytest.mark.parametrize(("age", "seconds"), [("30s", 30), ("15m", 900), ("2h", 7200), ("3d", 259200), ("0s", 0)])
def test_ages_are_read(age: str, seconds: float) -> None:
    assert jobs.seconds(age) == seconds


@pytest.mark.parametrize("age", ["", "3", "h", "3w", "-3s", "1.5h", "3 h", "٣h", "1h30m", "9" * 10 + "s"])
def test_what_is_no_age_is_refused(age: str) -> None:
    with pytest.raises(InvalidInput):
        jobs.seconds(age)
