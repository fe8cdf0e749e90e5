"""Liking, reacting and boosting, typed."""

import re
from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
WORDS: dict[str, tuple[str, ...]] = {"like": (), "react": ("👍",), "boost": ()}


@pytest.mark.parametrize("verb", WORDS)
def test_each_is_done_by_number_or_uri_and_taken_back_once(verb: str, told: Callable[..., Any]) -> None:
    post = told("post", "create", "--persona", "ann", "--audience", "public", "Hello")
    more = WORDS[verb]
    for which in (post["id"], post["uri"]):
        assert told("post", verb, which, *more, "--persona", "bea")["uri"] == post["uri"]
    assert told("post", f"un{verb}", post["id"], *more, "--persona", "bea")["uri"] == post["uri"]
    assert told("post", f"un{verb}", post["id"], *more, "--persona", "bea")["changed"] is False


@pytest.mark.parametrize("verb", WORDS)
def test_what_cannot_be_seen_is_not_there(
    verb: str, told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = told("post", "create", "--persona", "ann", "--audience", "followers", "Hello")
    for which in (closed["id"], closed["uri"], "12345"):
        assert typed("post", verb, which, *WORDS[verb], "--persona", "bea") != 0
        assert re.search("There is no (such )?post", capsys.readouterr().err)


def test_what_is_said_for_people(told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]) -> None:
    post = told("post", "create", "--persona", "ann", "--audience", "public", "Hello")
    for words in (
        ("like", post["id"]),
        ("react", post["id"], "👍"),
        ("boost", post["id"], "--audience", "unlisted"),
        ("unboost", post["id"]),
    ):
        assert typed("post", *words, "--persona", "bea") == 0
        assert post["uri"] in capsys.readouterr().out
    assert typed("post", "react", post["id"], "no emoji!", "--persona", "bea") != 0
    assert "is no emoji" in capsys.readouterr().err
    assert typed("post", "boost", post["id"], "--audience", "direct", "--persona", "bea") != 0


def test_what_was_done_before_a_block_is_taken_back_all_the_same(told: Callable[..., Any]) -> None:
    post = told("post", "create", "--persona", "ann", "--audience", "public", "Hello")
    for verb, more in WORDS.items():
        told("post", verb, post["id"], *more, "--persona", "bea")
    told("block", "add", "@ann@localhost:8000", "--persona", "bea")
    for verb, more in WORDS.items():
        told("post", f"un{verb}", post["id"], *more, "--persona", "bea")
