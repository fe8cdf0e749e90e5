"""What counts as an emoji that somebody reacts with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.markup.reactions import emoji_in, is_short_name

ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", ""),
        ("  ", ""),
        ("👍", "👍"),
        (" 👍\n", "👍"),
        ("👍🏽", "👍🏽"),
        ("❤", "❤"),
        ("❤️", "❤"),
        ("1️⃣", "1⃣"),
        ("🇩🇪", "🇩🇪"),
        ("👩‍❤️‍👩", "👩‍❤️‍👩"),
        (ENGLAND, ENGLAND),
        (":blobcat:", ":blobcat:"),
        ("dinosaur", ":dinosaur:"),
        (":blobcat@other.test:", ":blobcat:"),
    ],
)  # fmt: skip
def test_an_emoji_or_a_short_name_is_one(said: str, meant: str) -> None:
    assert emoji_in(said) == meant
    assert is_short_name(meant) is meant.startswith(":")


@pytest.mark.parametrize(
    "said", ["~", "👍👍", "<b>", "hello world", "::", ":a b:", "é", "🇩", "👍" * 70, "👍\0", ":" + "x" * 101 + ":"]
)
def test_anything_else_is_none(said: str) -> None:
    assert emoji_in(said) is None


@given(st.text(max_size=80))
def test_what_came_out_comes_out_again(said: str) -> None:
    meant = emoji_in(said)
    assert meant is None or emoji_in(meant) == meant
