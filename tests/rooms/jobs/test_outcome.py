"""What an outcome makes of a job."""

import pytest

from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.jobs.outcome import Became, became

JOB = Job(1, "work", "work", {}, 3, "stamp", "", 100.0, 200.0, 320.0)


@pytest.mark.parametrize(
    ("outcome", "attempts", "expected"),
    [
        (Done(), 16, Became("done", 200.0, 3, 1000.0, None, Done())),
        (GiveUp("no"), 16, Became("failed", 200.0, 3, 1000.0, "no", GiveUp("no"))),
        (Retry(5, "busy"), 16, Became("waiting", 1005.0, 3, None, "busy", Retry(5.0, "busy"))),
        (Retry(why="busy"), 16, Became("waiting", 1096.0, 3, None, "busy", Retry(96.0, "busy"))),
        (Retry(-5, "busy"), 16, Became("waiting", 1000.0, 3, None, "busy", Retry(0.0, "busy"))),
        (Retry(5, "busy"), 3, Became("failed", 200.0, 3, 1000.0, "busy", GiveUp("busy"))),
        (
            Retry(5, "busy", spends_attempt=False, whole_lane=True),
            3,
            Became("waiting", 1005.0, 2, None, "busy", Retry(5, "busy", spends_attempt=False, whole_lane=True)),
        ),
    ],
)
def test_an_outcome_makes_one_state_of_a_job(outcome: Outcome, attempts: int, expected: Became) -> None:
    assert became(JOB, outcome, attempts, 1000.0, 0.0) == expected


def test_a_long_reason_is_cut() -> None:
    assert len(became(JOB, GiveUp("x" * 10_000), 16, 0.0, 0.0).why or "") == 1000
