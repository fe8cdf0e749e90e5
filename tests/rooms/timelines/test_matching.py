"""Words of filters in texts: whole and in part, in any script."""

import pytest

from privapub.timelines.matching import HIDE, HOME, Filter, Word, fold, matches, stands_in


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("cat", "A Cat!"),
        ("cat", "cat"),
        ("CAT", "the cat, again"),
        ("café", "Le cafe\u0301 est froid"),
        ("straße", "Auf der STRASSE"),
        ("#spoiler", "see#spoiler"),
        ("c++", "I like C++ and c"),
        ("two words", "these two words here"),
        ("कर", "वह कर सकता"),
        ("猫", "黒猫が好き"),
        ("แมว", "ฉันรักแมวมาก"),
        ("قط", "هذا قط جميل"),
        ("ﬁne", "a fine day"),
        ("ΛΕΞΕΙΣ", "τις λεξεις μου"),
    ],
)
def test_a_whole_word_is_found(word: str, text: str) -> None:
    assert stands_in(Word(1, word, whole=True), fold(text))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("cat", "concatenate"),
        ("cat", "cats"),
        ("cat", "cat_7"),
        ("cat", "cat\u0301"),
        ("कर", "करना है"),
        ("कर", "करा"),
        ("قط", "قطار"),
        ("cat", ""),
        ("", "anything"),
        ("  ", "any thing"),
    ],
)
def test_a_part_of_a_word_is_no_whole_word(word: str, text: str) -> None:
    assert not stands_in(Word(1, word, whole=True), fold(text))


def test_in_part_it_is_found_anywhere() -> None:
    assert stands_in(Word(1, "cat", whole=False), fold("conCATenate"))
    assert not stands_in(Word(1, "", whole=False), fold("anything"))


def test_a_later_whole_word_counts_where_the_first_is_a_part() -> None:
    assert stands_in(Word(1, "cat", whole=True), fold("concat a cat"))


def test_a_match_tells_by_which_words_or_that_the_post_is_named() -> None:
    animals = Filter(1, "animals", (HOME,), HIDE, (Word(1, "cat"), Word(2, "dog"), Word(3, "cow")))
    this = Filter(2, "this one", (HOME,), HIDE, post_ids=((9, 77),))
    none = Filter(3, "nothing", (HOME,), HIDE)
    found = matches([animals, this, none], 77, "A dog and a cat")
    assert [(match.filter.id, match.words, match.by_post) for match in found] == [
        (1, ("cat", "dog"), False),
        (2, (), True),
    ]
    assert matches([animals, this, none], 78, "Nothing") == ()
