"""Pins, hashtags, quotes, moves and reports, as they are typed."""

from collections.abc import Callable
from typing import Any

Type = Callable[..., int]
ANN = ("--persona", "ann")
BEA = ("--persona", "bea")
HERE = "localhost:8000"


def test_a_post_is_pinned_and_a_hashtag_shown(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    post = told("post", "create", "Hello", *ANN, "--audience", "public")
    assert told("post", "pin", post["id"], *ANN) == {"uri": post["uri"], "pinned": True, "changed": True}
    assert told("post", "unpin", post["uri"], *ANN) == {"uri": post["uri"], "pinned": False, "changed": True}
    assert "no post" in refused("post", "pin", post["id"], *BEA)
    assert told("persona", "feature-tag", "add", "#Boats", *ANN)["featured_tags"] == ["#Boats"]
    assert told("persona", "feature-tag", "remove", "boats", *ANN)["featured_tags"] == []
    assert "is no hashtag" in refused("persona", "feature-tag", "add", "12", *ANN)


def test_a_post_is_quoted_as_its_author_lets(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    post = told("post", "create", "Hello", *ANN, "--audience", "public")
    quoting = told("post", "quote", post["uri"], "Look", *BEA)
    assert (quoting["quote"], quoting["quote_state"]) == (post["uri"], "accepted")
    assert told("post", "revoke-quote", post["id"], quoting["uri"], *ANN)["revoked"] is True
    assert told("post", "quote-policy", post["id"], "nobody", *ANN)["quote_policy"] == "nobody"
    assert refused("post", "quote", post["uri"], "Look", *BEA) == "Its author does not let you quote this."
    assert "no policy" in refused("post", "quote-policy", post["id"], "friends", *ANN)
    assert "no audience" in refused("post", "quote", post["uri"], "Look", *BEA, "--audience", "all")
    # What was refused was not written.
    assert len(told("post", "list", *BEA)) == 1


def test_somebody_is_reported(told: Callable[..., Any], refused: Callable[..., str]) -> None:
    post = told("post", "create", "Rude", *BEA, "--audience", "public")
    filed = told("report", f"@bea@{HERE}", *ANN, "--post", post["uri"], "--comment", "rude")
    assert filed["posts"] == [post["uri"]]
    (report,) = told("reports", "list")
    assert (report["target"], report["reporter"], report["comment"]) == (f"@bea@{HERE}", f"@ann@{HERE}", "rude")
    assert refused("report", f"@ann@{HERE}", *ANN) == "Nobody reports themselves."
    assert [told("reports", "close", report["id"])["changed"] for _ in range(2)] == [True, False]
    assert told("reports", "list") == []
    assert [each["closed"] for each in told("reports", "list", "--closed")] == [True]
    assert refused("reports", "close", "7") == "There is no such report."
