"""Signing in at the pages: by e-mail address and password, with a cookie that is good here and nowhere else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select

from asgi import Application, serving
from browser import Browser
from privapub import clock
from privapub.accounts import passwords, sessions, sign_up
from privapub.accounts.tables import session
from privapub.database.connect import Database

EMAIL, PASSWORD = "ann@example.org", "correct horse"
SECURITY = "/settings/security"


@asynccontextmanager
async def town(database: Database, **settings: str) -> AsyncIterator[Application]:
    """A server with one account."""
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        await sign_up.create(tx, EMAIL, hashed, clock.now())
    async with serving(database, **settings) as sut:
        yield sut


async def test_who_knows_the_password_is_in_and_out_again(database: Database) -> None:
    async with town(database) as sut:
        ann = Browser(sut)
        assert (await ann.open("/auth/sign_in")).status == 200
        before = dict(ann.cookies)
        done = await ann.send(email=EMAIL.upper(), password=PASSWORD)
        assert (done.status, done.headers["location"]) == (303, SECURITY)
        cookie = done.headers["set-cookie"]
        assert cookie.startswith("__Host-privapub=")
        assert {"HttpOnly", "Path=/", "Secure", "SameSite=lax"} <= {part.strip() for part in cookie.split(";")}
        assert "domain" not in cookie.lower()
        assert ann.cookies != before  # nobody can have prepared it
        assert (await ann.get("/auth/sign_in")).status == 303
        kept = dict(ann.cookies)
        await ann.get("/auth/sign_in?again=1&next=/settings/security")
        assert (await ann.send("Sign out")).headers["location"] == "/auth/sign_in"
        ann.cookies = kept
        assert (await ann.get("/auth/sign_in")).status == 200  # the session is over, not the cookie alone


@pytest.mark.parametrize(
    ("email", "password"), [(EMAIL, "wrong"), ("bob@example.org", PASSWORD), ("", ""), (EMAIL, "")]
)
async def test_what_is_wrong_is_not_told(database: Database, email: str, password: str) -> None:
    async with town(database) as sut:
        eve = Browser(sut)
        await eve.open("/auth/sign_in")
        refused = await eve.send(email=email, password=password)
        assert refused.status == 422
        assert "The e-mail address or the password is wrong." in eve.says()
        assert (await eve.get("/auth/sign_in")).status == 200


async def test_a_password_is_reckoned_for_who_has_no_account_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str | None] = []

    async def check(kept: str | None, _password: str) -> bool:
        compared.append(kept)
        return False

    monkeypatch.setattr(passwords, "check_password", check)
    async with town(database) as sut:
        eve = Browser(sut)
        await eve.open("/auth/sign_in")
        for email in (EMAIL, "nobody@example.org"):
            await eve.send(email=email, password="x")
    assert len(compared) == 2
    assert compared[1] is None


async def test_a_form_of_another_page_or_another_visitor_is_refused(database: Database) -> None:
    async with town(database) as sut:
        ann, eve = Browser(sut), Browser(sut)
        given = {"email": EMAIL, "password": PASSWORD}
        assert (await ann.post("/auth/sign_in", given)).status == 400  # no cookie, no token
        await ann.open("/auth/sign_in")
        assert (await ann.post("/auth/sign_in", given)).status == 400
        await eve.open("/auth/sign_in")
        theirs = {"form_token": sessions.form_token(eve.cookies["__Host-privapub"])}
        assert (await ann.post("/auth/sign_in", given | theirs)).status == 400
        assert "anew" in ann.says()
        assert (await ann.post("/auth/sign_out", {})).status == 400


async def test_who_guesses_waits_and_is_told_how_long(database: Database) -> None:
    async with town(database) as sut:
        eve = Browser(sut, at="203.0.113.9")
        await eve.open("/auth/sign_in")
        refused = [(await eve.send(email=EMAIL, password=f"guess {number}")).status for number in range(11)]
        assert refused == [422] * 10 + [429]
        assert "Try again in 1 minute." in eve.says()
        assert eve.page is not None
        assert 0 < int(eve.page.headers["retry-after"]) <= 60
        assert (await eve.send(email=EMAIL, password=PASSWORD)).status == 429  # the right one too
        clock.advance(61)
        await eve.open("/auth/sign_in")
        assert (await eve.send(email=EMAIL, password=PASSWORD)).status == 303


async def test_who_guesses_does_not_lock_out_the_owner(database: Database) -> None:
    async with town(database) as sut:
        ann, eve = Browser(sut, at="198.51.100.1"), Browser(sut, at="203.0.113.9")
        await ann.open("/auth/sign_in")
        assert (await ann.send(email=EMAIL, password=PASSWORD)).status == 303
        await eve.open("/auth/sign_in")
        for number in range(11):
            await eve.send(email=EMAIL, password=f"guess {number}")
        again = Browser(sut, at="198.51.100.1")
        await again.open("/auth/sign_in")
        assert (await again.send(email=EMAIL, password=PASSWORD)).status == 303


async def test_a_network_from_which_many_are_guessed_at_waits(database: Database) -> None:
    async with town(database) as sut:
        eve = Browser(sut, at="2001:db8::1")
        await eve.open("/auth/sign_in")
        for number in range(30):
            assert (await eve.send(email=f"{number}@example.org", password="x")).status == 422
        neighbour, other = Browser(sut, at="2001:db8::2"), Browser(sut, at="2001:db8:1::1")
        for browser, status in ((neighbour, 429), (other, 422)):
            await browser.open("/auth/sign_in")
            assert (await browser.send(email="x@example.org", password="x")).status == status


@pytest.mark.parametrize(
    ("there", "goes"),
    [
        ("/oauth/authorize?client_id=x", "/oauth/authorize?client_id=x"),
        ("https://evil.test/", SECURITY),
        ("//evil.test/oauth/authorize?", SECURITY),
        ("/oauth/authorize?\r\nSet-Cookie: x", SECURITY),
        ("/@eve", SECURITY),
    ],
)
async def test_what_follows_is_a_page_here(database: Database, there: str, goes: str) -> None:
    async with town(database) as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_in")
        done = await ann.send(email=EMAIL, password=PASSWORD, next=there)
        assert done.headers["location"] == goes


async def test_a_session_that_is_not_used_for_a_month_is_over_and_goes(database: Database) -> None:
    async with town(database) as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_in")
        await ann.send(email=EMAIL, password=PASSWORD)
        for _ in range(3):
            clock.advance(20 * 86400)
            assert (await ann.get("/auth/sign_in")).status == 303
        clock.advance(31 * 86400)
        assert (await ann.get("/auth/sign_in")).status == 200
        async with database.write() as tx:
            assert await tx.first(select(session)) is not None
            await sessions.prune(tx, clock.now())
            assert await tx.first(select(session)) is None


async def test_without_https_the_cookie_is_a_plain_one(database: Database) -> None:
    async with town(database, base_url="http://localhost:8000") as sut:
        page = await Browser(sut).get("/auth/sign_in")
        assert page.headers["set-cookie"].startswith("privapub=")
        assert "secure" not in page.headers["set-cookie"].lower()


async def test_nothing_that_the_cookie_says_is_kept(database: Database) -> None:
    async with town(database) as sut:
        ann = Browser(sut, at="198.51.100.1")
        await ann.open("/auth/sign_in")
        await ann.send(email=EMAIL, password=PASSWORD)
        async with database.read() as tx:
            row = await tx.first(select(session))
        assert row is not None
        assert ann.cookies["__Host-privapub"] not in repr(row)
        assert "198.51" not in repr(row)


async def test_of_a_session_its_day_is_kept_and_not_the_moment(database: Database) -> None:
    async with town(database) as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_in")
        await ann.send(email=EMAIL, password=PASSWORD)
        began = clock.now()

        async def kept() -> list[float]:
            async with database.write() as tx:
                await sessions.prune(tx, clock.now())
                return [row.created_at for row in await tx.all(select(session))]

        # Whether somebody has just signed in is asked for some minutes.
        assert (await kept())[0] == pytest.approx(began, abs=60)
        clock.advance(sessions.HALF_LIVES + 60)
        assert await kept() == [began // 86_400 * 86_400]
        assert (await ann.get("/auth/sign_in")).status == 303
