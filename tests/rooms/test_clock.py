"""Moments as headers write them."""

import pytest

from privapub import clock


@pytest.mark.parametrize("zone", ["GMT", "UTC", "+0000", "-0000"])
def test_each_way_to_say_utc_is_the_same_moment(zone: str) -> None:
    assert clock.from_http_date(f"Sun, 01 Mar 2026 12:00:00 {zone}") == 1_772_366_400.0


def test_a_time_without_a_zone_is_in_utc() -> None:
    assert clock.from_http_date("Sun, 01 Mar 2026 12:00:00") == 1_772_366_400.0


@pytest.mark.parametrize("text", ["", "now", "Sun, 31 Feb 2026 12:00:00 GMT", "Sun, 01 Mar 99999 12:00:00 GMT"])
def test_what_is_no_moment_is_none(text: str) -> None:
    assert clock.from_http_date(text) is None
