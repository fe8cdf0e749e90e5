"""The CSV of other servers, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.errors import InvalidInput
from privapub.moderation.block_list import COLUMNS, read, write, write_allowed
from privapub.moderation.domain_rules import Rule

HEAD = ",".join(COLUMNS)
comments = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), max_size=20)
rules = st.builds(
    Rule,
    st.from_regex(r"(\*\.)?[a-z]{1,6}\.[a-z]{1,6}", fullmatch=True),
    st.sampled_from(["none", "limit", "block"]),
    st.booleans(),
    st.booleans(),
    comments,
    st.just(""),
    st.booleans(),
)


@given(st.lists(rules, max_size=6, unique_by=lambda rule: rule.domain))
def test_what_is_written_is_read_again(some: list[Rule]) -> None:
    assert [line.rule for line in read(write(some))] == some


def test_what_is_allowed_stands_in_a_list_of_its_own() -> None:
    some = [Rule("a.test", "allow"), Rule("b.test", "block")]
    assert write_allowed(some) == "#domain\na.test\n"
    assert [line.rule for line in read(write_allowed(some), "allow")] == some[:1]
    assert [line.rule for line in read(write(some))] == some[1:]


@pytest.mark.parametrize(
    "text",
    ["a.test\nb.test", "#domain\na.test\nb.test\n",
     "domain\r\na.test\r\n\r\nb.test\r\n", "\ufeff#domain\na.test\nb.test",
     "#comment,#domain\nx,a.test\ny,b.test", "#domain,#severity\na.test,\nb.test,suspend"],
)  # fmt: skip
def test_lists_of_names_are_blocks(text: str) -> None:
    assert [line.rule for line in read(text)] == [Rule("a.test", "block"), Rule("b.test", "block")]


def test_rows_are_told_by_the_number_of_their_line() -> None:
    lines = read(
        f"{HEAD}\nbad one,suspend,,,,\nA.test.,SILENCE,True,0,loud,yes\nb.test,mild,,,,\nc.test,noop,maybe,,,\n"
    )
    assert [(line.number, line.text, line.rule, line.problem) for line in lines] == [
        (2, "bad one", None, "'bad one' is no domain."),
        (3, "A.test.", Rule("a.test", "limit", reject_media=True, public_comment="loud", obfuscate=True), ""),
        (4, "b.test", None, "'mild' is no severity."),
        (5, "c.test", None, "'maybe' is neither true nor false."),
    ]


def test_the_last_row_about_a_domain_counts() -> None:
    found = read("#domain,#severity\na.test,suspend\nb.test,noop\nA.test,silence\n")
    assert [line.rule for line in found] == [Rule("b.test", "none"), Rule("a.test", "limit")]


def test_a_comment_has_an_end() -> None:
    (line,) = read(f"#domain,#public_comment\na.test,{'x' * 2001}\n")
    assert (line.rule, line.problem) == (None, "The comment is longer than 2000 characters.")


@pytest.mark.parametrize(
    "text", ["name,severity\na.test,suspend\n", '#domain\n"' + "x" * 200_000, "a.test\n" * 200_001]
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read(text)


def test_nothing_is_a_list_of_nothing() -> None:
    assert read("") == read("\n\n") == read(HEAD) == []
