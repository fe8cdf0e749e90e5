"""Signing up at the page, and setting a password anew by a letter."""

import pytest

from asgi import serving
from browser import Browser
from fakes.post_office import deliver, post_office
from makers import make_persona, private_keys
from privapub import clock
from privapub.accounts import holds, invitations, passwords, sign_up, tokens
from privapub.actors import keys
from privapub.database.connect import Database
from privapub.personas.read import by_handle
from program import Program

EMAIL, PASSWORD = "ann@example.org", "correct horse"
FORM = {"username": "Ann", "email": EMAIL, "password": PASSWORD, "agreement": "1"}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)


async def test_who_signs_up_is_in_and_has_a_persona(database: Database) -> None:
    async with serving(database, registrations="open") as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_in?next=/oauth/authorize?x=1")
        assert 'href="/auth/sign_up?next=' in (ann.page.text if ann.page else "")
        await ann.open("/auth/sign_up?next=/oauth/authorize?x=1")
        done = await ann.send(**FORM)
        assert (done.status, done.headers["location"]) == (303, "/oauth/authorize?x=1")
        assert (await ann.get("/settings/security")).status == 200
        async with database.read() as tx:
            found, persona = await holds.by_email(tx, EMAIL), await by_handle(tx, "ann")
            assert found is not None
            assert persona is not None
            assert await holds.personas_of(tx, found.id) == (persona.id,)


async def test_what_is_wrong_stands_beside_its_field_and_the_rest_is_kept(database: Database) -> None:
    async with serving(database, registrations="open") as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_up")
        refused = await ann.send(username="no good", email=EMAIL, password="short")
        assert refused.status == 422
        words = ann.says()
        for sentence in ("letters, numbers and underscores", "too short", "must be accepted"):
            assert sentence in words
        fields = ann.forms()[0].fields
        assert (fields["username"], fields["email"], fields["password"]) == ("no good", EMAIL, "")
        assert refused.text.count('aria-invalid="true"') == 3


async def test_where_nobody_may_there_is_no_form(database: Database) -> None:
    async with serving(database) as sut:
        eve = Browser(sut)
        assert (await eve.get("/auth/sign_up")).status == 403
        assert eve.forms() == []
        assert (await eve.post("/auth/sign_up", FORM)).status == 403
        await eve.open("/auth/sign_in")
        assert "Make an account" not in eve.says()


async def test_an_invitation_is_a_link(database: Database) -> None:
    async with serving(database, registrations="invitation") as sut:
        async with database.write() as tx:
            _, word = await invitations.create(tx, 1, None, clock.now())
        ann = Browser(sut)
        await ann.open("/auth/sign_up?invitation=guess")
        assert (await ann.send(**FORM)).status == 422
        await ann.open(f"/auth/sign_up?invitation={word}")
        assert (await ann.send(**FORM)).status == 303


async def test_who_must_be_approved_is_told(database: Database) -> None:
    async with serving(database, registrations="approval") as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_up")
        assert (await ann.send(**FORM)).status == 422
        assert (await ann.send(**FORM, reason="I like it")).status == 200
        assert "will look" in ann.says()
        assert (await ann.get("/settings/security")).status == 303


async def test_sign_ups_at_the_page_are_counted_too(database: Database) -> None:
    async with serving(database, registrations="open", sign_ups_per_address=1) as sut:
        ann = Browser(sut, at="203.0.113.1")
        await ann.open("/auth/sign_up")
        assert (await ann.send(username="x y")).status == 422
        late = await ann.send(**FORM)
        assert late.status == 429
        assert "Try again in" in ann.says()


async def make_ann(database: Database) -> None:
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        await sign_up.create(tx, EMAIL, hashed, clock.now())


async def test_a_letter_sets_a_new_password(database: Database) -> None:
    async with post_office() as office, serving(database, smtp_url=office.url) as sut:
        await make_ann(database)
        thief, ann = Browser(sut), Browser(sut)
        secret = await stolen(database)
        await thief.open("/auth/sign_in")
        assert (await thief.send(email=EMAIL, password=PASSWORD)).status == 303
        await ann.open("/auth/password")
        said = []
        for email in ("nobody@example.org", EMAIL):
            await ann.open("/auth/password")
            await ann.send(email=email)
            said.append(ann.says())
        assert said[0] == said[1]
        await deliver(sut)
        assert [to for to, _ in office.letters] == [EMAIL]
        await ann.open(office.link(EMAIL))
        assert (await ann.send(new_password="short")).status == 422
        assert (await ann.send(new_password="another horse")).status == 200
        assert (await thief.get("/settings/security")).status == 303  # whoever was signed in is out
        assert (await Program(sut, secret).refused("GET", "/api/v1/timelines/home"))[0] == 401  # and so are programs
        assert (await ann.get(office.link(EMAIL))).status == 404
        await ann.open("/auth/sign_in")
        assert (await ann.send(email=EMAIL, password=PASSWORD)).status == 422
        assert (await ann.send(email=EMAIL, password="another horse")).status == 303


async def stolen(database: Database) -> str:
    """What a program shows that acts as a persona of Ann's."""
    async with database.write() as tx:
        found = await holds.by_email(tx, EMAIL)
        assert found is not None
        persona = await make_persona(tx, "ann")
        await holds.give(tx, found.id, persona.id)
        of, _ = await tokens.register(tx, "Test", [tokens.OUT_OF_BAND], "read", None, clock.now())
        _, secret = await tokens.give(tx, of.id, persona.id, of.scopes, clock.now())
    return secret


async def test_the_link_is_good_for_an_hour_and_does_nothing_else(database: Database) -> None:
    async with post_office() as office, serving(database, smtp_url=office.url) as sut:
        await make_ann(database)
        ann = Browser(sut)
        await ann.open("/auth/password")
        await ann.send(email=EMAIL)
        await deliver(sut)
        link = office.link(EMAIL)
        other = link.replace("/auth/password/new", "/auth/confirmation")
        assert [(await ann.get(path)).status for path in (link, other, link + "x")] == [200, 404, 404]
        clock.advance(3601)
        assert (await ann.get(link)).status == 404


async def test_letters_are_so_many(database: Database) -> None:
    async with post_office() as office, serving(database, smtp_url=office.url) as sut:
        await make_ann(database)
        ann = Browser(sut, at="203.0.113.1")
        await ann.open("/auth/password")
        answers = []
        for _ in range(11):
            await ann.open("/auth/password")
            answers.append((await ann.send(email=EMAIL)).status)
            await deliver(sut)
        assert answers == [200] * 10 + [429]
        assert len(office.letters) == 3


async def test_where_no_letters_go_out_the_page_says_so(database: Database) -> None:
    async with serving(database) as sut:
        assert (await Browser(sut).get("/auth/password")).status == 404
