"""Typed: invitations, who waits to be let in, codes that are asked for, passkeys, announcements."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from sqlalchemy import select

from privapub.accounts import passkeys, second_factor, waiting
from privapub.accounts import sign_up as accounts
from privapub.accounts.tables import letter
from privapub.cli.opened import settings
from privapub.database.connect import Database

NOW = 1_800_000_000.0
Told = Callable[..., Any]


def within(work: Callable[[Any], Any]) -> Any:
    """Do this in a transaction of the installation."""

    async def opened() -> Any:
        database = Database(settings().database)
        try:
            async with database.write() as tx:
                return await work(tx)
        finally:
            await database.close()

    return anyio.run(opened)


def waits(email: str, handle: str, *, for_email: bool = False) -> None:
    """Somebody has signed up."""

    async def work(tx: Any) -> None:
        account_id = await accounts.create(tx, email, "hash", NOW)
        number = account_id + 1
        kept = {"for_email": for_email, "for_approval": True, "reason": "I like it", "now": NOW}
        assert await waiting.put(tx, account_id, handle, number, **kept)

    within(work)


def test_invitations_are_made_listed_and_taken_back(told: Told, refused: Callable[..., str]) -> None:
    made = told("invitation", "create", "--uses", "3", "--days", "7")
    assert made["url"].endswith(f"/auth/sign_up?invitation={made['word']}")
    (row,) = told("invitation", "list")
    assert (row["id"], row["uses_left"]) == (made["id"], 3)
    assert made["word"] not in repr(row)
    told("invitation", "revoke", made["id"])
    assert told("invitation", "list") == []
    assert refused("invitation", "revoke", made["id"]) == "There is no such invitation."


def test_who_waits_is_let_in_or_turned_away(told: Told, refused: Callable[..., str]) -> None:
    waits("cleo@b.example", "Cleo")
    waits("dan@b.example", "dan")
    found = told("account", "waiting")
    assert [(row["email"], row["handle"], row["waits_for"]) for row in found] == [
        ("cleo@b.example", "Cleo", "approval"),
        ("dan@b.example", "dan", "approval"),
    ]
    assert told("account", "approve", "cleo@b.example")["in"] is True
    assert {"email": "cleo@b.example", "personas": ["Cleo"]} in told("account", "list")
    told("account", "reject", "dan@b.example")
    assert told("account", "waiting") == []
    assert "dan@b.example" not in repr(told("account", "list"))
    for word in ("approve", "reject"):
        assert refused("account", word, "a@b.example") == "Nobody waits with a@b.example."


def test_an_approved_account_may_still_wait_for_its_letter(told: Told) -> None:
    waits("cleo@b.example", "cleo", for_email=True)
    assert told("account", "approve", "cleo@b.example")["in"] is False
    (row,) = told("account", "waiting")
    assert row["waits_for"] == "letter"


def test_codes_are_asked_for_no_more(told: Told, refused: Callable[..., str]) -> None:
    async def work(tx: Any) -> None:
        account_id = await accounts.create(tx, "cleo@b.example", "hash", NOW)
        await second_factor.offer(tx, account_id)

    within(work)
    assert told("account", "totp-reset", "cleo@b.example")["asked"] is True
    assert told("account", "totp-reset", "cleo@b.example")["asked"] is False
    assert refused("account", "totp-reset", "nobody@b.example") == "There is no account nobody@b.example."


def test_passkeys_are_removed_for_who_lost_a_device(
    told: Told, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def add(tx: Any) -> None:
        account_id = await accounts.create(tx, "cleo@b.example", "hash", NOW)
        await passkeys.handle_of(tx, account_id)
        for number in range(2):
            await passkeys.add(tx, account_id, b"%d" % number, b"key", 0, "phone", NOW)

    async def letters_of(tx: Any) -> list[str]:
        return [row.address for row in await tx.all(select(letter))]

    within(add)
    monkeypatch.setenv("PRIVAPUB_SMTP_URL", "smtp://127.0.0.1:1?from=town@b.example")
    assert told("account", "passkey-reset", "cleo@b.example")["removed"] == 2
    assert told("account", "passkey-reset", "cleo@b.example")["removed"] == 0
    assert within(letters_of) == ["cleo@b.example"]
    assert refused("account", "passkey-reset", "nobody@b.example") == "There is no account nobody@b.example."


def test_announcements_are_written_listed_and_removed(told: Told, refused: Callable[..., str]) -> None:
    first = told("announcement", "write", "Hello all", "--hours", "2")
    told("announcement", "write", "For ever")
    found = told("announcement", "list")
    assert [(row["text"], row["until"] is None) for row in found] == [("For ever", True), ("Hello all", False)]
    told("announcement", "remove", first["id"])
    assert [row["text"] for row in told("announcement", "list")] == ["For ever"]
    assert refused("announcement", "remove", first["id"]) == "There is no such announcement."
    assert "1 to 5000" in refused("announcement", "write", " ")
