"""Rules about domains, typed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from makers import make_follow, make_remote
from privapub.database.connect import Database
from privapub.personas.read import by_handle

Told = Callable[..., Any]
Type = Callable[..., int]


def test_a_rule_is_made_changed_listed_and_taken_away(told: Told) -> None:
    done = told("domain", "block", "BAD.example.", "--public", "spam", "--private", "seen by ann")
    assert done["rule"] == {
        "domain": "bad.example",
        "severity": "block",
        "reject_media": False,
        "reject_reports": False,
        "public_comment": "spam",
        "private_comment": "seen by ann",
        "obfuscate": False,
    }
    assert done["changed"] is True
    assert told("domain", "limit", "bad.example", "--reject-media")["rule"]["public_comment"] == "spam"
    told("domain", "reject", "*.noisy.example", "--reports")
    told("domain", "allow", "good.bad.example")
    assert [(row["domain"], row["severity"]) for row in told("domain", "list")] == [
        ("bad.example", "limit"),
        ("good.bad.example", "allow"),
        ("*.noisy.example", "none"),
    ]
    assert [row["domain"] for row in told("domain", "list", "--severity", "allow")] == ["good.bad.example"]
    assert told("domain", "remove", "bad.example:443")["was"]["severity"] == "limit"
    assert len(told("domain", "list")) == 2


def test_it_is_said_which_rule_decides_and_why(told: Told) -> None:
    told("domain", "block", "bad.example")
    found = told("domain", "check", "Sub.bad.example:8443")
    assert (found["host"], found["standing"], found["rule"]["domain"]) == ("sub.bad.example", "blocked", "bad.example")
    assert found["why"] == "it is blocked by the rule for bad.example, which is about all below bad.example"
    assert (found["takes_media"], found["takes_reports"]) == (False, False)
    assert told("domain", "check", "other.example")["why"] == "no rule is about it"
    assert told("domain", "check", "localhost:8000")["why"] == "it is this server itself"


def test_what_cannot_be_is_refused_in_a_sentence(refused: Callable[..., str]) -> None:
    assert "is no domain" in refused("domain", "block", "a/b")
    assert "is no domain" in refused("domain", "block", "*.*.example")
    assert "this server itself" in refused("domain", "block", "localhost")
    assert "There is no rule" in refused("domain", "remove", "bad.example")
    assert "nothing to reject" in refused("domain", "reject", "bad.example")
    assert "no severity" in refused("domain", "list", "--severity", "mild")
    assert "is no host" in refused("domain", "check", "*.example.org")
    assert "cannot be read" in refused("domain", "import", "nowhere.csv")


LIST = """#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate
bad.example,suspend,false,false,"spam, a lot",true
loud.example,silence,true,false,,false
fine.example,noop,false,true,,false
localhost,suspend,false,false,,false
not a domain,suspend,false,false,,false
"""


def test_a_list_of_mastodon_is_seen_first_then_taken_and_given_again(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "blocks.csv"
    file.write_text(LIST)
    seen = told("domain", "import", str(file))
    assert seen["done"] is False
    assert [(row["domain"], row["severity"], row["what"]) for row in seen["rows"]] == [
        ("bad.example", "block", "new"),
        ("loud.example", "limit", "new"),
        ("fine.example", "none", "new"),
        ("localhost", "block", "this server"),
        ("not a domain", None, "no rule"),
    ]
    assert told("domain", "list") == []
    assert told("domain", "import", str(file), "--yes")["done"] is True
    assert [row["what"] for row in told("domain", "import", str(file))["rows"]][:3] == ["same"] * 3
    out = tmp_path / "out.csv"
    assert told("domain", "export", str(out))["rows"] == 3
    assert set(out.read_text().splitlines()) == set(LIST.splitlines()[:4])


async def befriend(file: Path) -> None:
    """ann follows two at bad.example, one of whom follows her, and one at loud.example."""
    database = Database(f"sqlite:///{file}")
    async with database.write() as tx:
        ann = await by_handle(tx, "ann")
        assert ann is not None
        for address in ("carol@bad.example", "dave@bad.example", "erin@loud.example"):
            other = await make_remote(tx, address)
            await make_follow(tx, ann.id, other.id)
            if address.startswith("carol"):
                await make_follow(tx, other.id, ann.id)
    await database.close()


def test_it_is_seen_first_how_many_follows_each_row_cuts_and_they_come_back(told: Told, tmp_path: Path) -> None:
    anyio.run(befriend, tmp_path / "privapub.sqlite3")
    file = tmp_path / "blocks.csv"
    file.write_text(LIST)
    cut = {"bad.example": (3, 1, 2), "loud.example": (0, 0, 0), "fine.example": (0, 0, 0)}
    for words in ((), ("--yes",)):
        rows = told("domain", "import", str(file), *words)["rows"]
        told_of = {row["domain"]: (row["follows"], row["followers"], row["following"]) for row in rows}
        assert {domain: told_of[domain] for domain in cut} == cut
    assert told("domain", "check", "bad.example")["suspended"] == 3
    assert told("domain", "remove", "bad.example")["follows"] == 3
    after = told("domain", "check", "bad.example")
    assert (after["followers"], after["following"], after["suspended"]) == (1, 2, 0)


def test_a_list_of_names_leaves_what_there_is_unless_told_otherwise(told: Told) -> None:
    told("domain", "limit", "one.example", "--private", "mine")
    names = b"one.example\n*.two.example\n"
    rows = told("domain", "import", "-", given=names)["rows"]
    assert [(row["domain"], row["what"]) for row in rows] == [
        ("one.example", "left as it is"),
        ("*.two.example", "new"),
    ]
    told("domain", "import", "-", "--replace", "--yes", given=names)
    assert [(row["domain"], row["severity"], row["private_comment"]) for row in told("domain", "list")] == [
        ("one.example", "block", "mine"),
        ("*.two.example", "block", ""),
    ]
    told("domain", "import", "-", "--as", "allow", "--replace", "--yes", given=b"#domain\none.example\n")
    assert told("domain", "export", "--allowed")["csv"] == "#domain\none.example\n"


def test_what_people_read(typed: Type, told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    told("domain", "block", "bad.example")
    capsys.readouterr()
    assert typed("domain", "limit", "loud.example", "--reject-media") == 0
    assert "shown to those who follow its author, but its media are not taken" in capsys.readouterr().out
    assert typed("domain", "list") == 0
    assert "bad.example" in capsys.readouterr().out
    assert typed("domain", "import", "-", given=LIST.encode()) == 0
    out = capsys.readouterr().out
    assert "0 follows would be suspended. Nothing was done: --yes does it." in out
    assert typed("domain", "import", "-", given=b"loud.example\n") == 0
    assert "What is left as it is has another rule already: --replace changes that too." in capsys.readouterr().out
    assert typed("domain", "import", "-", given=b"") == 0
    assert capsys.readouterr().out == "There is no row in this list.\n"
