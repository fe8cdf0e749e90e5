"""Polls, formats and profiles, and what is held of a document, as they are typed."""

from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
ANN = ("--persona", "ann")
BEA = ("--persona", "bea")


def test_a_poll_is_asked_and_voted_in(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    asked = told(
        *("post", "create", "Which?", *ANN, "--audience", "public", "--poll", "A", "--poll", "B", "--poll-ends", "2h")
    )
    assert [option["name"] for option in asked["poll"]["options"]] == ["A", "B"]
    assert asked["poll"]["multiple"] is False
    voted = told("post", "vote", asked["id"], "2", *BEA)
    assert (voted["chosen"], voted["poll"]["voters"]) == ([2], 1)
    assert [option["votes"] for option in voted["poll"]["options"]] == [0, 1]
    assert refused("post", "vote", asked["id"], "1", *BEA) == "You have voted in this poll."
    assert refused("post", "vote", asked["id"], "1", *ANN) == "Nobody votes in a poll of their own."
    other = ("--poll", "C", "--poll", "D", "--poll-multiple")
    changed = told("post", "edit", asked["id"], "Which?", *ANN, *other)
    assert (changed["poll"]["multiple"], changed["poll"]["voters"]) == (True, 0)
    assert told("post", "vote", asked["uri"], "1", "2", *BEA)["poll"]["voters"] == 1


def test_what_is_typed_wrongly_is_a_sentence(refused: Callable[..., str]) -> None:
    create = ("post", "create", "x", *ANN, "--audience", "public")
    assert refused(*create, "--format", "html") == "'html' is no format."
    assert refused(*create, "--poll", "A") == "A poll has 2 to 10 answers."
    assert "--poll-ends takes a length of time" in refused(*create, "--poll", "A", "--poll", "B", "--poll-ends", "soon")
    assert refused("persona", "edit", "ann", "--field", "x") == "'x' is no field."
    assert "x" in refused("federation", "show", "x")
    assert refused("persona", "rotate-keys", "nobody")


def test_markdown_is_the_post_s_or_the_persona_s(told: Callable[..., Any]) -> None:
    create = ("post", "create", "*x*", *ANN, "--audience", "public")
    assert told(*create)["html"] == "<p>*x*</p>"
    assert told(*create, "--format", "markdown")["html"] == "<p><em>x</em></p>"
    assert told("persona", "edit", "ann", "--format", "markdown")["format"] == "markdown"
    liked = told(*create, "--summary", "careful")
    assert liked["html"] == "<p><em>x</em></p>"
    edited = told("post", "edit", liked["id"], "*y*", *ANN)
    assert (edited["html"], edited["summary"]) == ("<p><em>y</em></p>", "careful")


def test_a_profile_is_edited(told: Callable[..., Any]) -> None:
    edited = told(
        "persona", "edit", "ann", "--name", "Ann", "--bio", "hi", "--locked", "--field", "Site=x", "--indexable"
    )
    assert (edited["name"], edited["bio"], edited["locked"], edited["indexable"]) == ("Ann", "hi", True, True)
    assert edited["fields"] == [{"name": "Site", "value": "x"}]
    kept = told("persona", "edit", "ann", "--no-locked")
    assert (kept["name"], kept["locked"], kept["fields"]) == ("Ann", False, edited["fields"])
    assert told("persona", "edit", "ann", "--no-fields")["fields"] == []


def test_keys_are_changed(told: Callable[..., Any]) -> None:
    said = told("persona", "rotate-keys", "ann")
    assert said["rotated"] is True
    assert said["address"].startswith("@ann@")


def test_what_is_held_is_shown(told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]) -> None:
    post = told("post", "create", "hello #Tag", *ANN, "--audience", "public")
    for which in (post["id"], post["uri"]):
        held = told("federation", "show", which)
        assert (held["uri"], held["source"], held["notes"]) == (post["uri"], "hello #Tag", [])
        assert held["pinned"] is False
    told("post", "pin", post["id"], *ANN)
    assert told("federation", "show", post["id"])["pinned"] is True
    persona = next(one for one in told("persona", "list") if one["handle"] == "ann")
    assert told("federation", "show", persona["id"])["handle"] == "ann"
    capsys.readouterr()
    assert typed("federation", "show", post["id"]) == 0
    assert "source: hello #Tag" in capsys.readouterr().out
