"""Programs and their tokens: what is registered, who a token is of, and how often may be asked."""

from typing import Any

from browser import Browser
from privapub import clock
from privapub.accounts import tokens
from privapub.client_api.oauth import ENDPOINTS
from privapub.database.connect import Database
from program import Program, Town, town


async def registered(sut: Town, **given: Any) -> dict[str, Any]:
    asked = {"client_name": "App", "redirect_uris": "https://app.test/a\nhttps://app.test/b", "scopes": "read profile"}
    found: dict[str, Any] = await sut.stranger.told("POST", "/api/v1/apps", asked | given)
    return found


async def test_a_program_is_registered_and_told_its_secret_once(database: Database) -> None:
    async with town(database) as sut:
        app = await registered(sut)
        assert app["redirect_uris"] == ["https://app.test/a", "https://app.test/b"]
        assert (app["scopes"], app["name"]) == (["read", "profile"], "App")
        given = {"grant_type": "client_credentials", "client_id": app["client_id"]}
        token = await sut.stranger.told("POST", "/oauth/token", given | {"client_secret": app["client_secret"]})
        itself = Program(sut.sut, token["access_token"])
        shown = await itself.get("/api/v1/apps/verify_credentials")
        assert shown["name"] == "App"
        assert "client_secret" not in shown
        assert (await itself.refused("GET", "/api/v1/accounts/verify_credentials"))[0] == 422
        wrong = await sut.stranger.ask("POST", "/oauth/token", given | {"client_secret": "x"})
        assert (wrong.status, wrong.json["error"]) == (401, "invalid_client")


async def test_what_cannot_be_registered_is_refused(database: Database) -> None:
    async with town(database) as sut:
        for given in (
            {"client_name": " "},
            {"redirect_uris": ""},
            {"redirect_uris": "javascript:alert(1)"},
            {"redirect_uris": "https://app.test/#x"},
            {"scopes": "read nonsense"},
        ):
            asked = {"client_name": "App", "redirect_uris": "https://app.test/a"} | given
            assert (await sut.stranger.refused("POST", "/api/v1/apps", asked))[0] == 422


async def test_a_token_says_who_its_persona_is(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice", "profile")
        me = await app.get("/oauth/userinfo")
        assert (me["iss"], me["sub"], me["preferred_username"]) == ("https://sut.test/", alice.actor.uri, "alice")
        assert me["profile"] == "https://sut.test/@alice"
        reader = await sut.another(alice, "read")
        assert (await reader.refused("GET", "/oauth/userinfo"))[0] == 403
        assert (await sut.stranger.refused("GET", "/oauth/userinfo"))[0] == 401


async def test_the_metadata_are_those_of_the_standard_and_true(database: Database) -> None:
    """RFC 8414, section 2."""
    async with town(database) as sut:
        told = await sut.stranger.get("/.well-known/oauth-authorization-server")
        assert told["issuer"] == "https://sut.test/"
        assert told["authorization_response_iss_parameter_supported"] is True
        ours = {each.path for each in ENDPOINTS} | {"/oauth/authorize"}
        for name, url in told.items():
            if name.endswith("_endpoint"):
                assert url.removeprefix("https://sut.test") in ours, name
        for required in ("response_types_supported", "scopes_supported", "grant_types_supported"):
            assert told[required]
        assert (await Browser(sut.sut).get("/oauth/authorize")).status == 400  # it is there


async def test_a_revoked_token_lets_nobody_in_and_another_programs_secret_revokes_nothing(database: Database) -> None:
    async with town(database) as sut:
        alice, _ = await sut.program("alice")
        app, other = await registered(sut), await registered(sut)
        async with database.write() as tx:
            of = await tokens.application_of(tx, app["client_id"])
            assert of is not None
            _, secret = await tokens.give(tx, of.id, alice.id, ["read"], clock.now())
        reader = Program(sut.sut, secret)
        for by, status, lets_in in ((other, 200, 200), (app, 200, 401)):
            given = {"client_id": by["client_id"], "client_secret": by["client_secret"], "token": secret}
            assert (await sut.stranger.ask("POST", "/oauth/revoke", given)).status == status
            assert (await reader.ask("GET", "/api/v1/accounts/verify_credentials")).status == lets_in
        wrong = {"client_id": app["client_id"], "client_secret": "x", "token": secret}
        assert (await sut.stranger.ask("POST", "/oauth/revoke", wrong)).status == 403


async def test_a_token_asks_so_often_and_is_told_how_much_is_left(database: Database) -> None:
    async with town(database, api_per_token=3) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        path = "/api/v1/accounts/verify_credentials"
        answers = [await app.ask("GET", path) for _ in range(4)]
        assert [each.status for each in answers] == [200, 200, 200, 429]
        assert [each.headers["x-ratelimit-remaining"] for each in answers] == ["2", "1", "0", "0"]
        assert {each.headers["x-ratelimit-limit"] for each in answers} == {"3"}
        assert answers[0].headers["x-ratelimit-reset"] > clock.iso(clock.now())
        assert answers[3].json == {"error": "Too many requests"}
        assert int(answers[3].headers["retry-after"]) <= 100
        assert (await other.ask("GET", path)).status == 200
        clock.advance(101)
        assert (await app.ask("GET", path)).status == 200


async def test_strangers_ask_so_often_from_one_network(database: Database) -> None:
    async with town(database, api_per_address=2) as sut:
        path = "/.well-known/oauth-authorization-server"

        async def ask(address: str, **headers: str) -> int:
            return (await sut.stranger.ask("GET", path, X_Forwarded_For=address, **headers)).status

        assert [await ask("203.0.113.1") for _ in range(3)] == [200, 200, 429]
        assert await ask("203.0.113.2") == 200
        # Who shows tokens that are none guesses, and is counted.
        wrong = [await ask("203.0.113.3", Authorization="Bearer x") for _ in range(3)]
        assert wrong == [401, 401, 429]


async def test_what_programs_ask_by_themselves_counts_for_their_network(database: Database) -> None:
    async with town(database, api_per_address=2) as sut:
        app = await registered(sut)
        given = {"grant_type": "client_credentials"} | {name: app[name] for name in ("client_id", "client_secret")}
        path, here = "/api/v1/apps/verify_credentials", {"X_Forwarded_For": "203.0.113.1"}
        tokens_of_it = [(await sut.stranger.told("POST", "/oauth/token", given))["access_token"] for _ in range(3)]
        answers = [(await Program(sut.sut, each).ask("GET", path, **here)).status for each in tokens_of_it]
        assert answers == [200, 200, 429]


async def test_a_verifier_stands_for_no_secret_but_with_a_code(database: Database) -> None:
    async with town(database) as sut:
        app = await registered(sut)
        given = {"grant_type": "client_credentials", "client_id": app["client_id"], "code_verifier": "x" * 43}
        refused = await sut.stranger.ask("POST", "/oauth/token", given)
        assert (refused.status, refused.json["error"]) == (401, "invalid_client")


async def test_programs_are_registered_so_often_from_one_network(database: Database) -> None:
    async with town(database, api_per_address=1000) as sut:
        asked = {"client_name": "App", "redirect_uris": "https://app.test/a"}
        for path, given in (("/api/v1/apps", asked), ("/oauth/token", {"client_id": "x", "client_secret": "x"})):
            found = [
                (await sut.stranger.ask("POST", path, given, X_Forwarded_For="203.0.113.1")).status for _ in range(61)
            ]
            assert (429 in found[:60], found[60]) == (False, 429)
