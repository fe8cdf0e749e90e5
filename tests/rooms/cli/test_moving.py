"""Aliases, moves and what is shown of a persona, as they are typed."""

from collections.abc import Callable
from typing import Any

import pytest

Type = Callable[..., int]
HERE = "localhost:8000"
ANN, BEA, CARL = f"@ann@{HERE}", f"@bea@{HERE}", f"@carl@{HERE}"


@pytest.fixture
def carl(told: Callable[..., Any]) -> str:
    """Somebody of another account than ann and bea; the uri."""
    told("account", "create", "c@d.example", "--password-stdin", given=b"long enough")
    uri: str = told("persona", "create", "carl", "--account", "c@d.example")["id"]
    return uri


def test_that_personas_are_of_one_account_is_not_told_unless_it_is_meant(
    told: Callable[..., Any], refused: Callable[..., str]
) -> None:
    told("persona", "alias", "add", "bea", ANN, "--link-publicly")
    told("persona", "alias", "remove", "bea", ANN)
    assert "one account" in refused("persona", "alias", "add", "bea", ANN)
    assert told("persona", "alias", "list", "bea") == []
    told("persona", "alias", "add", "bea", ANN, "--link-publicly")
    assert "one account" in refused("persona", "move", "ann", "--to", BEA, "--yes")
    assert told("persona", "show", "ann")["moved_to"] is None
    assert told("persona", "move", "ann", "--to", BEA, "--yes", "--link-publicly")["changed"] is True


def test_a_persona_moves_to_where_it_is_awaited(
    told: Callable[..., Any], refused: Callable[..., str], carl: str
) -> None:
    move = ("persona", "move", "ann", "--to", CARL, "--yes")
    assert "does not say" in refused(*move)
    ann = told("persona", "show", "ann")
    assert told("persona", "alias", "add", "carl", ANN)["also_known_as"] == [ann["id"]]
    assert told("persona", "alias", "add", "carl", ANN)["changed"] is False
    assert told("persona", "alias", "list", "carl") == [ann["id"]]
    assert (told(*move)["moved_to"], told(*move)["changed"]) == (carl, False)
    assert [one["moved_to"] for one in told("persona", "list")] == [carl, None, None]
    assert told("persona", "alias", "remove", "carl", ann["id"])["also_known_as"] == []


def test_a_move_is_done_after_a_yes(
    told: Callable[..., Any], refused: Callable[..., str], typed: Type, carl: str
) -> None:
    told("persona", "alias", "add", "carl", ANN)
    move = ("persona", "move", "ann", "--to", CARL)
    assert "with --json" in refused(*move)  # and does not wait for an answer
    for answer in (b"", b"n\n"):
        assert typed(*move, given=answer) == 1
        assert told("persona", "show", "ann")["moved_to"] is None
    assert typed(*move, given=b"y\n") == 0
    assert told("persona", "show", "ann")["moved_to"] == carl


@pytest.mark.usefixtures("carl")
def test_who_has_moved_writes_nothing_new_until_the_move_is_taken_back(
    told: Callable[..., Any], refused: Callable[..., str]
) -> None:
    told("persona", "alias", "add", "carl", ANN)
    told("persona", "move", "ann", "--to", CARL, "--yes")
    create = ("post", "create", "Hello", "--persona", "ann", "--audience", "public")
    assert "has moved to" in refused(*create)
    assert [told("persona", "unmove", "ann")["changed"] for _ in range(2)] == [True, False]
    assert told(*create)["text"] == "Hello"


def test_all_of_a_persona_is_shown(told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]) -> None:
    post = told("post", "create", "Hello", "--persona", "ann", "--audience", "public")
    told("post", "pin", post["id"], "--persona", "ann")
    told("persona", "feature-tag", "add", "Boats", "--persona", "ann")
    told("persona", "edit", "ann", "--bio", "Sails", "--field", "Home=sea")
    shown = told("persona", "show", "ann")
    assert (shown["bio"], shown["featured_tags"], shown["moved_to"]) == ("Sails", ["#Boats"], None)
    assert [each["uri"] for each in shown["pinned"]] == [post["uri"]]
    assert typed("persona", "show", "@ann") == 0
    said = capsys.readouterr().out
    for part in ("Sails", "#Boats", "Home: sea", post["uri"]):
        assert part in said
