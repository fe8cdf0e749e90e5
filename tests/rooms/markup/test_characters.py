import sys
import unicodedata

import pytest

from privapub.markup.characters import contained, isolated

LEFT_OPEN = "\u2066\u2067\u2068"


@pytest.mark.parametrize(
    "text", ["Eve \u202e", "\u202dA\u202eB", "option \u2067", "photo\u202egpj.exe", LEFT_OPEN + "deep"]
)
def test_an_isolated_text_turns_nothing_after_it(text: str) -> None:
    once = isolated(text)
    assert (once[0], once[-1]) == ("\u2068", "\u2069")
    assert not set(once[1:-1]) & {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", *LEFT_OPEN}


def test_letters_of_both_directions_marks_and_joiners_stay() -> None:
    text = "\u05e9\u05dc\u05d5\u05dd https://x.test/ @handle a\u200fb \u0645\u200c\u0646 \U0001f468\u200d\U0001f469"
    assert contained(text) == text


def test_no_control_and_no_half_of_a_character_stays_wherever_it_stands() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character not in "\t\n":
            assert character not in contained(f"a{character}b"), hex(ord(character))
