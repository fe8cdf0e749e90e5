"""Buckets of tokens: what they let through, and how little they keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.limits.bucket import Buckets, Lately, Rate


def taken(buckets: Buckets, key: str, moments: list[float]) -> int:
    """How many of those who ask at these moments are let through."""
    count = 0
    for now in moments:
        if not buckets.wait(key, now):
            buckets.draw(key, now)
            count += 1
    return count


def test_a_bucket_holds_its_burst_and_fills_with_its_rate() -> None:
    buckets = Buckets(Rate(a_second=0.5, burst=3))
    assert taken(buckets, "a", [100.0] * 10) == 3
    assert buckets.wait("a", 100.0) == pytest.approx(2.0)
    assert buckets.wait("a", 101.5) == pytest.approx(0.5)
    assert taken(buckets, "a", [102.0] * 10) == 1
    assert taken(buckets, "a", [1000.0] * 10) == 3  # it holds no more than it can


def test_one_key_takes_nothing_from_another() -> None:
    buckets = Buckets(Rate(1.0, 1.0))
    assert taken(buckets, "a", [5.0, 5.0]) == 1
    assert taken(buckets, "b", [5.0, 5.0]) == 1


def test_what_is_given_back_can_be_drawn_again_and_makes_no_bucket_fuller_than_full() -> None:
    buckets = Buckets(Rate(1.0, 2.0))
    for _ in range(5):
        buckets.draw("a", 7.0)
        buckets.give_back("a", 7.0)
    buckets.give_back("a", 7.0)
    assert taken(buckets, "a", [7.0] * 5) == 2
    buckets.give_back("unknown", 7.0)
    assert taken(buckets, "unknown", [7.0] * 5) == 2


def test_what_is_owed_must_be_gained_first() -> None:
    buckets = Buckets(Rate(1.0, 1.0))
    buckets.draw("a", 0.0, 4.0)
    assert buckets.wait("a", 0.0) == pytest.approx(4.0)
    assert taken(buckets, "a", [3.5, 4.0, 4.5]) == 1


def test_a_clock_that_is_set_back_gains_nothing_and_breaks_nothing() -> None:
    buckets = Buckets(Rate(1.0, 1.0))
    assert taken(buckets, "a", [100.0, 50.0, 50.5]) == 1
    assert taken(buckets, "a", [101.5]) == 1


def test_a_minute_is_at_once_or_spread() -> None:
    rate = Rate.a_minute(120)
    assert (rate.a_second, rate.burst) == (2.0, 120.0)


@given(
    rate=st.floats(0.1, 50),
    burst=st.integers(1, 30),
    steps=st.lists(st.floats(0, 3), min_size=1, max_size=200),
)
def test_no_more_get_through_than_the_burst_and_what_was_gained(rate: float, burst: int, steps: list[float]) -> None:
    now, moments = 1000.0, []
    for step in steps:
        now += step
        moments.append(now)
    through = taken(Buckets(Rate(rate, float(burst))), "a", moments)
    assert through <= burst + rate * sum(steps[1:]) + 1e-6
    assert through >= min(burst, len(moments))


def test_a_million_keys_take_no_more_room_than_the_table() -> None:
    buckets = Buckets(Rate(1.0, 5.0), most=100)
    for number in range(1_000_000):
        buckets.draw(number, 50.0)
    assert len(buckets) == 100
    # Whoever draws on does not fall out of it, however many others come.
    slow = Buckets(Rate(0.001, 2.0), most=10)
    for number in range(1000):
        slow.draw("flood", 50.0)
        slow.draw(number, 50.0)
    assert slow.wait("flood", 50.0) > 0


def test_a_bucket_that_has_filled_is_forgotten() -> None:
    buckets = Buckets(Rate(1.0, 5.0))
    for number in range(50):
        buckets.draw(number, 100.0)
    for number in range(50):
        buckets.draw("later", 200.0 + number / 1000)
    assert len(buckets) == 1


def test_what_was_seen_lately_is_known_for_a_while_and_bounded() -> None:
    lately = Lately(seconds=60.0, most=3)
    lately.saw("a", 0.0)
    assert lately.has("a", 59.0)
    assert not lately.has("a", 60.0)
    assert not lately.has("b", 0.0)
    for number in range(1000):
        lately.saw(number, 1.0)
    assert len(lately) == 3
    lately.saw("late", 500.0)
    assert len(lately) == 1
