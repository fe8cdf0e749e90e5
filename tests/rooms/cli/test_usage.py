"""What is typed wrongly is answered in one style: a sentence, what to do, and the same as JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fakes import ports

Type = Callable[..., int]
HERE = "localhost:8000"
ANN = ("--persona", "ann")
LARGE = "9" * 30

Wrong = Callable[..., tuple[int, str, str]]


@pytest.fixture
def wrong(typed: Type, told: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> Wrong:
    """Exit status, sentence and hint of a command that fails, alike in text and in JSON."""
    del told

    def wrong_(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = typed(*words, "--json")
        said = json.loads(capsys.readouterr().out)
        assert typed(*words) == status
        text = capsys.readouterr().err
        assert text.startswith(f"Error: {said['error']}\n")
        assert not said["hint"] or f"Hint: {said['hint']}" in text
        for leak in ("pydantic", "Input should", "validation", "Usage:", "╭", "Traceback"):
            assert leak not in text
        return status, said["error"], said["hint"]

    return wrong_


@pytest.mark.parametrize(
    ("words", "sentence", "hint"),
    [
        (("post", "list"), "--persona is missing.", "`privapub persona list`"),
        (("post", "like", *ANN), "POST is missing.", "number, address or page"),
        (("post", "vote", "1", *ANN), "NUMBER is missing.", "first one of the poll is 1"),
        (("post", "list", *ANN, "--limit", "0"), "--limit takes a number from 1 to 10000.", "How many"),
        (("post", "list", *ANN, "--before", "x"), "--before takes a number.", "next page"),
        (("list", "put", "x", f"@bea@{HERE}", *ANN), "ID takes a number.", "`privapub list list`"),
        (("post", "vote", "1", "one", *ANN), "NUMBER takes a number.", ""),
        (("mute", "add", f"@bea@{HERE}", *ANN, "--hours", "long"), "--hours takes a number from 0.01.", "how long"),
        (("post", "lst"), "There is no command 'lst' here.", "list"),
        (("post", "list", *ANN, "--limt", "3"), "There is no option --limt.", "--limit"),
        (("post", "like", "1", "2", *ANN), "Too many words: 2.", "quotation marks"),
    ],
)
def test_what_is_not_of_the_form_of_a_command(wrong: Wrong, words: tuple[str, ...], sentence: str, hint: str) -> None:
    status, said, what_to_do = wrong(*words)
    assert (status, said) == (2, sentence)
    assert hint in what_to_do


@pytest.mark.usefixtures("told")
def test_an_option_that_lacks_its_value(typed: Type, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("post", "list", *ANN, "--limit") == 2
    assert capsys.readouterr().err == "Error: --limit needs a value.\nHint: Write it as --limit VALUE.\n"


@pytest.mark.parametrize("which", ["nonsense", f"@bea@{HERE}", LARGE, "", "-", "https://"])
@pytest.mark.parametrize(
    "words",
    [
        ("post", "like", "{}"),
        ("post", "unlike", "{}"),
        ("post", "boost", "{}"),
        ("post", "vote", "{}", "1"),
        ("post", "quote", "{}", "Look"),
        ("post", "delete", "{}"),
        ("post", "thread", "{}"),
        ("post", "create", "Hi", "--audience", "public", "--reply-to", "{}"),
        ("report", f"@bea@{HERE}", "--post", "{}"),
    ],
)
def test_what_can_be_no_post(refused: Callable[..., str], words: tuple[str, ...], which: str) -> None:
    said = refused(*(word.format(which) for word in words), *ANN)
    assert said == f"{which!r} is neither the number nor the address of a post."


def test_what_is_not_here(wrong: Wrong) -> None:
    assert wrong("post", "like", "4711", *ANN)[1:] == (
        "There is no post 4711.",
        "It may be deleted, or not be meant for whoever asks.",
    )
    assert wrong("post", "like", f"http://{HERE}/posts/none", *ANN)[1] == "There is no such post here."


def test_who_does_not_answer_is_named_with_its_port(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_ALLOW_ADDRESSES", "127.0.0.1/32")
    place = f"127.0.0.1:{ports.free()}"
    for words in (
        ("post", "like", f"http://{place}/1"),
        ("post", "create", "Hi", "--audience", "public", "--reply-to", f"http://{place}/2"),
        ("follow", "add", f"http://{place}/3"),
    ):
        _, said, hint = wrong(*words, *ANN)
        assert said == f"Nobody answers at {place}."
        assert "the port" in hint


@pytest.mark.parametrize(
    ("words", "sentence", "hint"),
    [
        (("follow", "add", f"@nobody@{HERE}", *ANN), f"There is no @nobody@{HERE}.", "spelled"),
        (("follow", "add", "", *ANN), "An address is missing.", "@somebody@example.org"),
        (("list", "remove", "7", *ANN), "There is no such list.", "`privapub list list`"),
        (("federation", "show", ""), "What is to be shown is missing.", "@somebody"),
        (("federation", "show", "4711"), "Nothing is known of 4711.", "held here"),
        (("persona", "show", "nobody"), "There is no persona 'nobody'.", "`privapub persona list`"),
        (("persona", "edit", "ann", "--field", "A=b", "--no-fields"), "--field and --no-fields contradict", "one"),
    ],
)
def test_what_there_is_not(wrong: Wrong, words: tuple[str, ...], sentence: str, hint: str) -> None:
    status, said, what_to_do = wrong(*words)
    assert status == 1
    assert said.startswith(sentence)
    assert hint in what_to_do


def test_what_a_post_does_not_let_one_do(wrong: Wrong, told: Callable[..., Any]) -> None:
    bea = ("--persona", "bea")
    poll = ("--poll", "Tea", "--poll", "Milk")
    post = told("post", "create", "Which?", *bea, "--audience", "public", *poll)["id"]
    assert wrong("post", "vote", post, "9", *ANN)[1:] == ("This poll has no answer 9.", "Its answers: 1 Tea; 2 Milk.")
    assert wrong("post", "vote", post, "0", *ANN)[1] == "This poll has no answer 0."
    told("post", "vote", post, "1", *ANN)
    assert "neither changed" in wrong("post", "vote", post, "2", *ANN)[2]
    for emoji in ("", " "):
        for verb in ("react", "unreact"):
            assert wrong("post", verb, post, emoji, *ANN)[1] == "An emoji is missing."
    assert "one emoji" in wrong("post", "react", post, ":cat:", *ANN)[2]
    assert "whole address" in wrong("post", "revoke-quote", post, "http://elsewhere.example/1", *bea)[2]
    told("post", "quote-policy", post, "nobody", *bea)
    assert "address" in wrong("post", "quote", post, "Look", *ANN)[2]
    told("block", "add", f"@ann@{HERE}", *bea)
    assert "taken back" in wrong("follow", "add", f"@bea@{HERE}", *ANN)[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--poll", "A", "--poll", "B", "--poll-ends", "tomorrow"),
            "--poll-ends takes a length of time, and 'tomorrow'",
        ),
        (("--poll-ends", "1d"), "--poll-ends is about a poll, and there is none."),
        (("--poll-multiple",), "--poll-multiple is about a poll, and there is none."),
    ],
)
def test_a_poll_is_asked_whole(wrong: Wrong, words: tuple[str, ...], sentence: str) -> None:
    _, said, hint = wrong("post", "create", "Which?", *ANN, "--audience", "public", *words)
    assert said.startswith(sentence)
    assert hint
