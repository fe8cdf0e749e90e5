"""When a host is left alone: the decision, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.jobs.breaker import FAILURES, FIRST, HEALTHY, LONGEST, Health, failed, wrote

MOMENTS = st.floats(0, 1e10, allow_nan=False)


def after(failures: int, now: float = 1000.0) -> Health:
    health = HEALTHY
    for _ in range(failures):
        health = failed(health, now, now)
    return health


def test_nine_failures_in_a_row_are_borne_and_the_tenth_means_an_hour() -> None:
    assert after(9) == Health(fails=9)
    assert after(10) == Health(10, 1000.0, 1000.0 + 3600, 3600)


def test_each_failed_probe_doubles_the_quarantine_to_a_week() -> None:
    health, lengths = after(10), []
    for _ in range(10):
        now = health.open_until
        health = failed(health, now, now)
        assert health.open_until == now + health.quarantine
        lengths.append(health.quarantine / 3600)
    assert lengths == [2, 4, 8, 16, 32, 64, 128, 168, 168, 168]


def test_what_was_under_way_before_a_quarantine_does_not_lengthen_it() -> None:
    health = after(10, now=1000.0)
    assert failed(health, 999.0, 1500.0) == health
    assert failed(health, 1000.0 + FIRST, 1001.0 + FIRST).quarantine == 2 * FIRST


def test_a_host_that_wrote_is_worth_a_probe_at_once_and_no_more() -> None:
    health = wrote(after(10, now=1000.0), 1200.0)
    assert health.open_until == 1200.0
    assert (health.fails, health.quarantine) == (10, FIRST)
    assert wrote(health, 9000.0) == health
    assert failed(health, 1200.0, 1210.0).quarantine == 2 * FIRST


@given(st.lists(st.tuples(MOMENTS, st.floats(0, 1e6)), max_size=60))
def test_whatever_fails_a_quarantine_is_between_an_hour_and_a_week(leases: list[tuple[float, float]]) -> None:
    health, counted = HEALTHY, 0
    for leased_at, lasted in sorted(leases):
        before, now = health, leased_at + lasted
        health = failed(health, leased_at, now)
        counted += health != before
        assert health.fails == counted
        assert (health.quarantine == 0) == (health.fails < FAILURES)
        if health.quarantine:
            assert FIRST <= health.quarantine <= LONGEST
            assert health.open_until == pytest.approx(health.opened_at + health.quarantine)
            assert health.quarantine in (before.quarantine, min(max(2 * before.quarantine, FIRST), LONGEST))
