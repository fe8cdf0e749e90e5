"""Filters of words, as they are typed."""

from collections.abc import Callable
from typing import Any

HERE = "localhost:8000"
ANN, BEA = ("--persona", "ann"), ("--persona", "bea")


def test_words_are_filtered_until_the_filter_is_taken_away(told: Callable[..., Any]) -> None:
    made = told("filter", "add", "tea", "green milk", *ANN, "--hours", "2")
    assert (made["title"], made["words"], made["action"]) == ("tea", ["tea", "green milk"], "warn")
    assert made["until"]
    assert told("filter", "list", *ANN) == [made]
    assert told("filter", "list", *BEA) == []
    for text in ("Some tea", "Green MILK!", "Teapots"):
        told("post", "create", text, *BEA, "--audience", "public")
    assert [row["filters"] for row in told("timeline", "local", *ANN)] == [[], ["tea"], ["tea"]]
    assert told("filter", "remove", made["id"], *ANN)["removed"] is True
    assert [row["filters"] for row in told("timeline", "local", *ANN)] == [[], [], []]


def test_what_is_hidden_and_where(told: Callable[..., Any]) -> None:
    told("filter", "add", "tea", *ANN, "--action", "hide", "--within", "--place", "public", "--title", "Drinks")
    for text in ("Teapots", "Milk"):
        told("post", "create", text, *BEA, "--audience", "public")
    assert [row["text"] for row in told("timeline", "local", *ANN)] == ["Milk"]


def test_what_can_be_no_filter(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    made = told("filter", "add", "tea", *ANN)
    assert "“burn”" in refused("filter", "add", "tea", *ANN, "--action", "burn")
    assert "places" in refused("filter", "add", "tea", *ANN, "--place", "moon")
    assert "characters" in refused("filter", "add", " ", *ANN)
    assert refused("filter", "remove", made["id"], *BEA) == "There is no such filter."
