"""Passkeys at the pages: added, shown instead of a password or of a code, removed; and all that must not let in."""

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_network
from typing import Any

import pyotp
import pytest
from sqlalchemy import select, update

from asgi import Application, serving
from browser import Browser
from fakes.authenticator import (
    EDDSA,
    ES256,
    PRESENT,
    RS256,
    VERIFIED,
    Authenticator,
    Resident,
    answer,
    asked_for,
    encoded,
)
from fakes.post_office import deliver, post_office
from privapub import clock
from privapub.accounts import challenges, holds, passkeys, passwords, second_factor, sign_up
from privapub.accounts.tables import passkey, session, spent_challenge, waiting
from privapub.database.connect import Database
from privapub.limits import people

EMAIL, PASSWORD = "ann@example.org", "correct horse"
BOB = "bob@example.org"
PAGE = "/settings/security"


@asynccontextmanager
async def town(database: Database, **settings: Any) -> AsyncIterator[Application]:
    """A server with two accounts."""
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        for email in (EMAIL, BOB):
            await sign_up.create(tx, email, hashed, clock.now())
    async with serving(database, **settings) as sut:
        yield sut


async def signed_in(sut: Application, email: str = EMAIL, *, at: str = "") -> Browser:
    """Somebody who has given the password."""
    browser = Browser(sut, at=at)
    await browser.open(PAGE)
    await browser.follow(await browser.send("Sign in", email=email, password=PASSWORD))
    return browser


async def add(browser: Browser, device: Authenticator, name: str = "phone") -> None:
    """Add a passkey of this device to the account."""
    await browser.open(PAGE)
    assert (await browser.send("Add a passkey", password=PASSWORD)).status == 200
    assert (await answer(browser, device.make, name=name)).status == 200
    assert "The passkey is added." in browser.says()


async def with_passkey(sut: Application, email: str = EMAIL, **how: Any) -> Authenticator:
    """A device with a passkey of this account."""
    device = Authenticator(**how)
    await add(await signed_in(sut, email), device)
    return device


async def at_sign_in(sut: Application, there: str = PAGE) -> Browser:
    """Somebody whom the server does not know, at the page for signing in."""
    browser = Browser(sut)
    await browser.open(f"/auth/sign_in?next={there}")
    return browser


async def account(database: Database, email: str = EMAIL) -> holds.Account:
    async with database.read() as tx:
        found = await holds.by_email(tx, email)
    assert found is not None
    return found


async def ask_for_codes(database: Database, email: str = EMAIL) -> pyotp.TOTP:
    """From now on the account asks for codes; the device that shows them."""
    number = (await account(database, email)).id
    async with database.write() as tx:
        secret = await second_factor.offer(tx, number)
        assert secret is not None
        device = pyotp.TOTP(secret)
        assert await second_factor.confirm(tx, number, device.at(int(clock.now())), clock.now())
    clock.advance(60)
    return device


@pytest.mark.parametrize("algorithm", [ES256, EDDSA, RS256])
async def test_who_has_a_passkey_is_in_without_typing_anything(database: Database, algorithm: int) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut, algorithm=algorithm)
        for _ in range(2):
            ann = await at_sign_in(sut, "/oauth/authorize?client_id=x")
            before = dict(ann.cookies)
            done = await answer(ann, device.show)
            assert (done.status, done.headers["location"]) == (303, "/oauth/authorize?client_id=x")
            assert ann.cookies != before  # nobody can have prepared it
            assert "Max-Age" in done.headers["set-cookie"]
            await ann.get(PAGE)
            assert EMAIL in ann.says()


async def test_a_passkey_is_asked_for_so_that_it_names_nobody(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        asked = asked_for(await at_sign_in(sut))["get"]
        assert set(asked) == {"challenge", "rpId", "timeout", "userVerification"}
        assert (asked["rpId"], asked["userVerification"]) == ("sut.test", "required")
        mine = await account(database)
        assert len(device.kept[0].handle) == 32
        assert str(mine.id).encode() not in device.kept[0].handle
        assert EMAIL.encode() not in device.kept[0].handle
        known = encoded(device.kept[0].id)
        for path in ("/auth/sign_in", "/auth/sign_up", "/auth/password", "/"):
            assert known not in (await Browser(sut).open(path)).text
        await ask_for_codes(database)
        half = await signed_in(sut)
        assert half.where.startswith("/auth/code")
        assert known not in (half.page.text if half.page else known)
        assert "allowCredentials" not in asked_for(half)["get"]


async def test_the_same_is_shown_to_who_has_no_passkey(database: Database) -> None:
    async with town(database) as sut:
        for email in (EMAIL, BOB):
            await ask_for_codes(database, email)
        pages = []
        async with database.write() as tx:
            await passkeys.handle_of(tx, (await account(database)).id)
        for email in (EMAIL, BOB):
            half = await signed_in(sut, email)
            assert half.page is not None
            pages.append((half.says(), list(asked_for(half)["get"])))
        assert pages[0] == pages[1]


async def test_a_new_passkey_is_asked_for_as_it_has_to_be(database: Database) -> None:
    async with town(database, name="Our town") as sut:
        ann = await signed_in(sut)
        assert not [form for form in ann.forms() if form.get("data-passkey")]  # not before the password
        assert (await ann.send("Add a passkey", password="wrong")).status == 422
        assert not [form for form in ann.forms() if form.get("data-passkey")]
        await ann.send("Add a passkey", password=PASSWORD)
        asked = asked_for(ann)["create"]
        assert asked["rp"] == {"id": "sut.test", "name": "Our town"}
        assert asked["attestation"] == "none"
        assert asked["authenticatorSelection"] == {
            "residentKey": "required", "requireResidentKey": True, "userVerification": "required",
        }  # fmt: skip
        assert asked["user"]["name"] == EMAIL
        assert asked["excludeCredentials"] == []
        device = Authenticator()
        await answer(ann, device.make, name=" phone\0 \n of\u202e Ann ")
        assert "phone\ufffd of Ann" in ann.says()
        # The device is not given a second one, and knows the account by the same word.
        await ann.send("Add a passkey", password=PASSWORD)
        again = asked_for(ann)["create"]
        assert again["excludeCredentials"] == [{"type": "public-key", "id": encoded(device.kept[0].id)}]
        assert again["user"]["id"] == asked["user"]["id"]
        assert again["challenge"] != asked["challenge"]


def wrong(**how: Any) -> Callable[[Authenticator], Callable[[dict[str, Any]], dict[str, Any]]]:
    return lambda device: partial(device.show, **how)


def shows_what_is_none(said: str) -> Callable[[Authenticator], Any]:
    return lambda _device: lambda _asked: json.loads(said)


NOT_IN = {
    "another origin": wrong(origin="https://evil.test"),
    "a host below ours": wrong(origin="https://www.sut.test"),
    "another port": wrong(origin="https://sut.test:8443"),
    "no encryption": wrong(origin="http://sut.test"),
    "framed by another page": wrong(cross_origin=True),
    "another party": wrong(rp_id="evil.test"),
    "a challenge of nobody": wrong(challenge=encoded(bytes(56))),
    "a short challenge": wrong(challenge=encoded(b"x")),
    "no challenge": wrong(challenge=""),
    "the other ceremony": wrong(kind="webauthn.create"),
    "nobody is there": wrong(flags=VERIFIED),
    "the person is not verified": wrong(flags=PRESENT),
    "a broken signature": wrong(signature=b"x" * 70),
    "no signature": wrong(signature=b""),
    "no handle": wrong(handle=None),
    "another handle": wrong(handle=bytes(32)),
    "data cut off": wrong(data=b"x" * 36),
    "nothing": shows_what_is_none("null"),
    "a list": shows_what_is_none("[]"),
    "a word": shows_what_is_none('"x"'),
    "empty": shows_what_is_none("{}"),
    "no parts": shows_what_is_none('{"id": "eA", "rawId": "eA", "type": "public-key", "response": {}}'),
}


@pytest.mark.parametrize("what", NOT_IN)
async def test_what_does_not_fit_lets_nobody_in(database: Database, what: str) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        eve = await at_sign_in(sut)
        assert (await answer(eve, NOT_IN[what](device))).status == 422
        assert "This passkey does not fit" in eve.says()
        assert (await eve.get(PAGE)).status == 303
        await eve.open("/auth/sign_in")  # and it spoils nothing
        assert (await answer(eve, device.show)).status == 303


async def test_a_passkey_that_nobody_has_looks_like_one_that_does_not_fit(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        pages = []
        for stranger in (False, True):
            eve = await at_sign_in(sut)
            if stranger:
                device.kept[0].id = b"another"
            assert (await answer(eve, partial(device.show, signature=b"x"))).status == 422
            pages.append(eve.says())
        assert pages[0] == pages[1]


async def test_what_was_shown_once_is_not_good_again(database: Database) -> None:
    """Not in the same browser, nor in another."""
    async with town(database) as sut:
        device = await with_passkey(sut, counts=False)
        ann = await at_sign_in(sut)
        before, said = dict(ann.cookies), device.show(asked_for(ann))
        other = await at_sign_in(sut)
        assert (await answer(other, lambda _: said)).status == 422  # it was asked in another browser
        assert (await answer(ann, lambda _: said)).status == 303
        eve = await at_sign_in(sut)
        eve.cookies = before
        await eve.get("/auth/sign_in")
        assert (await answer(eve, lambda _: said)).status == 422
        await eve.open("/auth/sign_in")
        assert (await answer(eve, device.show)).status == 303  # nothing but that was wrong
        async with database.read() as tx:
            assert len(await tx.all(select(spent_challenge))) == 3  # and the one by which it was added


async def test_a_challenge_is_good_for_ten_minutes(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        for seconds, status in ((challenges.LIVES + 1, 422), (challenges.LIVES - 1, 303)):
            ann = await at_sign_in(sut)
            clock.advance(seconds)
            assert (await answer(ann, device.show)).status == status


async def test_a_device_whose_counter_goes_back_lets_nobody_in(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        for counter, status in ((5, 303), (5, 422), (4, 422), (0, 422), (6, 303)):
            ann = await at_sign_in(sut)
            assert (await answer(ann, partial(device.show, counter=counter))).status == status, counter


async def test_a_passkey_is_of_one_account(database: Database) -> None:
    """Bob's passkey does not let in Ann, whatever it says; nor does hers after his password."""
    async with town(database) as sut:
        anns, bobs = await with_passkey(sut), await with_passkey(sut, BOB)
        eve = await at_sign_in(sut)
        assert (await answer(eve, partial(bobs.show, handle=anns.kept[0].handle))).status == 422
        bobs.kept.append(Resident(anns.kept[0].id, "sut.test", anns.kept[0].handle, bobs.kept[0].private))
        await eve.open("/auth/sign_in")
        assert (await answer(eve, partial(bobs.show, which=1, counter=9))).status == 422
        await ask_for_codes(database)
        half = await signed_in(sut)
        assert half.where.startswith("/auth/code")
        assert (await answer(half, partial(bobs.show, which=0))).status == 422
        assert (await half.get(PAGE)).status == 303
        await half.open("/auth/code")
        assert (await answer(half, anns.show)).status == 303
        await half.get(PAGE)
        assert EMAIL in half.says()


async def test_a_passkey_stands_for_password_and_code(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        await ask_for_codes(database)
        ann = await at_sign_in(sut)
        assert (await answer(ann, device.show)).headers["location"] == PAGE
        assert (await ann.get(PAGE)).status == 200


async def test_a_passkey_in_place_of_a_code_goes_on_where_the_code_would(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        await ask_for_codes(database)
        ann = Browser(sut)
        await ann.open("/auth/sign_in?next=/oauth/authorize?x=1")
        await ann.follow(await ann.send("Sign in", email=EMAIL, password=PASSWORD))
        assert (await answer(ann, partial(device.show, flags=PRESENT))).status == 422
        assert "One more step" in ann.says()
        done = await answer(ann, device.show)
        assert (done.status, done.headers["location"]) == (303, "/oauth/authorize?x=1")
        async with database.read() as tx:
            assert not [row for row in await tx.all(select(session)) if row.half]


async def test_the_log_does_not_tell_which_passkey_was_shown(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with town(database) as sut:
        device = await with_passkey(sut)
        assert (await answer(await at_sign_in(sut), device.show)).status == 303
        logging.getLogger("privapub").info("heard")
    assert "heard" in caplog.text
    assert device.kept[0].id.hex() not in caplog.text
    assert encoded(device.kept[0].id) not in caplog.text


async def test_who_tries_too_often_waits(database: Database) -> None:
    async with town(database, proxies=(ip_network("127.0.0.1"),)) as sut:
        device = await with_passkey(sut)
        eve = await at_sign_in(sut)
        eve.at = "198.51.100.7"
        tried = [await answer(eve, partial(device.show, signature=b"x")) for _ in range(11)]
        assert [each.status for each in tried] == [422] * 10 + [429]
        assert int(tried[-1].headers["retry-after"]) > 0
        assert "Too many attempts" in eve.says()
        # Who is locked out by that is the passkey, and neither the password nor another's passkey.
        assert (await signed_in(sut)).where == PAGE
        other = await with_passkey(sut, BOB)
        assert (await answer(await at_sign_in(sut), other.show)).status == 303


async def test_attempts_with_passkeys_count_for_the_network(database: Database) -> None:
    async with town(database, proxies=(ip_network("127.0.0.1"),)) as sut:
        eve = await at_sign_in(sut)
        eve.at = "198.51.100.7"
        device = Authenticator(kept=[Resident(b"", "sut.test", b"x", (await with_passkey(sut)).kept[0].private)])
        for number in range(int(people.FROM_A_NETWORK.burst)):
            device.kept[0].id = b"%d" % number
            assert (await answer(eve, device.show)).status == 422
        await eve.open("/auth/sign_in")
        assert (await eve.send("Sign in", email=EMAIL, password=PASSWORD)).status == 429


async def test_who_waits_to_be_let_in_waits_with_a_passkey_too(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        row = {
            "account_id": (await account(database)).id, "handle": "ann", "typed_handle": "ann", "persona_id": 1,
            "for_email": False, "for_approval": True, "reason": "", "created_at": clock.now(),
        }  # fmt: skip
        async with database.write() as tx:
            await tx.execute(waiting.insert().values(row))
        ann = await at_sign_in(sut)
        assert (await answer(ann, device.show)).status == 403
        assert (await ann.get(PAGE)).status == 303


async def test_a_form_of_another_page_does_nothing(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        ann = await at_sign_in(sut)
        said = json.dumps(device.show(asked_for(ann)))
        assert (await ann.post("/auth/passkey", {"passkey": said})).status == 400
        assert (await ann.get("/auth/passkey")).status == 405


async def test_a_passkey_that_is_removed_lets_nobody_in(database: Database) -> None:
    async with town(database) as sut:
        phone, key = Authenticator(), Authenticator()
        ann = await signed_in(sut)
        await add(ann, phone, "phone")
        await add(ann, key, "")
        await with_passkey(sut, BOB)
        async with database.read() as tx:
            rows = {(row.account_id, row.name): str(row.id) for row in await tx.all(select(passkey))}
        mine = (await account(database)).id
        of_bob = next(number for (owner, _), number in rows.items() if owner != mine)
        await ann.open(PAGE)
        assert "phone since" in ann.says()
        button, first = "Remove the passkey", rows[mine, "phone"]
        assert (await ann.send(button, which=first, password="wrong")).status == 422
        for which in ("", "x", "9" * 30, of_bob):
            given = {"do": "passkey-off", "which": which, "password": PASSWORD}
            form = {name: str(value) for name, value in ann.forms()[0].form_values()}
            assert (await ann.post(PAGE, form | given)).status == 422
        async with database.read() as tx:
            assert len(await tx.all(select(passkey))) == 3
        assert (await ann.send(button, which=first, password=PASSWORD)).status == 200
        assert "phone" not in ann.says().split("Those you have")[1]
        assert (await answer(await at_sign_in(sut), phone.show)).status == 422
        assert (await answer(await at_sign_in(sut), key.show)).status == 303


def made_wrong(**how: Any) -> Callable[[Authenticator], Any]:
    return lambda device: partial(device.make, **how)


NOT_ADDED = {
    "another origin": made_wrong(origin="https://evil.test"),
    "framed by another page": made_wrong(cross_origin=True),
    "another party": made_wrong(rp_id="evil.test"),
    "a challenge of nobody": made_wrong(challenge=encoded(bytes(56))),
    "the other ceremony": made_wrong(kind="webauthn.get"),
    "the person is not verified": made_wrong(flags=0x41),
    "nobody is there": made_wrong(flags=0x44),
    "no key": made_wrong(flags=0x05),
    "an empty name": made_wrong(id=b""),
    "a very long name": made_wrong(id=b"x" * 1024),
    "a key of another kind": made_wrong(cose={1: 2, 3: -36, -1: 3, -2: b"x" * 66, -3: b"y" * 66}),
    "a key without a kind": made_wrong(cose={1: 2}),
    "a point that is on no curve": made_wrong(cose={1: 2, 3: -7, -1: 1, -2: b"\1" * 32, -3: b"\2" * 32}),
    "another curve": made_wrong(cose={1: 2, 3: -7, -1: 2, -2: b"\1" * 32, -3: b"\2" * 32}),
    "a key in pieces": made_wrong(cose={1: 2, 3: -7}),
    "words for numbers": made_wrong(cose={1: 2, 3: -7, -1: 1, -2: "x", -3: ["y"]}),
    "an endless key": made_wrong(cose={1: 3, 3: -257, -1: b"\xff" * 3000, -2: b"\1\0\1"}),
    "a list for a key": made_wrong(cose=[1, 2]),
    "very deep": made_wrong(cose=b"\x81" * 5000 + b"\0"),
    "data cut off": made_wrong(data=b"x" * 60),
    "no data": made_wrong(data=None),
    "nothing": shows_what_is_none("null"),
    "empty": shows_what_is_none("{}"),
}


@pytest.mark.parametrize("what", NOT_ADDED)
async def test_what_is_no_passkey_is_not_added(database: Database, what: str) -> None:
    async with town(database) as sut:
        ann = await signed_in(sut)
        await ann.send("Add a passkey", password=PASSWORD)
        assert (await answer(ann, NOT_ADDED[what](Authenticator()))).status == 422
        assert "was not made" in ann.says()
        async with database.read() as tx:
            assert await tx.all(select(passkey)) == []


async def test_a_passkey_is_added_only_by_who_gave_the_password_just_now_and_once(database: Database) -> None:
    async with town(database) as sut:
        ann, eve = await signed_in(sut), await signed_in(sut)  # eve has found a browser open
        device = Authenticator()
        for asked in (asked_for(await at_sign_in(sut)), {"get": {"challenge": encoded(bytes(56))}}):
            options = {
                "create": {
                    **asked["get"], "rp": {"id": "sut.test"}, "user": {"id": encoded(b"x")},
                    "pubKeyCredParams": [{"alg": ES256}], "excludeCredentials": [],
                }
            }  # fmt: skip
            form = {name: str(value) for name, value in eve.forms()[0].form_values()}
            given = form | {"do": "passkey-made", "passkey": json.dumps(device.make(options))}
            assert (await eve.post(PAGE, given)).status == 422
        await ann.send("Add a passkey", password=PASSWORD)
        said = device.make(asked_for(ann))
        for _ in range(2):
            form = {name: str(value) for name, value in eve.forms()[0].form_values()}
            assert (await eve.post(PAGE, form | {"do": "passkey-made", "passkey": json.dumps(said)})).status == 422
        question = ann.page
        assert (await answer(ann, lambda _: said)).status == 200
        ann.page = question
        assert (await answer(ann, lambda _: said)).status == 422
        await ann.open(PAGE)
        await ann.send("Add a passkey", password=PASSWORD)
        clock.advance(challenges.LIVES + 1)
        assert (await answer(ann, Authenticator().make)).status == 422
        async with database.read() as tx:
            assert len(await tx.all(select(passkey))) == 1


async def test_a_passkey_that_somebody_has_is_not_added_again(database: Database) -> None:
    async with town(database) as sut:
        device = await with_passkey(sut)
        bob = await signed_in(sut, BOB)
        await bob.send("Add a passkey", password=PASSWORD)
        assert (await answer(bob, partial(Authenticator().make, id=device.kept[0].id))).status == 422
        assert "known already" in bob.says()


async def test_an_account_has_a_number_of_them_and_no_more(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passkeys, "MOST", 2)
    async with town(database) as sut:
        for _ in range(2):
            await with_passkey(sut)
        ann = await signed_in(sut)
        await ann.send("Add a passkey", password=PASSWORD)
        assert (await answer(ann, Authenticator().make)).status == 422
        assert "up to 2 passkeys. Remove one first." in ann.says()


async def test_letters_tell_of_a_passkey_that_comes_or_goes(database: Database) -> None:
    async with post_office() as office, town(database, smtp_url=office.url) as sut:
        ann = await signed_in(sut)
        await add(ann, Authenticator())
        await deliver(sut)
        async with database.read() as tx:
            number = str(await tx.scalar(select(passkey.c.id)))
        await ann.send("Remove the passkey", which=number, password=PASSWORD)
        await deliver(sut)
        assert [(to, letter["Subject"]) for to, letter in office.letters] == [
            (EMAIL, "A new passkey (sut.test)"),
            (EMAIL, "A passkey was removed (sut.test)"),
        ]
        for _, letter in office.letters:
            assert f"https://sut.test{PAGE}" in letter.get_content().splitlines()
            assert "token=" not in letter.get_content()


async def test_a_password_set_by_a_letter_ends_what_passkeys_may(database: Database) -> None:
    async with post_office() as office, town(database, smtp_url=office.url) as sut:
        device = await with_passkey(sut)
        await deliver(sut)
        ann = Browser(sut)
        await ann.open("/auth/password")
        await ann.send(email=EMAIL)
        await deliver(sut)
        await ann.open(office.link(EMAIL))
        await ann.send(new_password="another horse")
        assert "passkeys removed" in ann.says()
        assert (await answer(await at_sign_in(sut), device.show)).status == 422


async def test_the_party_is_the_host_and_the_origin_the_whole_address(database: Database) -> None:
    async with town(database, base_url="http://localhost:8000") as sut:
        device = await with_passkey(sut, origin="http://localhost:8000")
        assert device.kept[0].rp_id == "localhost"
        for origin, status in (("http://localhost", 422), ("http://localhost:8000", 303)):
            device.origin = origin
            assert (await answer(await at_sign_in(sut), device.show)).status == status


async def test_pages_say_the_same_without_a_script(database: Database) -> None:
    async with town(database) as sut:
        ann = await signed_in(sut)
        await ann.open(PAGE)
        assert ann.page is not None
        # Nobody is offered what their browser may not have.
        assert "data-passkeys hidden>" in ann.page.text
        await with_passkey(sut)
        await ann.open(PAGE)
        assert "Remove the passkey" in ann.says()
        policy = ann.page.headers["content-security-policy"]
        assert "default-src 'none'; script-src https://sut.test/static/passkeys.js;" in policy
        assert "unsafe" not in policy
        script = await ann.get("/static/passkeys.js")
        assert (script.status, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")


async def test_what_was_answered_is_forgotten_when_it_is_too_old_anyway(database: Database) -> None:
    async with town(database) as sut:
        await with_passkey(sut)
        for later, left in ((challenges.LIVES, 1), (challenges.LIVES + challenges.AHEAD + 1, 0)):
            async with database.write() as tx:
                await challenges.prune(tx, clock.now() + later)
                assert len(await tx.all(select(spent_challenge))) == left


async def test_two_answers_at_once_count_one_after_the_other(database: Database) -> None:
    async with town(database) as sut:
        await with_passkey(sut)
        async with database.read() as tx:
            found = await tx.first(select(passkey))
        assert found is not None
        counted = []
        for counter in (3, 3, 2, 4, 0):
            async with database.write() as tx:
                counted.append(await passkeys.count_on(tx, found.id, counter))
        assert counted == [True, False, False, True, False]
        async with database.write() as tx:
            await tx.execute(update(passkey).values(counter=0))
            assert await passkeys.count_on(tx, found.id, 0)  # one that does not count
