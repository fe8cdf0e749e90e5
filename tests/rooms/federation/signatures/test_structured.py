from decimal import Decimal

import pytest

from privapub.federation.signatures.structured import (
    LONGEST_FIELD,
    InnerList,
    Item,
    Malformed,
    Token,
    read_dictionary,
    write,
    write_bare,
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a=1", "1"),
        ("a=-15", "-15"),
        ("a=1.50", "1.5"),
        ("a=2.0", "2.0"),
        ('a="x \\" \\\\"', '"x \\" \\\\"'),
        ("a=token/x:y", "token/x:y"),
        ("a=:aGk=:", ":aGk=:"),
        ("a=?0", "?0"),
        ("a=?1", "?1"),
        ("a=123456789012.5", "123456789012.5"),
        ('a=" ~"', '" ~"'),
        ("a", "?1"),
        ("a;x;y=2", "?1;x;y=2"),
        ('  a=("x"   "y";z );created=1;  keyid="k"  ', '("x" "y";z);created=1;keyid="k"'),
        ("a=()", "()"),
        ("a=(  )", "()"),
    ],
)
def test_a_member_is_read_and_written_canonically(text: str, canonical: str) -> None:
    assert write(read_dictionary(text)["a"]) == canonical


def test_kinds_of_values_are_kept_apart() -> None:
    found = read_dictionary('i=1, d=1.0, s="t", t=t, b=:dA==:, l=(1 2);x')
    assert found == {
        "i": Item(1),
        "d": Item(Decimal("1.0")),
        "s": Item("t"),
        "t": Item(Token("t")),
        "b": Item(b"t"),
        "l": InnerList((Item(1), Item(2)), (("x", True),)),
    }
    assert type(found["t"].value) is Token  # type: ignore[union-attr] - it is an item
    assert type(found["s"].value) is str  # type: ignore[union-attr] - it is an item
    assert list(found) == ["i", "d", "s", "t", "b", "l"]


def test_an_empty_field_is_an_empty_dictionary() -> None:
    assert read_dictionary("   ") == {}


@pytest.mark.parametrize(
    ("why", "texts"),
    [
        (
            "a value is missing",
            ["a=", 'a="x', 'a="\\x"', 'a="\u00e9"', "a=:a", "a=?2", "a=--1", "a=@1", "a=;", "a=\n1"],
        ),
        ("a name is missing", [",a=1", "a=1,,b=2", "A=1", "=1", "a;", "a=(1);=2", "\ta=1", "Xa=1"]),
        ("nothing follows the comma", ["a=1,", "a=1, "]),
        ("a comma is missing", ["a=1 b=2", "a=1;b c"]),
        ("a name comes twice", ["a=1, a=2", "a, a"]),
        ("a parameter comes twice", ["a;x;x", "a=1;x=1;x=2"]),
        ("a space is missing", ["a=(1", "a=(1,2)", 'a=(1"x")']),
        ("a number is too long", ["a=1.", "a=1.2345", "a=1234567890123456", "a=1234567890123.1"]),
        ("not base64", ["a=:a:", "a=:AA==AA==:"]),
    ],
)
def test_what_is_no_dictionary_is_refused(why: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(Malformed) as refused:
            read_dictionary(text)
        assert str(refused.value) == why, text


def test_a_field_that_is_too_long_is_refused_unread() -> None:
    longest = 'a="' + "1" * (LONGEST_FIELD - 4) + '"'
    assert len(read_dictionary(longest)) == 1
    with pytest.raises(Malformed) as refused:
        read_dictionary(longest + " ")
    assert str(refused.value) == "too long"


def test_text_beyond_ascii_cannot_be_written() -> None:
    for text in ("\u00e9", "\x1f"):
        with pytest.raises(Malformed) as refused:
            write_bare(text)
        assert str(refused.value) == "not ASCII"
