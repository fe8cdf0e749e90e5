"""The page about an account: another e-mail address, and the programs that act as its personas."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgi import Application, serving
from browser import Browser
from fakes.post_office import deliver, post_office
from makers import make_persona
from privapub import clock
from privapub.accounts import holds, passwords, sign_up, tokens
from privapub.database.connect import Database

EMAIL, PASSWORD, NEW = "ann@example.org", "correct horse", "new@example.org"
PAGE = "/settings/security"


@asynccontextmanager
async def town(database: Database, **settings: Any) -> AsyncIterator[Application]:
    """Ann and Bob with an account each."""
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        for email in (EMAIL, "bob@example.org"):
            await sign_up.create(tx, email, hashed, clock.now())
    async with serving(database, **settings) as sut:
        yield sut


async def signed_in(sut: Application, email: str = EMAIL) -> Browser:
    browser = Browser(sut)
    await browser.open(PAGE)
    await browser.follow(await browser.send(email=email, password=PASSWORD))
    assert browser.where == PAGE
    return browser


async def change(browser: Browser, email: str, password: str = PASSWORD) -> int:
    return (await browser.send("Change the address", new_email=email, password=password)).status


async def test_a_new_address_is_taken_once_its_letter_is_answered(database: Database) -> None:
    async with post_office() as office, town(database, smtp_url=office.url) as sut:
        ann = await signed_in(sut)
        assert await change(ann, NEW, "wrong") == 422
        assert await change(ann, "nonsense") == 422
        assert await change(ann, NEW) == 200
        await deliver(sut)
        assert [to for to, _ in office.letters] == [NEW]
        await signed_in(sut)  # still by the old one
        reader = Browser(sut)
        link = office.link(NEW)
        await reader.open(link)
        await reader.send("It is mine")
        assert "is changed" in reader.says()
        await signed_in(sut, NEW)
        assert (await reader.get(link)).status == 404
        await ann.open(PAGE)
        assert NEW in ann.says()


async def test_the_address_of_another_cannot_be_taken_and_it_is_not_told_before_the_letter(database: Database) -> None:
    async with post_office() as office, town(database, smtp_url=office.url) as sut:
        ann = await signed_in(sut)
        assert await change(ann, "bob@example.org") == 200
        await deliver(sut)
        reader = Browser(sut)
        await reader.open(office.link("bob@example.org"))
        assert (await reader.send("It is mine")).status == 409
        await signed_in(sut)
        await signed_in(sut, "bob@example.org")


async def test_without_letters_it_changes_at_once(database: Database) -> None:
    async with town(database) as sut:
        ann = await signed_in(sut)
        assert await change(ann, "bob@example.org") == 422
        assert await change(ann, NEW) == 200
        await signed_in(sut, NEW)


async def test_programs_are_shown_to_their_owner_and_let_in_no_more(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            made = []
            for handle, email in (("alice", EMAIL), ("night", EMAIL), ("bob", "bob@example.org")):
                owner = await holds.by_email(tx, email)
                assert owner is not None
                persona = await make_persona(tx, handle)
                await holds.give(tx, owner.id, persona.id)
                program, _ = await tokens.register(tx, f"App of {handle}", ["a:b"], "read", None, clock.now())
                made.append(await tokens.give(tx, program.id, persona.id, ["read"], clock.now()))
        (of_alice, secret), (_, of_night), (of_bob, theirs) = made
        ann = await signed_in(sut)
        words = ann.says()
        assert "App of alice @alice@sut.test" in words
        assert "App of night @night@sut.test" in words
        assert "bob" not in words
        assert secret not in words
        button = "Let it in no more"
        assert (await ann.send(button, password="wrong", token=str(of_alice.id))).status == 422
        assert (await ann.send(button, password=PASSWORD)).status == 422
        assert (await ann.send(button, password=PASSWORD, token=str(of_bob.id))).status == 422
        assert (await ann.send(button, password=PASSWORD, token=str(of_alice.id))).status == 200
        async with database.read() as tx:
            found = [await tokens.find(tx, each) is not None for each in (secret, of_night, theirs)]
        assert found == [False, True, True]
