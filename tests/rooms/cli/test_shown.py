"""What commands show of posts, in text and as JSON."""

from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
HERE = "localhost:8000"
ANN, BEA = ("--persona", "ann"), ("--persona", "bea")


@pytest.fixture
def text(typed: Type, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command prints for people; it must end well."""

    def text_(*words: str) -> str:
        capsys.readouterr()
        assert typed(*words) == 0
        return capsys.readouterr().out

    return text_


def test_all_of_a_persona_s_own_posts_are_listed_in_pages(told: Callable[..., Any], text: Callable[..., str]) -> None:
    def write(audience: str, *more: str) -> str:
        words = ("post", "create", f"For {audience} @bea@{HERE}", *ANN, "--audience", audience, *more)
        uri: str = told(*words)["uri"]
        return uri

    public = write("public")
    uris = [public, write("unlisted"), write("followers"), write("direct", "--reply-to", public)]
    told("post", "create", "Another", *BEA, "--audience", "public")
    rows = told("post", "list", *ANN)
    assert [row["uri"] for row in rows] == uris[::-1]
    assert [row["audience"] for row in rows] == ["direct", "followers", "unlisted", "public"]
    first = told("post", "list", *ANN, "--limit", "3")
    assert [row["uri"] for row in told("post", "list", *ANN, "--before", first[-1]["id"])] == [public]
    said = text("post", "list", *ANN, "--limit", "3")
    assert f"--before {first[-1]['id']}" in said
    assert "answer" in said
    assert "--before" not in text("post", "list", *ANN)


def test_a_timeline_shows_polls_answers_and_quotes(told: Callable[..., Any], text: Callable[..., str]) -> None:
    poll = told("post", "create", "Which?", *ANN, "--audience", "public", "--poll", "Tea", "--poll", "Milk")
    told("post", "vote", poll["id"], "2", *BEA)
    quoting = told("post", "quote", poll["uri"], "Look", *BEA)
    said = text("timeline", "local", *BEA)
    for part in (
        "Poll (one answer, open until ",
        ", 1 voted):",
        "  1  Tea   0",
        "  2  Milk  1",
        f"Quotes {poll['uri']} (shown)",
    ):
        assert part in said
    told("post", "create", f"Both @ann@{HERE}", *BEA, "--audience", "public", "--reply-to", poll["uri"])
    said = text("timeline", "mentions", *ANN)
    assert f"In answer to {poll['uri']}" in said
    assert ", entry " in said
    first = told("timeline", "local", *BEA, "--limit", "2")
    assert f"--before {first[-1]['entry']}" in text("timeline", "local", *BEA, "--limit", "2")
    (row,) = [one for one in told("post", "list", *BEA) if one["id"] == quoting["id"]]
    assert (row["quote"], row["quote_state"]) == (poll["uri"], "accepted")
    assert " (id " in text("post", "quote", poll["uri"], "Again", *BEA)


def test_a_thread_shows_who_says_what(told: Callable[..., Any], text: Callable[..., str]) -> None:
    first = told("post", "create", "Question", *ANN, "--audience", "public")
    told("post", "create", "Answer", *BEA, "--audience", "public", "--reply-to", first["id"])
    thread = told("post", "thread", first["id"], *ANN)
    assert [(row["author"], row["text"]) for row in thread["posts"]] == [
        (f"@ann@{HERE}", "Question"),
        (f"@bea@{HERE}", "Answer"),
    ]
    said = text("post", "thread", first["id"], *ANN)
    assert "Answer" in said
    assert "asked" not in said


def test_what_is_held_is_found_by_number_address_and_page(told: Callable[..., Any], text: Callable[..., str]) -> None:
    post = told("post", "create", "Which?", *ANN, "--audience", "public", "--poll", "Tea", "--poll", "Milk")
    held = told("federation", "show", post["id"])
    assert isinstance(held["author_id"], str)
    assert held["poll"]["options"][0] == {"name": "Tea", "votes": 0}
    assert "  1  Tea" in text("federation", "show", post["id"])
    for which in (held["author_id"], f"@ann@{HERE}", f"@Ann@{HERE}", f"http://{HERE}/@ann"):
        assert told("federation", "show", which)["handle"] == "ann", which
