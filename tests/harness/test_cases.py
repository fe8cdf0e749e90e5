"""The harness of the cases: what it does not know fails with that word, and its table counts what came of each case."""

from pathlib import Path

import pytest

from cases import later, not_yet, own, verdicts
from cases.folder import every, read
from cases.given import VARIANT
from cases.play import MUST
from cases.stage import allowed
from cases.steps import in_order
from cases.words import Unknown, Words


async def nothing(_play: object, *_groups: str) -> None:
    """Checks nothing."""


@pytest.fixture
def words() -> Words:
    made = Words("expectation")
    made.on(r"(\w+) is stored", r"2xx", r"`to` is \[(\w+)\], not Public")(nothing)
    return made


def test_a_sentence_is_understood_as_a_whole_or_by_its_parts(words: Words) -> None:
    assert [part for part, _ in words.read("2xx, it is stored, and `to` is [a], not Public")] == [
        "2xx",
        "it is stored",
        "`to` is [a], not Public",
    ]
    assert len(words.read("it is stored (for ever, or a year)")) == 1


@pytest.mark.parametrize("text", ["it is eaten", "2xx, it is eaten", "it is stored; it is eaten", ""])
def test_one_unknown_part_makes_the_whole_unknown(words: Words, text: str) -> None:
    with pytest.raises(Unknown, match="unknown expectation"):
        words.read(text)


@pytest.mark.parametrize("text", ["the cat is fed", "exactly one outgoing POST, to the moon"])
def test_the_vocabulary_itself_knows_no_such_sentence(text: str) -> None:
    with pytest.raises(Unknown):
        MUST.read(text)


def test_statuses_are_read_as_they_are_written() -> None:
    assert allowed(202, "2xx")
    assert allowed(401, "2xx-or-401")
    assert not allowed(500, "2xx-or-401")
    assert not allowed(202, "4xx")


def test_variants_are_runs_of_their_own_with_what_is_given_to_all() -> None:
    found = read({"given": {"now": "x", "variants": [{"name": "a", "status": 1}, {"status": 2}]}}, "inbox/99")
    assert list(found.runs()) == [("a", {"now": "x", "status": 1}), ("2", {"now": "x", "status": 2})]
    in_words = read({"given": {"now": "x", "variants": ["in words"]}}, "inbox/99")
    assert list(in_words.runs()) == [("in words", {"now": "x", "variant": "in words"})]
    with pytest.raises(Unknown, match="variant: in words"):
        VARIANT.read("in words")


def test_a_member_that_no_case_has_is_noted() -> None:
    assert read({"given": {}, "expect": {"may": []}, "extra": 1}, "inbox/99").strange == ("extra", "may")


def test_a_step_of_a_variant_stands_where_it_says() -> None:
    steps = [{"op": "a"}, {"op": "b"}, {"op": "local", "variant": "v", "do": "delete it before b"}]
    assert in_order(steps, "") == steps[:2]
    assert [step["op"] for step in in_order(steps, "v")] == ["a", "local", "b"]


def test_a_part_that_waits_leaves_the_rest_to_be_judged() -> None:
    waits: list[str] = []
    assert later.trim("(a) public, (b) circle, (c) direct note", waits) == "(a) public, (c) direct note"
    assert later.trim("content is 5", waits) == "content is 5"
    assert waits == [f"{later.CIRCLES}: (a) public, (b) circle, (c) direct note"]


def test_the_table_counts_each_case_once_by_the_worst_of_its_tests() -> None:
    assert verdicts.verdict({"passed", "failed", "not yet"}) == "failed"
    assert verdicts.verdict({"passed", "not yet"}) == "not yet"
    assert verdicts.table({"inbox/1": "passed", "inbox/2": "failed", "jobs/1": "not yet"})[1:] == [
        "inbox               1        1        0",
        "jobs                0        0        1",
        "all                 1        1        1",
    ]


def test_no_case_is_named_in_the_harness_but_in_its_two_lists() -> None:
    folder = Path(verdicts.__file__).parent
    named = {
        path.name
        for path in folder.glob("*.py")
        for case in every()
        if not path.name.startswith("test_") and case.id in path.read_text(encoding="utf-8")
    }
    assert named <= {"not_yet.py", "own.py", "folder.py"}  # the last by way of an example
    assert not set(not_yet.CASES) & set(own.FINGERPRINTS)
