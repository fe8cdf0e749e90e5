"""Doing what is so already, and taking back what never was, is no error: it says so, and how it is."""

from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
HERE = "localhost:8000"
BEA = f"@bea@{HERE}"
POST = "{post}"

# Each pair of commands, and by what their second time is told.
PAIRS = {
    "like": (("post", "like", POST), ("post", "unlike", POST)),
    "react": (("post", "react", POST, "👍"), ("post", "unreact", POST, "👍")),
    "boost": (("post", "boost", POST), ("post", "unboost", POST)),
    "pin": (("post", "pin", POST), ("post", "unpin", POST)),
    "tag": (("persona", "feature-tag", "add", "cats"), ("persona", "feature-tag", "remove", "cats")),
    "follow": (("follow", "add", BEA), ("follow", "remove", BEA)),
    "block": (("block", "add", BEA), ("block", "remove", BEA)),
    "mute": (("mute", "add", BEA), ("mute", "remove", BEA)),
}


@pytest.mark.parametrize("what", PAIRS)
def test_a_second_time_changes_nothing_and_says_so(
    what: str, told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]
) -> None:
    post = told("post", "create", "Hello", "--persona", "ann", "--audience", "public")
    for command in PAIRS[what]:
        words = [word.format(post=post["id"]) for word in command] + ["--persona", "ann"]
        assert told(*words)["changed"] is True
        assert told(*words)["changed"] is False
        assert typed(*words) == 0
        said = capsys.readouterr().out
        assert any(mark in said for mark in ("already", "not", "as before")), said


def test_a_list_a_policy_a_quote_and_a_deleted_post(told: Callable[..., Any]) -> None:
    ann = ("--persona", "ann")
    told("follow", "add", BEA, *ann)
    friends = told("list", "add", "Friends", *ann)["id"]
    assert [told("list", "put", friends, BEA, *ann)["changed"] for _ in range(2)] == [True, False]
    assert [told("list", "take", friends, BEA, *ann)["changed"] for _ in range(2)] == [True, False]
    post = told("post", "create", "Hello", *ann, "--audience", "public")["id"]
    quoting = told("post", "quote", post, "Look", "--persona", "bea")["uri"]
    for words in (
        ("post", "quote-policy", post, "nobody"),
        ("post", "revoke-quote", post, quoting),
        ("post", "delete", post),
    ):
        assert [told(*words, *ann)["changed"] for _ in range(2)] == [True, False], words


def test_a_follower_is_let_in_and_sent_off_once(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    told("persona", "edit", "bea", "--locked")
    ann, bea = f"@ann@{HERE}", ("--persona", "bea")
    assert "did not ask" in refused("follow", "accept", ann, *bea)
    assert told("follow", "reject", ann, *bea)["changed"] is False
    told("follow", "add", BEA, "--persona", "ann")
    assert [told("follow", "accept", ann, *bea)["changed"] for _ in range(2)] == [True, False]
    assert [told("follow", "reject", ann, *bea)["changed"] for _ in range(2)] == [True, False]
