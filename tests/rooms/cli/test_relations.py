"""Blocks, mutes, lists, timelines and notifications, typed."""

from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
HERE = "localhost:8000"
ANN, BEA = f"@ann@{HERE}", f"@bea@{HERE}"


def test_a_block_ends_a_follow_and_is_listed_until_it_is_taken_back(told: Callable[..., Any]) -> None:
    told("follow", "add", BEA, "--persona", "ann")
    assert told("block", "add", ANN, "--persona", "bea")["blocked"] is True
    assert told("follow", "list", "--persona", "ann") == {"following": [], "followers": []}
    assert [row["address"] for row in told("block", "list", "--persona", "bea")] == [ANN]
    assert told("block", "list", "--persona", "ann") == []
    assert told("block", "remove", ANN, "--persona", "bea")["blocked"] is False
    assert told("block", "list", "--persona", "bea") == []


def test_a_block_keeps_a_follow_out_in_words(told: Callable[..., Any], typed: Type) -> None:
    told("block", "add", ANN, "--persona", "bea")
    assert typed("follow", "add", BEA, "--persona", "ann") == 1


def test_a_mute_is_listed_until_it_is_taken_back(told: Callable[..., Any]) -> None:
    assert told("mute", "add", BEA, "--persona", "ann", "--hours", "2")["until"]
    told("mute", "add", BEA, "--persona", "ann", "--no-notifications")
    (row,) = told("mute", "list", "--persona", "ann")
    assert (row["address"], row["notifications"], row["until"]) == (BEA, False, None)
    told("mute", "remove", BEA, "--persona", "ann")
    assert told("mute", "list", "--persona", "ann") == []


def test_a_list_holds_whom_one_follows(told: Callable[..., Any], typed: Type) -> None:
    made = told("list", "add", "Friends", "--persona", "ann", "--exclusive")
    assert typed("list", "put", made["id"], BEA, "--persona", "ann") == 1
    told("follow", "add", BEA, "--persona", "ann")
    assert told("list", "put", made["id"], BEA, "--persona", "ann")["on_it"] is True
    assert told("list", "list", "--persona", "ann")[0]["people"] == [BEA]
    assert told("timeline", "list", made["id"], "--persona", "ann") == []
    assert told("list", "take", made["id"], BEA, "--persona", "ann")["on_it"] is False
    assert told("list", "remove", made["id"], "--persona", "ann")["removed"] is True
    assert told("list", "list", "--persona", "ann") == []


def test_the_timelines_that_need_no_worker_are_shown(told: Callable[..., Any]) -> None:
    post = told("post", "create", "--persona", "ann", "--audience", "public", f"Tea #Cake {BEA}")
    for words in (("public",), ("local",), ("tag", "#cake")):
        shown = told("timeline", *words, "--persona", "bea")
        assert [(row["uri"], row["author"], row["boosted_by"]) for row in shown] == [(post["uri"], ANN, None)], words
    assert [row["uri"] for row in told("timeline", "mentions", "--persona", "bea")] == [post["uri"]]
    assert told("timeline", "mentions", "--persona", "ann") == []
    assert told("timeline", "public", "--persona", "bea", "--before", post["id"]) == []
    assert told("notifications", "list", "--persona", "bea") == []


@pytest.mark.parametrize(
    "words",
    [
        ("timeline", "moon", "--persona", "ann"),
        ("timeline", "list", "x", "--persona", "ann"),
        ("timeline", "tag", "--persona", "ann"),
        ("notifications", "list", "--kind", "poke", "--persona", "ann"),
    ],
)
def test_what_there_is_not_is_said_in_words(told: Callable[..., Any], typed: Type, words: tuple[str, ...]) -> None:
    del told
    assert typed(*words) == 1
