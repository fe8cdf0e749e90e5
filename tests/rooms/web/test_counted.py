"""Every answer is counted, once and as what it is."""

import re
from collections import Counter

import pytest
from starlette.routing import Route, WebSocketRoute

from asgi import DOCUMENT, HTML, Application, serving
from makers import make_persona, make_post, make_remote
from privapub.client_api import routes as client_api
from privapub.database.connect import Database
from privapub.federation import routes as federation
from privapub.federation.served.counted import counted
from privapub.posts import read as posts
from privapub.telemetry.traffic import COLLECTION, KINDS, OTHER
from privapub.web import routes as web


def since_last(sut: Application) -> Counter[tuple[str, str, int, bool]]:
    """What was counted since this was last asked, without the day."""
    meter = sut.server.traffic
    found = Counter({key[1:]: count for key, count in meter._counts.items()})
    meter._counts.clear()
    return found  # type: ignore[return-value]  # the key of this tally


async def test_every_route_says_what_it_answers(database: Database) -> None:
    async with serving(database) as sut:
        used = set()
        for route in (*web.routes(sut.server), *federation.routes(sut.server), *client_api.routes(sut.server)):
            if isinstance(route, WebSocketRoute):
                continue  # it is no request that is answered
            assert isinstance(route, Route)
            path = re.sub(r"\{[\w:]+\}", "x", route.path)
            method = "GET" if "GET" in (route.methods or ()) else min(route.methods or ())
            for accept in (DOCUMENT, HTML):
                await sut.ask(method, path, [("Host", "sut.test"), ("Accept", accept)])
                ((kind, told, _, signed), count) = since_last(sut).popitem()
                assert (told, signed, count) == (method, False, 1)
                assert kind != OTHER, f"{path} has no kind: see federation/served/counted.py"
                used.add(kind)
    assert used | {COLLECTION, OTHER} == KINDS


def test_a_kind_that_nobody_knows_is_no_kind() -> None:
    with pytest.raises(ValueError, match="circle"):
        counted("circle", web.front)


async def test_documents_and_pages_of_one_address_are_told_apart(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post = await make_post(tx, alice.id)
    async with serving(database) as sut:
        for url in (alice.actor.uri, post.uri):
            await sut.get(url, accept=DOCUMENT)
            await sut.get(url, accept=HTML)
        assert since_last(sut) == {
            ("actor", "GET", 200, False): 1,
            ("page", "GET", 302, False): 1,
            ("post", "GET", 200, False): 1,
            ("page", "GET", 200, False): 1,
        }
        await sut.get(alice.actor.uri, accept=DOCUMENT, method="HEAD")
        assert since_last(sut) == {("actor", "HEAD", 200, False): 1}


async def test_whether_a_request_was_signed_is_counted_and_not_by_whom(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol, dave = await make_remote(tx), await make_remote(tx, "dave@other.test")
    async with serving(database) as sut:
        for by in (carol, dave, None):
            await sut.get(alice.actor.uri, accept=DOCUMENT, by=by)
        assert since_last(sut) == {("actor", "GET", 200, True): 2, ("actor", "GET", 200, False): 1}


async def test_what_is_not_there_and_what_goes_wrong_is_counted_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(database) as sut:
        await sut.get("/no/such/address")
        await sut.get("/posts/nothing", accept=DOCUMENT)
        await sut.ask("BREW", "/posts/nothing", [("Host", "sut.test")])
        await sut.ask("POST", "/inbox", [("Host", "sut.test"), ("Content-Type", "text/plain")])
        assert since_last(sut) == {
            ("other", "GET", 404, False): 1,
            ("post", "GET", 404, False): 1,
            ("other", "other", 405, False): 1,
            ("inbox", "POST", 415, False): 1,
        }
        monkeypatch.setattr(Database, "read", lambda _: (_ for _ in ()).throw(RuntimeError("broken")))
        await sut.get("/posts/nothing", accept=DOCUMENT)
        assert since_last(sut) == {("post", "GET", 500, False): 1}


@pytest.mark.parametrize("audience", [posts.DIRECT, posts.FOLLOWERS])
async def test_whom_a_post_is_for_is_not_counted(database: Database, audience: str) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        post = await make_post(tx, alice.id, audience, named=[carol.id])
    async with serving(database) as sut:
        for path in ("", "/replies", "/context"):
            await sut.get(f"{post.uri}{path}", accept=DOCUMENT)
            closed = since_last(sut)
            await sut.get(f"https://sut.test/posts/nothing{path}", accept=DOCUMENT)
            assert since_last(sut) == closed
