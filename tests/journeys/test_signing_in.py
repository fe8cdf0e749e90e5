"""A program is registered, a person lets it in at the pages, and it acts as the persona that was chosen."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from asgi import Answered
from browser import Browser
from makers import make_persona
from privapub import clock
from privapub.accounts import holds, passwords, sign_up, tokens
from privapub.database.connect import Database
from program import Program, Town, town

EMAIL, PASSWORD = "ann@example.org", "correct horse"
BACK = "https://app.test/back"
VERIFIER = "a-verifier-of-at-least-forty-three-characters"
SCOPES = "read write"


async def make_ann(database: Database) -> None:
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        ann = await sign_up.create(tx, EMAIL, hashed, clock.now())
        for handle in ("alice", "night"):
            await holds.give(tx, ann, (await make_persona(tx, handle)).id)


async def code_for(sut: Town, app: dict[str, str], handle: str) -> str:
    """The code that a person gets in a fresh browser, for this persona."""
    ann = Browser(sut.sut)
    asked = {"response_type": "code", "client_id": app["client_id"], "redirect_uri": BACK, "scope": SCOPES}
    proof = {"code_challenge": tokens.s256(VERIFIER), "code_challenge_method": "S256"}
    await ann.open("/oauth/authorize?" + urlencode(asked | proof))
    await ann.follow(await ann.send(email=EMAIL, password=PASSWORD))
    labels = {label.text_content(): label.get("for") for label in ann.forms()[0].iter("label")}
    field = next(name for words, name in labels.items() if f"@{handle}@" in words)
    done = await ann.send("Allow", persona=field.removeprefix("persona-"))
    return dict(parse_qsl(urlsplit(done.headers["location"]).query))["code"]


async def redeem(sut: Town, app: dict[str, str], code: str, verifier: str = VERIFIER, back: str = BACK) -> Answered:
    given = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "client_id": app["client_id"]}
    secret = {"client_secret": app["client_secret"], "code_verifier": verifier}
    return await sut.stranger.ask("POST", "/oauth/token", given | secret, form=True)


async def test_from_the_first_question_to_the_first_post(database: Database) -> None:
    async with town(database) as sut:
        await make_ann(database)
        asked = {"client_name": "App", "redirect_uris": BACK, "scopes": SCOPES}
        app = await sut.stranger.told("POST", "/api/v1/apps", asked)
        code = await code_for(sut, app, "night")
        answer = await redeem(sut, app, code)
        assert answer.status == 200
        night = Program(sut.sut, answer.json["access_token"])
        assert (await night.get("/api/v1/accounts/verify_credentials"))["username"] == "night"
        assert (await night.told("POST", "/api/v1/statuses", {"status": "hello"}))["account"]["acct"] == "night"
        # A code that comes again was stolen: what it gave is taken back (RFC 6749, section 4.1.2).
        again = await redeem(sut, app, code)
        assert (again.status, again.json["error"]) == (400, "invalid_grant")
        assert (await night.refused("GET", "/api/v1/accounts/verify_credentials"))[0] == 401


async def test_who_has_the_code_and_not_the_verifier_gets_nothing(database: Database) -> None:
    async with town(database) as sut:
        await make_ann(database)
        asked = {"client_name": "App", "redirect_uris": [BACK, BACK + "2"], "scopes": SCOPES}
        app = await sut.stranger.told("POST", "/api/v1/apps", asked)
        other = await sut.stranger.told("POST", "/api/v1/apps", asked)
        code = await code_for(sut, app, "alice")
        for wrong in (
            await redeem(sut, app, code, "x" * 43),
            await redeem(sut, app, code, ""),
            await redeem(sut, app, code, back=BACK + "2"),
            await redeem(sut, other, code),
            await redeem(sut, app, code + "x"),
        ):
            assert (wrong.status, wrong.json["error"]) == (400, "invalid_grant")
        assert (await redeem(sut, app, code)).status == 200


async def test_a_code_is_good_for_ten_minutes(database: Database) -> None:
    async with town(database) as sut:
        await make_ann(database)
        app = await sut.stranger.told(
            "POST", "/api/v1/apps", {"client_name": "App", "redirect_uris": BACK, "scopes": SCOPES}
        )
        code = await code_for(sut, app, "alice")
        clock.advance(tokens.CODE_LIVES + 1)
        assert (await redeem(sut, app, code)).status == 400


async def test_two_programs_of_two_personas_know_nothing_of_each_other(database: Database) -> None:
    async with town(database) as sut:
        await make_ann(database)
        app = await sut.stranger.told(
            "POST", "/api/v1/apps", {"client_name": "App", "redirect_uris": BACK, "scopes": SCOPES}
        )
        told = []
        for handle, other in (("alice", "night"), ("night", "alice")):
            answer = await redeem(sut, app, await code_for(sut, app, handle))
            program = Program(sut.sut, answer.json["access_token"])
            me = await program.get("/api/v1/accounts/verify_credentials")
            assert me["username"] == handle
            assert other not in repr(answer.json) + repr(me)
            told.append(answer.json)
        assert told[0].keys() == told[1].keys()
