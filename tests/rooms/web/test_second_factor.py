"""Codes from a device, codes on paper, and the page about them."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pyotp
import pytest
from sqlalchemy import select

from asgi import Application, serving
from browser import Browser
from privapub import clock
from privapub.accounts import holds, passwords, second_factor, sign_up
from privapub.accounts.tables import recovery_code
from privapub.accounts.tables import second_factor as second_factor_row
from privapub.database.connect import Database

EMAIL, PASSWORD = "ann@example.org", "correct horse"
PAGE = "/settings/security"
CODE = re.compile(r"\b(?:[A-Z2-7]{4}-){4}[A-Z2-7]{4}\b")


@asynccontextmanager
async def town(database: Database) -> AsyncIterator[Application]:
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        await sign_up.create(tx, EMAIL, hashed, clock.now())
    async with serving(database) as sut:
        yield sut


async def signed_in(sut: Application, *, at: str = "") -> Browser:
    """Somebody who has given the password."""
    browser = Browser(sut, at=at)
    await browser.open(PAGE)
    await browser.follow(await browser.send(email=EMAIL, password=PASSWORD))
    return browser


async def with_device(sut: Application) -> tuple[Browser, pyotp.TOTP, list[str]]:
    """Somebody whose account asks for codes, the device, and what was to be written down."""
    ann = await signed_in(sut)
    assert (await ann.send("Set up", password=PASSWORD)).status == 200
    device = pyotp.TOTP(re.findall(r"\b[A-Z2-7]{32}\b", ann.says())[0])
    assert (await ann.send("Ask for codes from now on", code="000000", password=PASSWORD)).status == 422
    assert "not the code" in ann.says()
    done = await ann.send("Ask for codes from now on", code=device.at(int(clock.now())), password=PASSWORD)
    assert done.status == 200
    codes = CODE.findall(ann.says())
    assert len(set(codes)) == second_factor.ON_PAPER
    return ann, device, codes


async def test_a_code_is_asked_for_and_taken_once(database: Database) -> None:
    async with town(database) as sut:
        _, device, _ = await with_device(sut)
        clock.advance(60)
        ann = await signed_in(sut)
        assert ann.where.startswith("/auth/code")
        assert (await ann.get(PAGE)).status == 303  # not in yet
        await ann.open("/auth/code")
        assert (await ann.send(code="000000")).status == 422
        code = device.at(int(clock.now()))
        await ann.follow(await ann.send(code=f"{code[:3]} {code[3:]}"))
        assert "Security" in ann.says()
        assert ann.where == PAGE
        # Who has looked over her shoulder comes too late, also with the one before.
        eve = await signed_in(sut)
        for late in (code, device.at(int(clock.now()) - 30)):
            assert (await eve.send(code=late)).status == 422
        clock.advance(30)
        assert (await eve.send(code=device.at(int(clock.now())))).status == 303


async def test_a_clock_may_be_wrong_by_a_step_and_no_more(database: Database) -> None:
    async with town(database) as sut:
        _, device, _ = await with_device(sut)
        clock.advance(300)
        for seconds, status in ((-90, 422), (90, 422), (-30, 303)):
            ann = await signed_in(sut)
            assert (await ann.send(code=device.at(int(clock.now()) + seconds))).status == status


async def test_a_code_on_paper_lets_in_once(database: Database) -> None:
    async with town(database) as sut:
        _, _, codes = await with_device(sut)
        ann = await signed_in(sut)
        assert (await ann.send(code=codes[0].lower().replace("-", " "))).status == 303
        again = await signed_in(sut)
        assert (await again.send(code=codes[0])).status == 422
        assert (await again.send(code=codes[1])).status == 303
        await again.open(PAGE)
        assert "8 are left" in again.says()
        async with database.read() as tx:
            kept = repr(await tx.all(select(recovery_code)))
        assert not any(code in kept or code.replace("-", "") in kept for code in codes)


async def test_what_the_page_changes_needs_the_password(database: Database) -> None:
    async with town(database) as sut:
        ann, _, codes = await with_device(sut)
        for button in ("New codes to write down", "Ask for no code"):
            assert (await ann.send(button, password="wrong")).status == 422
        await ann.send("New codes to write down", password=PASSWORD)
        fresh = CODE.findall(ann.says())
        assert not set(fresh) & set(codes)
        eve = await signed_in(sut)
        assert (await eve.send(code=codes[0])).status == 422
        await ann.open(PAGE)
        await ann.send("Ask for no code", password=PASSWORD)
        assert "No code is asked for" in ann.says()
        assert (await signed_in(sut)).where == PAGE


async def test_codes_cannot_be_asked_for_by_who_does_not_know_the_password(database: Database) -> None:
    async with town(database) as sut:
        eve = await signed_in(sut)  # with a session that she found open
        await eve.open(PAGE)
        for password in ("", "wrong"):
            given = dict(eve.forms()[0].form_values()) | {"do": "confirm", "code": "000000", "password": password}
            refused = await eve.post(PAGE, given)
            assert refused.status == 422
            assert re.findall(r"\b[A-Z2-7]{32}\b", refused.text) == []
        async with database.read() as tx:
            assert await tx.all(select(second_factor_row)) == []


async def test_who_guesses_codes_waits(database: Database) -> None:
    async with town(database) as sut:
        _, device, _ = await with_device(sut)
        clock.advance(3600)
        eve = await signed_in(sut)
        tried = [(await eve.send(code=f"{number:06}")).status for number in range(11)]
        assert tried[-1] == 429
        again = await signed_in(sut)  # another password does not begin anew
        assert (await again.send(code=device.at(int(clock.now())))).status == 429


async def test_a_password_without_its_code_is_forgotten_after_ten_minutes(database: Database) -> None:
    async with town(database) as sut:
        _, device, _ = await with_device(sut)
        ann = await signed_in(sut)
        clock.advance(601)
        await ann.follow(await ann.send(code=device.at(int(clock.now()))))
        assert ann.where.startswith("/auth/sign_in")


async def test_a_changed_password_ends_other_sessions(database: Database) -> None:
    async with town(database) as sut:
        ann, other = await signed_in(sut), await signed_in(sut)
        assert (await ann.send("Change the password", password=PASSWORD, new_password="short")).status == 422
        assert (await ann.send("Change the password", password="wrong", new_password="x" * 8)).status == 422
        assert (await other.get(PAGE)).status == 200
        assert (await ann.send("Change the password", password=PASSWORD, new_password="x" * 8)).status == 200
        assert (await ann.get(PAGE)).status == 200
        assert (await other.get(PAGE)).status == 303
        async with database.read() as tx:
            account = await holds.by_email(tx, EMAIL)
        assert account is not None
        assert await passwords.check_password(account.password, "x" * 8)


async def test_all_others_may_be_signed_out(database: Database) -> None:
    async with town(database) as sut:
        ann, other = await signed_in(sut), await signed_in(sut)
        await ann.send("Sign out all other browsers", password=PASSWORD)
        assert [(await browser.get(PAGE)).status for browser in (ann, other)] == [200, 303]


@pytest.mark.parametrize("what", ["", "codes", "nonsense"])
async def test_what_cannot_be_done_is_told(database: Database, what: str) -> None:
    async with town(database) as sut:
        ann = await signed_in(sut)
        form = {name: str(value) for name, value in ann.forms()[0].form_values()}
        assert (await ann.post(PAGE, form | {"password": PASSWORD, "do": what})).status == 422


async def test_a_code_is_taken_once_only(database: Database) -> None:
    async with town(database) as sut:
        _, device, _ = await with_device(sut)
        clock.advance(60)
        async with database.read() as tx:
            account = await holds.by_email(tx, EMAIL)
        assert account is not None
        taken = []
        for _ in range(2):
            async with database.write() as tx:
                taken.append(await second_factor.take(tx, account.id, device.at(int(clock.now())), clock.now()))
        assert taken == [True, False]
