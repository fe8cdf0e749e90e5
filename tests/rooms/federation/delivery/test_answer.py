"""What answers mean, from the cases and from the rules."""

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub import clock
from privapub.federation.delivery.answer import WEEK, judge, seconds_to_wait
from shared import shared

NOON = datetime.fromisoformat("2026-03-01T12:00:00+00:00").timestamp()

# What the case lets happen, and what we do: None is our own back-off.
HONOURED = {
    "seconds": 120.0,
    "http-date": 1800.0,
    "503-seconds": 600.0,
    "past-date": None,
    "zero": None,
    "negative": None,
    "float": None,
    "garbage": None,
    "huge": WEEK,
    "year-10000": WEEK,
    "two-values": None,
    "rfc850": 1800.0,
    "missing": None,
}


def test_retry_after_is_honoured_in_every_form_that_is_one() -> None:
    case = json.loads(shared("cases/delivery/03-retry-after-forms.json").read_text())
    seen = {}
    for variant in case["given"]["variants"]:
        verdict = judge(variant["status"], variant["retry_after"], NOON)
        assert verdict.kind == ("busy" if HONOURED[variant["name"]] else "failed")
        seen[variant["name"]] = verdict.after or None
    assert seen == HONOURED


def test_statuses_are_final_or_not_as_the_field_agrees() -> None:
    case = json.loads(shared("cases/delivery/04-status-classes.json").read_text())
    words = {
        "done": {"taken"},
        "final": {"final", "gone"},
        "final for this inbox": {"final"},
        "final, clean up": {"gone"},
        "one knock with the other signature scheme, then final": {"knock"},
        "retry": {"failed"},
        "retry later": {"failed", "busy"},
    }
    for variant in case["given"]["variants"]:
        if isinstance(variant["status"], int):
            assert judge(variant["status"], None, NOON).kind in words[variant["class"]], variant


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_a_post_means_that_the_inbox_moved(status: int) -> None:
    assert judge(status, None, NOON).kind == "moved"


@given(st.integers(100, 999), st.none() | st.text(max_size=30))
def test_every_answer_has_a_verdict_and_no_wait_is_longer_than_a_week(status: int, retry_after: str | None) -> None:
    verdict = judge(status, retry_after, NOON)
    assert 0 <= verdict.after <= WEEK
    assert (verdict.kind == "busy") == (verdict.after > 0)


@given(st.floats(NOON + 1, NOON + WEEK))
def test_a_date_ahead_is_waited_for(moment: float) -> None:
    seconds = seconds_to_wait(clock.http_date(moment), NOON)
    assert seconds is None or abs(seconds - (moment - NOON)) <= 1
