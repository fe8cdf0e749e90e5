"""Line 10, OAuth: what a program may ask, what a code is bound to, and that a token is of one persona.

Elsewhere: addresses letter by letter, PKCE by S256 alone and what is told on a page, `rooms/web/test_authorize.py`;
codes that are used once and bound to their program, `journeys/test_signing_in.py`; revocation and secrets,
`rooms/client_api/test_oauth.py`; tokens, scopes and strangers at every endpoint, `rooms/client_api/test_frame.py`.
"""

import json

import pytest
from sqlalchemy import select

from makers import make_persona
from privapub import clock
from privapub.accounts import holds, scopes, sign_up, tokens
from privapub.accounts.tables import application, code, token
from privapub.client_api.routes import ENDPOINTS
from privapub.database.connect import Database
from program import town
from shared import shared

BACK = "https://app.test/back"


async def test_what_is_told_once_is_kept_nowhere(database: Database) -> None:
    async with database.write() as tx:
        program, secret = await tokens.register(tx, "App", [BACK], "read", None, clock.now())
        persona = await make_persona(tx)
        word = await tokens.issue_code(tx, program, persona.id, BACK, ["read"], "", clock.now())
        _, shown = await tokens.give(tx, program.id, persona.id, ["read"], clock.now())
        kept = repr([await tx.all(select(table)) for table in (application, code, token)])
    assert not any(each in kept for each in (secret, word, shown))


async def test_of_two_that_bring_one_code_at_once_one_gets_a_token(database: Database) -> None:
    async with database.write() as tx:
        program, _ = await tokens.register(tx, "App", [BACK], "read", None, clock.now())
        persona = await make_persona(tx)
        word = await tokens.issue_code(tx, program, persona.id, BACK, ["read"], "", clock.now())
    given = []
    for _ in range(2):
        async with database.write() as tx:
            given.append(await tokens.redeem(tx, program, word, BACK, None, clock.now()))
    assert [each is not None for each in given] == [True, False]
    async with database.read() as tx:
        assert await tx.all(select(token)) == []  # and that one is taken back: somebody has stolen the code


async def test_a_code_with_a_challenge_is_no_good_without_its_verifier(database: Database) -> None:
    async with database.write() as tx:
        program, _ = await tokens.register(tx, "App", [BACK], "read", None, clock.now())
        persona = await make_persona(tx)
        plain = await tokens.issue_code(tx, program, persona.id, BACK, ["read"], "", clock.now())
        bound = await tokens.issue_code(tx, program, persona.id, BACK, ["read"], tokens.s256("v" * 43), clock.now())
        # Who has stolen a code gets nowhere by leaving the proof out, nor by adding one (RFC 9700, section 2.1.1).
        assert await tokens.redeem(tx, program, bound, BACK, None, clock.now()) is None
        assert await tokens.redeem(tx, program, plain, BACK, "v" * 43, clock.now()) is None


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "data:text/html,x", "https://a.test/#x", "nonsense", "file:/x"])
async def test_some_addresses_cannot_be_registered(database: Database, uri: str) -> None:
    async with town(database) as sut:
        asked = {"client_name": "App", "redirect_uris": [BACK, uri]}
        assert (await sut.stranger.refused("POST", "/api/v1/apps", asked))[0] == 422


async def test_a_token_reveals_no_other_persona(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        night, _ = await sut.program("night")
        bob, _ = await sut.program("bob")
        async with database.write() as tx:
            ann = await sign_up.create(tx, "ann@example.org", "hash", clock.now())
            await holds.give(tx, ann, alice.id)
            await holds.give(tx, ann, night.id)
        for path in ("/api/v1/accounts/verify_credentials", "/oauth/userinfo", "/api/v1/preferences"):
            assert "night" not in json.dumps(await app.get(path))
        # One's own other persona is answered as anybody's.
        seen = [await app.get(f"/api/v1/accounts/{persona.id}") for persona in (night, bob)]
        assert seen[0].keys() == seen[1].keys()
        told = [await app.get(f"/api/v1/accounts/relationships?id[]={persona.id}") for persona in (night, bob)]
        first, second = [{**each[0], "id": ""} for each in told]
        assert first == second


def test_every_endpoint_asks_for_what_is_documented() -> None:
    """The scopes of each, by the list of endpoints: any one of those named is enough."""
    lines = shared("api/endpoints.tsv").read_text().splitlines()[1:]
    documented = {(cells[1], cells[2]): cells[4] for cells in (line.split("\t") for line in lines)}
    wrong = []
    for each in ENDPOINTS:
        asked = documented.get((each.method, each.path))
        if not asked:
            continue
        wanted = set(asked.split())
        if not set(each.scopes) <= {*wanted, "follow"} or (wanted and not each.scopes):
            wrong.append((each.method, each.path, each.scopes, asked))
    assert wrong == []


def test_no_endpoint_asks_for_a_scope_that_there_is_not() -> None:
    assert {scope for each in ENDPOINTS for scope in each.scopes} <= {*scopes.EVERY}
