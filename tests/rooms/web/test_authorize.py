"""A person lets a program act as one persona: what may be asked, what is chosen, and where it leads."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from sqlalchemy import select

from asgi import Answered, Application, serving
from browser import Browser
from makers import make_persona, private_keys
from privapub import clock
from privapub.accounts import authorization, holds, passwords, sign_up, tokens
from privapub.accounts.tables import account_persona, code
from privapub.actors import keys
from privapub.database.connect import Database
from privapub.errors import InvalidInput

EMAIL, PASSWORD = "ann@example.org", "correct horse"
BACK = "https://app.test/back?x=1"
VERIFIER = "v" * 43


@dataclass
class Town:
    """A server, an account with two personas and another's, and a program."""

    sut: Application
    program: tokens.Application
    alice: int
    night: int
    bob: int

    def path(self, **changes: str) -> str:
        given = {
            "response_type": "code",
            "client_id": self.program.client_id,
            "redirect_uri": BACK,
            "scope": "read write:statuses",
            "state": "s&1",
            "code_challenge": tokens.s256(VERIFIER),
            "code_challenge_method": "S256",
        }
        return "/oauth/authorize?" + urlencode({name: value for name, value in (given | changes).items() if value})

    async def ann(self) -> Browser:
        """A browser in which she is signed in."""
        browser = Browser(self.sut)
        await browser.open("/auth/sign_in")
        assert (await browser.send(email=EMAIL, password=PASSWORD)).status == 303
        return browser


@asynccontextmanager
async def town(database: Database) -> AsyncIterator[Town]:
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        ann = await sign_up.create(tx, EMAIL, hashed, clock.now())
        other = await sign_up.create(tx, "bob@example.org", hashed, clock.now())
        alice, night, bob = [(await make_persona(tx, handle)).id for handle in ("alice", "night", "bob")]
        for account_id, persona_id in ((ann, alice), (ann, night), (other, bob)):
            await holds.give(tx, account_id, persona_id)
        uris = [BACK, "com.app.example:/back", tokens.OUT_OF_BAND, "http://[::1]:3000/"]
        program, _ = await tokens.register(tx, "An <b>App", uris, "read write push", None, clock.now())
    async with serving(database) as sut:
        yield Town(sut, program, alice, night, bob)


def said(answer: Answered) -> dict[str, str]:
    """What a program is told by the address to which somebody is sent."""
    assert answer.status == 303
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


async def test_who_is_not_signed_in_does_so_first_and_then_chooses(database: Database) -> None:
    async with town(database) as sut:
        ann = Browser(sut.sut)
        await ann.open(sut.path())
        assert ann.where.startswith("/auth/sign_in")
        assert "alice" not in ann.says()
        await ann.follow(await ann.send(email=EMAIL, password=PASSWORD))
        assert ann.where == sut.path()
        words = ann.says()
        assert "Let An <b>App in?" in words
        assert "@alice@sut.test" in words
        assert "@night@sut.test" in words
        assert "bob" not in words
        assert "see everything of this persona" in words
        assert "write, edit and delete posts" in words
        assert ann.page is not None
        assert "form-action 'self' https://app.test;" in ann.page.headers["content-security-policy"]
        assert ann.page.headers["cache-control"] == "private, no-store"


async def test_what_is_allowed_is_of_the_chosen_persona(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path())
        done = await ann.send("Allow", persona=str(sut.night))
        found = said(done)
        assert done.headers["location"].startswith(BACK + "&")
        assert (found["state"], found["iss"], found["x"]) == ("s&1", "https://sut.test/", "1")
        assert set(found) == {"x", "code", "state", "iss"}
        async with database.write() as tx:
            given = await tokens.redeem(tx, sut.program, found["code"], BACK, VERIFIER, clock.now())
        assert given is not None
        assert (given[0].persona_id, given[0].scopes) == (sut.night, ("read", "write:statuses"))


async def test_a_new_persona_may_be_made_for_it(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "make", private_keys)
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path())
        assert (await ann.send("Allow", persona="new", handle="ALICE")).status == 422
        assert "taken" in ann.says()
        assert (await ann.send("Allow", persona="new", handle="no good")).status == 422
        assert (await ann.send("Allow", persona="new", handle="")).status == 422
        assert "code" in said(await ann.send("Allow", persona="new", handle="Third"))
        async with database.read() as tx:
            row = await tx.first(select(code))
            found = await holds.by_email(tx, EMAIL)
            assert row is not None
            assert found is not None
            held = await holds.personas_of(tx, found.id)
            assert len(held) == 3
            assert row.persona_id in held
            assert row.persona_id not in {sut.alice, sut.night}


async def test_what_is_not_hers_cannot_be_chosen(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path())
        for chosen in (str(sut.bob), "", "0", "x"):
            assert (await ann.send("Allow", persona=chosen)).status == 422
        async with database.read() as tx:
            assert await tx.first(select(code)) is None
            assert len(await tx.all(select(account_persona))) == 3


async def test_what_is_denied_is_said_and_nothing_else(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path())
        found = said(await ann.send("Deny", persona=str(sut.alice)))
        assert (found["error"], found["state"], found["iss"]) == ("access_denied", "s&1", "https://sut.test/")
        assert "code" not in found
        async with database.read() as tx:
            assert await tx.first(select(code)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "nobody"},
        {"client_id": ""},
        {"redirect_uri": ""},
        {"redirect_uri": "https://evil.test/"},
        {"redirect_uri": BACK + "/"},
        {"redirect_uri": BACK.upper()},
        {"redirect_uri": "https://app.test/back"},
        {"response_type": "token"},
        {"response_type": ""},
        {"scope": "follow"},
        {"scope": "read nonsense"},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": ""},
        {"code_challenge": ""},
        {"code_challenge": "short"},
        {"state": "x" * 4001},
    ],
)
async def test_what_cannot_be_is_told_on_a_page_and_never_leads_away(
    database: Database, changes: dict[str, str]
) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        for browser in (ann, Browser(sut.sut)):
            answer = await browser.get(sut.path(**changes))
            assert answer.status == 400
            assert "location" not in answer.headers
            assert "cannot be let in" in browser.says()
        await ann.open(sut.path())
        form = {name: str(value) for name, value in ann.forms()[0].form_values()}
        answer = await ann.post("/oauth/authorize", form | changes | {"decision": "allow", "persona": str(sut.alice)})
        if changes != {"code_challenge": "", "code_challenge_method": ""}:
            assert (answer.status, "location" in answer.headers) == (400, False)


async def test_a_parameter_that_comes_twice_is_refused(database: Database) -> None:
    async with town(database) as sut:
        answer = await Browser(sut.sut).get(sut.path() + "&redirect_uri=https://evil.test/")
        assert (answer.status, "location" in answer.headers) == (400, False)


async def test_the_form_of_another_is_refused(database: Database) -> None:
    async with town(database) as sut:
        ann, eve = await sut.ann(), Browser(sut.sut)
        await ann.open(sut.path())
        form = {name: str(value) for name, value in ann.forms()[0].form_values()}
        sent = form | {"decision": "allow", "persona": str(sut.alice)}
        await eve.open("/auth/sign_in")
        assert (await eve.post("/oauth/authorize", sent)).status == 400
        assert (await ann.post("/oauth/authorize", sent | {"form_token": "x"})).status == 400
        assert "code" in said(await ann.post("/oauth/authorize", sent))


async def test_a_code_may_be_carried_over_by_hand(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path(redirect_uri=tokens.OUT_OF_BAND, code_challenge="", code_challenge_method=""))
        answer = await ann.send("Allow", persona=str(sut.alice))
        assert answer.status == 200
        shown = answer.text.partition("<code>")[2].partition("</code>")[0]
        async with database.write() as tx:
            assert await tokens.redeem(tx, sut.program, shown, tokens.OUT_OF_BAND, None, clock.now()) is not None
        await ann.open(sut.path(redirect_uri=tokens.OUT_OF_BAND))
        await ann.send("Deny")
        assert "was not let in" in ann.says()


async def test_a_program_may_want_a_fresh_sign_in(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        clock.advance(3600)
        await ann.open(sut.path(force_login="true"))
        assert ann.where.startswith("/auth/sign_in")
        await ann.follow(await ann.send(email=EMAIL, password=PASSWORD))
        assert ann.where == sut.path(force_login="true")


async def test_who_signed_out_meanwhile_signs_in_again(database: Database) -> None:
    async with town(database) as sut:
        ann = await sut.ann()
        await ann.open(sut.path())
        form = {name: str(value) for name, value in ann.forms()[0].form_values()}
        clock.advance(40 * 86400)
        await ann.follow(await ann.post("/oauth/authorize", form | {"decision": "allow", "persona": str(sut.alice)}))
        assert ann.where.startswith("/auth/sign_in")
        await ann.follow(await ann.send(email=EMAIL, password=PASSWORD))
        assert "code" in said(await ann.send("Allow", persona=str(sut.alice)))


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("https://app.test/x", "https://app.test"),
        ("http://localhost:3000/", "http://localhost:3000"),
        ("http://[::1]:3000/", "http:"),
        ("com.app.example:/back", "com.app.example:"),
        ("app://x;script-src *", "app:"),
        ("https://a.test; script-src *", "https:"),
        ("https://user@app.test/", "https:"),
        ("x y:z", ""),
        ("http://[", ""),
    ],
)
def test_where_a_form_may_lead_is_one_word_of_the_policy(uri: str, place: str) -> None:
    assert authorization.place(uri) == place
    assert not set(place) & set("; ',")


def test_other_parameters_may_come_twice() -> None:
    assert authorization.once([("lang", "de"), ("lang", "en")]) == {"lang": "en"}
    with pytest.raises(InvalidInput):
        authorization.once([("state", "a"), ("state", "a")])
