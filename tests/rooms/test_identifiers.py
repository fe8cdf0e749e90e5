"""Which numbers there may be."""

import pytest

from privapub.identifiers import LARGEST, number_in


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("4711", 4711),
        (str(LARGEST), LARGEST),
        (str(LARGEST + 1), None),
        ("9" * 30, None),
        ("", None),
        ("-1", None),
        (" 1", None),
        ("1.0", None),
        ("²", None),
        ("٣", None),
    ],
)
def test_a_number_of_a_row(text: str, number: int | None) -> None:
    assert number_in(text) == number
