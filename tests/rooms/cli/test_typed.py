"""What is typed wrongly is answered in a sentence, never with a traceback."""

import os
from collections.abc import Callable

import pytest

LARGE = "9" * 23
NO_TEXT = os.fsdecode(b"\xff\xfe")

Type = Callable[..., int]


@pytest.mark.parametrize(
    "words",
    [
        ("jobs", "show", LARGE),
        ("jobs", "list", "--limit", LARGE),
        ("hosts", "list", "--limit", "-1"),
        ("post", "list", "--persona", "ann", "--limit", LARGE),
        ("timeline", "--persona", "ann", "--limit", "0"),
        ("post", "create", "--persona", "ann", "--audience", "public", NO_TEXT),
        ("persona", "create", NO_TEXT, "--account", "a@b.example"),
    ],
)
def test_numbers_beyond_measure_and_words_that_are_no_text(
    typed: Type, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(*words) in {1, 2}
    said = capsys.readouterr().err
    assert "Error" in said
    said.encode()


def test_a_number_that_no_post_can_have(typed: Type, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("migrate") == 0
    assert typed("account", "create", "a@b.example", "--password-stdin", given=b"long enough") == 0
    assert typed("persona", "create", "ann", "--account", "a@b.example") == 0
    assert typed("post", "delete", LARGE, "--persona", "ann") == 1
    assert "neither the number nor the address of a post" in capsys.readouterr().err


@pytest.mark.parametrize(("encoding", "errors"), [("utf-8", "strict"), ("ascii", "surrogateescape")])
def test_a_password_that_is_no_text(
    typed: Type, encoding: str, errors: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("account", "create", "c@d.example", "--password-stdin")
    assert typed(*words, given=b"\xff\xfe" * 8, encoding=encoding, errors=errors) == 1
    assert "UTF-8" in capsys.readouterr().err
