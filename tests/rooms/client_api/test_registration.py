"""Signing up by a program: what the form must say, who is let in, and what a letter does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import select

from browser import Browser
from fakes.post_office import PostOffice, deliver, post_office
from makers import make_persona, private_keys
from privapub import clock
from privapub.accounts import invitations, letters, waiting
from privapub.accounts.tables import account, letter, token
from privapub.actors import keys
from privapub.composing.sign_up import let_in
from privapub.database.connect import Database
from privapub.jobs.tables import job
from privapub.personas.read import by_handle
from program import Program, Town, town

ANN = {"username": "Ann", "email": "Ann@example.org", "password": "correct horse", "agreement": True, "locale": "en"}
ME = "/api/v1/accounts/verify_credentials"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)


async def program(sut: Town, scopes: str = "read write") -> Program:
    """A program by itself."""
    app = await sut.stranger.told(
        "POST", "/api/v1/apps", {"client_name": "A", "redirect_uris": "a:/b", "scopes": scopes}
    )
    given = {"grant_type": "client_credentials", "scope": scopes}
    given |= {"client_id": app["client_id"], "client_secret": app["client_secret"]}
    return Program(sut.sut, (await sut.stranger.told("POST", "/oauth/token", given))["access_token"])


async def wrong(by: Program, **given: Any) -> dict[str, list[str]]:
    """The words for what is wrong, by field."""
    answer = await by.ask("POST", "/api/v1/accounts", ANN | given)
    assert answer.status == 422, answer.body
    assert answer.json["error"].startswith("Validation failed: ")
    found = {name: [each["error"] for each in errors] for name, errors in answer.json["details"].items()}
    assert all(each["description"] for errors in answer.json["details"].values() for each in errors)
    return found


@asynccontextmanager
async def with_letters(database: Database, **settings: Any) -> AsyncIterator[tuple[Town, PostOffice]]:
    async with post_office() as office, town(database, smtp_url=office.url, **settings) as sut:
        yield sut, office


async def test_where_everybody_may_a_form_is_enough(database: Database) -> None:
    async with town(database, registrations="open") as sut:
        by = await program(sut)
        made = await by.told("POST", "/api/v1/accounts", ANN)
        assert (made["token_type"], made["scope"]) == ("Bearer", "read write")
        ann = Program(sut.sut, made["access_token"])
        assert (await ann.get(ME))["username"] == "Ann"
        assert await ann.get("/api/v1/emails/check_confirmation") is True
        not_waiting = (403, "This method is only available while the e-mail is awaiting confirmation")
        assert await ann.refused("POST", "/api/v1/emails/confirmations") == not_waiting
        browser = Browser(sut.sut)
        await browser.open("/auth/sign_in")
        assert (await browser.send(email="ann@example.org", password="correct horse")).status == 303


async def test_all_that_is_wrong_is_told_by_field(database: Database) -> None:
    async with town(database, registrations="open") as sut:
        by = await program(sut)
        await by.told("POST", "/api/v1/accounts", ANN)
        other = {"username": "bob", "email": "bob@example.org"}
        assert await wrong(by) == {"username": ["ERR_TAKEN"], "email": ["ERR_TAKEN"]}
        assert await wrong(by, **other, agreement=False) == {"agreement": ["ERR_ACCEPTED"]}
        assert await wrong(by, **other, password="short") == {"password": ["ERR_TOO_SHORT"]}
        assert await wrong(by, **other, password="x" * 1025) == {"password": ["ERR_TOO_LONG"]}
        assert await wrong(by, email="b@c", username="no good") == {"username": ["ERR_INVALID"]}
        assert await wrong(by, email="b@c", username="Admin") == {"username": ["ERR_RESERVED"]}
        assert await wrong(by, username="bob", email="nonsense") == {"email": ["ERR_INVALID"]}
        assert await wrong(by, **other, reason="x" * 1001) == {"reason": ["ERR_TOO_LONG"]}
        empty = {"username": "", "email": "", "password": "", "agreement": ""}
        assert await wrong(by, **empty) == {
            "username": ["ERR_BLANK"],
            "email": ["ERR_BLANK"],
            "password": ["ERR_BLANK"],
            "agreement": ["ERR_ACCEPTED"],
        }
        async with database.read() as tx:
            assert len(await tx.all(select(account))) == 1


async def test_who_may_not_sign_up_is_refused(database: Database) -> None:
    async with town(database) as sut:
        by = await program(sut)
        assert await by.refused("POST", "/api/v1/accounts", ANN) == (403, "This action is not allowed")
    async with town(database, registrations="open") as sut:
        assert (await sut.stranger.refused("POST", "/api/v1/accounts", ANN))[0] == 401
        assert (await (await program(sut, "read")).refused("POST", "/api/v1/accounts", ANN))[0] == 403
        _, alice = await sut.program("alice")
        assert (await alice.refused("POST", "/api/v1/accounts", ANN))[0] == 422
        async with database.read() as tx:
            assert await tx.all(select(account)) == []


async def test_an_invitation_lets_in_as_many_as_it_says(database: Database) -> None:
    async with town(database, registrations="invitation") as sut:
        by = await program(sut)
        assert await wrong(by) == {"invite_code": ["ERR_INVALID"]}
        assert await wrong(by, invite_code="guess") == {"invite_code": ["ERR_INVALID"]}
        async with database.write() as tx:
            _, word = await invitations.create(tx, 1, clock.now() + 100, clock.now())
            _, late = await invitations.create(tx, 1, clock.now() - 1, clock.now())
        assert await wrong(by, invite_code=late) == {"invite_code": ["ERR_INVALID"]}
        # What is wrong elsewhere uses up nothing.
        assert await wrong(by, invite_code=word, password="short") == {"password": ["ERR_TOO_SHORT"]}
        made = await by.told("POST", "/api/v1/accounts", ANN | {"invite_code": word})
        assert (await Program(sut.sut, made["access_token"]).get(ME))["username"] == "Ann"
        bob = {"username": "bob", "email": "bob@example.org", "invite_code": word}
        assert await wrong(by, **bob) == {"invite_code": ["ERR_INVALID"]}


async def test_who_waits_for_approval_is_nobody_until_then(database: Database) -> None:
    async with town(database, registrations="approval") as sut:
        by = await program(sut)
        assert await wrong(by) == {"reason": ["ERR_BLANK"]}
        made = await by.told("POST", "/api/v1/accounts", ANN | {"reason": "I like it"})
        ann = Program(sut.sut, made["access_token"])
        assert await ann.refused("GET", ME) == (403, "Your login is currently pending approval")
        assert await ann.get("/api/v1/emails/check_confirmation") is True
        assert (await sut.sut.get("/@Ann", accept="text/html")).status == 404
        browser = Browser(sut.sut)
        await browser.open("/auth/sign_in")
        assert (await browser.send(email="ann@example.org", password="correct horse")).status == 403
        # The handle is kept meanwhile.
        assert await wrong(by, username="ANN", email="b@c", reason="x") == {"username": ["ERR_TAKEN"]}
        async with database.read() as tx:
            (row,) = await waiting.everyone(tx)
            assert (row.handle, row.reason, row.email) == ("Ann", "I like it", "ann@example.org")
            assert await by_handle(tx, "ann") is None
        assert await let_in(sut.sut.server, row.account_id, clock.now(), approval=True) is None
        assert (await ann.get(ME))["username"] == "Ann"


async def test_who_is_turned_away_leaves_nothing(database: Database) -> None:
    async with town(database, registrations="approval") as sut:
        by = await program(sut)
        made = await by.told("POST", "/api/v1/accounts", ANN | {"reason": "x"})
        async with database.write() as tx:
            (row,) = await waiting.everyone(tx)
            assert await waiting.turn_away(tx, row.account_id)
            assert not await waiting.turn_away(tx, row.account_id)
        assert (await Program(sut.sut, made["access_token"]).refused("GET", ME))[0] == 401
        async with database.read() as tx:
            assert await tx.all(select(account)) == []
        await by.told("POST", "/api/v1/accounts", ANN | {"reason": "again"})


async def test_a_letter_confirms_the_address(database: Database) -> None:
    async with with_letters(database, registrations="open") as (sut, office):
        by = await program(sut)
        made = await by.told("POST", "/api/v1/accounts", ANN)
        ann = Program(sut.sut, made["access_token"])
        assert await ann.refused("GET", ME) == (403, "Your login is missing a confirmed e-mail address")
        assert await ann.get("/api/v1/emails/check_confirmation") is False
        await deliver(sut.sut)
        ((to, sent),) = office.letters
        assert (to, sent["From"], sent["To"]) == ("ann@example.org", "town@sut.test", "ann@example.org")
        assert "sut.test" in sent["Subject"]
        browser = Browser(sut.sut)
        link = office.link("ann@example.org")
        assert (await browser.get(link)).status == 200
        assert (await ann.refused("GET", ME))[0] == 403  # what only looks at links confirms nothing
        await browser.send("It is mine")
        assert "confirmed" in browser.says()
        assert (await ann.get(ME))["username"] == "Ann"
        assert await ann.get("/api/v1/emails/check_confirmation") is True
        assert (await browser.get(link)).status == 404  # once


async def test_another_letter_may_go_to_another_address_and_the_first_is_void(database: Database) -> None:
    async with with_letters(database, registrations="open") as (sut, office):
        by = await program(sut)
        await by.told("POST", "/api/v1/accounts", ANN | {"username": "bob", "email": "bob@example.org"})
        ann = Program(sut.sut, (await by.told("POST", "/api/v1/accounts", ANN))["access_token"])
        await deliver(sut.sut)
        first = office.link("ann@example.org")
        again = "/api/v1/emails/confirmations"
        assert (await ann.refused("POST", again, {"email": "bob@example.org"}))[0] == 422
        assert (await ann.refused("POST", again, {"email": "nonsense"}))[0] == 422
        assert await ann.told("POST", again, {"email": "New@example.org"}) == {}
        await deliver(sut.sut)
        browser = Browser(sut.sut)
        assert (await browser.get(first)).status == 404
        assert (await ann.refused("POST", again))[0] == 429  # three letters are enough for a while
        await browser.open(office.link("new@example.org"))
        await browser.send("It is mine")
        assert (await ann.get(ME))["username"] == "Ann"
        await browser.open("/auth/sign_in")
        assert (await browser.send(email="new@example.org", password="correct horse")).status == 303


async def test_both_letter_and_approval_are_waited_for(database: Database) -> None:
    async with with_letters(database, registrations="approval") as (sut, office):
        by = await program(sut)
        made = await by.told("POST", "/api/v1/accounts", ANN | {"reason": "x"})
        ann = Program(sut.sut, made["access_token"])
        await deliver(sut.sut)
        browser = Browser(sut.sut)
        await browser.open(office.link("ann@example.org"))
        await browser.send("It is mine")
        assert "will look" in browser.says()
        assert await ann.refused("GET", ME) == (403, "Your login is currently pending approval")


async def test_who_does_not_answer_is_forgotten_after_two_days(database: Database) -> None:
    async with with_letters(database, registrations="open") as (sut, office):
        by = await program(sut)
        await by.told("POST", "/api/v1/accounts", ANN)
        await deliver(sut.sut)
        for after, left in ((86_400.0, 1), (86_500.0, 0)):
            clock.advance(after)
            async with database.write() as tx:
                await waiting.prune(tx, clock.now())
                await letters.prune(tx, clock.now())
                assert [len(await tx.all(select(table))) for table in (account, letter)] == [left, left]
        async with database.read() as tx:
            assert await tx.all(select(token).where(token.c.persona_id.is_not(None))) == []
        assert (await Browser(sut.sut).get(office.link("ann@example.org"))).status == 404


async def test_of_very_many_who_wait_the_newest_stay(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST", 2)
    async with town(database, registrations="approval") as sut:
        by = await program(sut)
        for number in range(4):
            each = {"username": f"a{number}", "email": f"a{number}@example.org", "reason": "x"}
            await by.told("POST", "/api/v1/accounts", ANN | each)
            clock.advance(1)
        async with database.write() as tx:
            await waiting.prune(tx, clock.now())
            assert [row.handle for row in await waiting.everyone(tx)] == ["a2", "a3"]


async def test_a_handle_that_another_got_meanwhile_stays_theirs(database: Database) -> None:
    async with town(database, registrations="approval") as sut:
        by = await program(sut)
        await by.told("POST", "/api/v1/accounts", ANN | {"reason": "x"})
        async with database.write() as tx:
            (row,) = await waiting.everyone(tx)
            theirs = await make_persona(tx, "ann")
        assert await let_in(sut.sut.server, row.account_id, clock.now(), approval=True) is None
        async with database.read() as tx:
            found = await by_handle(tx, "ann")
            assert found is not None
            assert found.id == theirs.id


async def test_the_queue_knows_neither_addresses_nor_links(database: Database) -> None:
    async with with_letters(database, registrations="open") as (sut, office):
        await (await program(sut)).told("POST", "/api/v1/accounts", ANN)
        await deliver(sut.sut)
        secret = office.link("ann@example.org").partition("token=")[2]
        async with database.read() as tx:
            kept = repr(await tx.all(select(job))) + repr(await tx.all(select(letter.c.hash)))
        assert "ann@" not in kept.lower()
        assert secret not in kept


@pytest.mark.parametrize(("refuses", "state"), [("550 no such user", "failed"), ("450 later", "waiting")])
async def test_what_is_not_taken_is_tried_again_unless_it_never_will_be(
    database: Database, refuses: str, state: str
) -> None:
    async with with_letters(database, registrations="open") as (sut, office):
        office.refuses = refuses
        await (await program(sut)).told("POST", "/api/v1/accounts", ANN)
        await deliver(sut.sut)
        async with database.read() as tx:
            (row,) = await tx.all(select(job).where(job.c.kind == letters.LETTER))
        assert row.state == state
        assert "ann@" not in repr(row).lower()


async def test_sign_ups_are_so_many_from_one_network(database: Database) -> None:
    async with town(database, registrations="open", sign_ups_per_address=2) as sut:
        by = await program(sut)
        found = []
        for number in range(3):
            each = ANN | {"username": f"a{number}", "email": f"a{number}@example.org"}
            answer = await by.ask("POST", "/api/v1/accounts", each, X_Forwarded_For="203.0.113.1")
            found.append(answer.status)
        assert found == [200, 200, 429]
