"""Dates, durations and waits, however they are written."""

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED, joined, long, mangled
from privapub import clock
from privapub.federation.delivery.answer import WEEK, seconds_to_wait
from privapub.federation.documents.moments import duration, moment, on_their_clock

NOW = 1_772_366_400.0
DATES = (
    "2026", "-", "03", "01", "T", "t", " ", "10:00:00", ":", "25", "99", "60", ".123456789", ",5", "Z", "z", "+02:00",
    "-0730", "+99", "+14:00", "-14:01", "0000", "9999", "1969-12-31", "1970-01-01", "٢٠٢٦", "24:00:00", "-00:00",
)  # fmt: skip
SPANS = ("P", "T", "1", "2", "D", "H", "M", "S", "Y", "W", "0", "1.5", ",", "999999999", "-", "p", "t", "h", "10")
HTTP = (
    "Sun, ", "01 ", "Mar ", "2026 ", "12:00:00 ", "GMT", "-0000", "+0200", "EST", "(", ")", ",", ":", "60", "31 ",
    "Feb ", "0001 ", "9999 ", "99999 ", "-9999", "00", "Sunday, 01-Mar-26 ", "12:00:00 2026", "120", "-1", "1e9", "٣",
)  # fmt: skip
MOMENTS = st.floats(0, 253_402_300_799)


@contextmanager
def _somewhere(zone: str) -> Iterator[None]:
    """The process as it would be in another zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


@FUZZED
@given(joined(DATES) | mangled(st.just("2026-03-01T10:00:00.123+02:00"), DATES) | st.text(max_size=30))
def test_a_date_is_a_moment_since_1970_or_none(text: str) -> None:
    found = moment(text)
    shown = on_their_clock(text)
    assert (found is None) is (shown == "")
    if found is not None:
        assert 0 <= found < 253_402_300_800 + 86400
        assert shown.isascii()
        assert moment([None, "x", text]) == found


@FUZZED
@given(MOMENTS)
def test_what_is_written_as_a_date_is_read_as_the_same_moment(at: float) -> None:
    read = moment(clock.iso(at))
    assert read is not None
    assert abs(read - at) < 0.002
    assert clock.from_http_date(clock.http_date(at)) == int(at)


@FUZZED
@given(joined(SPANS) | mangled(st.just("P1DT2H30M5.5S"), SPANS) | st.text(max_size=20) | st.floats() | st.integers())
def test_a_duration_is_seconds_or_none(value: object) -> None:
    found = duration(value)
    assert found is None or (math.isfinite(found) and found >= 0)


@FUZZED
@example("Sun, 01 Mar 2026 12:00:00 -0000")
@given(joined(HTTP) | mangled(st.just("Sun, 01 Mar 2026 12:00:00 GMT"), HTTP) | st.text(max_size=40))
def test_a_date_of_a_header_is_the_same_moment_everywhere(text: str) -> None:
    found = clock.from_http_date(text)
    with _somewhere("Pacific/Kiritimati"):
        assert clock.from_http_date(text) == found
    waits = seconds_to_wait(text, NOW)
    assert waits is None or 0 < waits <= WEEK


@FUZZED
@given(long(DATES, 2000), long(SPANS, 2000), long(HTTP, 2000))
def test_what_is_long_is_no_date(one: str, two: str, three: str) -> None:
    moment(one)
    on_their_clock(one)
    duration(two)
    clock.from_http_date(three)
    seconds_to_wait(three, NOW)
