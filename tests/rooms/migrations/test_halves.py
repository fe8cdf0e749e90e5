"""Which release may use which schema, and which halves may be taken when."""

import pytest

from privapub.migrations.halves import before_half, half_way_back, serves

STEPS = ("0005", "0006", "0007a", "0007b", "0008", "0009a", "0009b")


@pytest.mark.parametrize(
    ("revision", "head", "expected"),
    [
        ("0006", "0006", True),
        ("0007b", "0007b", True),
        ("0007a", "0006", True),  # the older release goes on
        ("0007a", "0007b", True),  # and the newer one begins
        ("0007b", "0006", False),  # its work has been taken over
        ("0007a", "0005", False),  # a release that is older still
        ("0006", "0007b", False),  # the before half comes first
        ("0008", "0007b", False),
        ("0009a", "0008", True),
        ("0010a", "0009b", True),  # the next one after it
        ("0010a", "0009a", True),
        ("0009a", "0009a", True),
        ("9999", "0006", False),
        ("garbage", "0006", False),
        ("0007a", "garbage", False),
    ],
)
def test_a_schema_serves_the_releases_that_know_it_or_do_not_mind(revision: str, head: str, expected: bool) -> None:
    assert serves(revision, head) is expected


def test_only_a_half_that_comes_next_may_be_taken_beside_an_older_release() -> None:
    taken = {revision: before_half(revision, STEPS) for revision in (None, *STEPS, "4711")}
    assert {revision: step for revision, step in taken.items() if step} == {"0006": "0007a", "0008": "0009a"}


def test_only_an_after_half_has_a_way_back() -> None:
    ways = {revision: half_way_back(revision, STEPS) for revision in (None, *STEPS, "4711")}
    assert {revision: step for revision, step in ways.items() if step} == {"0007b": "0007a", "0009b": "0009a"}


def test_an_after_half_without_its_before_half_has_none() -> None:
    assert half_way_back("0007b", ("0006", "0007b")) is None
    assert half_way_back("0007b", ("0007b",)) is None
