"""How long a failed job waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.jobs import backoff


@pytest.mark.parametrize(
    ("failures", "least", "most"),
    [(1, 16, 36), (2, 31, 61), (5, 640, 704), (10, 10_015, 11_016.5), (16, 65_551, 72_106.1)],
)
def test_the_wait_is_the_fourth_power_and_fifteen_seconds_with_its_jitter(
    failures: int, least: float, most: float
) -> None:
    assert backoff.wait(failures, 0) == least
    assert backoff.wait(failures, 1) == pytest.approx(most)


@given(failures=st.integers(1, 16), chance=st.floats(0, 1))
def test_a_later_failure_never_waits_less_than_the_base_of_an_earlier_one(failures: int, chance: float) -> None:
    assert backoff.wait(failures, 0) <= backoff.wait(failures, chance) <= backoff.wait(failures, 1)
    assert backoff.wait(failures + 1, chance) > backoff.wait(failures, 0)
