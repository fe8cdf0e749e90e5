"""`privapub federation relay …`: what is typed, and what it says."""

from collections.abc import Callable
from typing import Any

Told = Callable[..., Any]
Refused = Callable[..., str]

INBOX = "https://relay.example/inbox"


def test_a_relay_is_added_shown_and_removed(told: Told) -> None:
    assert told("federation", "relay", "list") == []
    added = told("federation", "relay", "add", INBOX)
    assert (added["inbox"], added["actor"], added["state"]) == (INBOX, None, "pending")
    assert told("federation", "relay", "add", INBOX)["state"] == "pending"
    assert [each["inbox"] for each in told("federation", "relay", "list")] == [INBOX]
    jobs = told("jobs", "list")
    assert [job["kind"] for job in jobs if job["kind"] == "relay_asked"]
    assert told("federation", "relay", "remove", INBOX)["inbox"] == INBOX
    assert told("federation", "relay", "list") == []


def test_what_is_no_relay_is_refused(told: Told, refused: Refused) -> None:
    told("domain", "block", "blocked.example")
    for where in ("relay.example", "ftp://relay.example/inbox", "http://localhost:8000/inbox", "https://x y/inbox"):
        assert "no address of a relay" in refused("federation", "relay", "add", where)
    assert "keeps that host out" in refused("federation", "relay", "add", "https://a.blocked.example/inbox")
    assert "no such relay" in refused("federation", "relay", "remove", INBOX)
    assert told("federation", "relay", "list") == []


def test_for_people_there_are_words(typed: Callable[..., int], told: Told, capsys: Any) -> None:
    told("federation", "relay", "add", INBOX)
    assert typed("federation", "relay", "list") == 0
    assert INBOX in capsys.readouterr().out
