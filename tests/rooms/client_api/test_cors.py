"""What pages of another origin may ask and read, as a browser finds out."""

import pytest

from privapub.client_api.routes import ENDPOINTS
from privapub.database.connect import Database
from program import town

ELSEWHERE = ("Origin", "https://app.test")
READ = (
    "/.well-known/nodeinfo", "/nodeinfo/2.0", "/.well-known/webfinger?resource=acct:a@sut.test", "/static/missing.png",
    "/media/nothing.png", "/proxy/nothing", "/@alice", "/actors/nobody",
)  # fmt: skip
OUR_PAGES = (
    "/", "/about", "/oauth/authorize", "/auth/sign_in", "/auth/code", "/auth/sign_up", "/auth/password",
    "/settings/security",
)  # fmt: skip


def words(line: str) -> set[str]:
    return {word.strip().lower() for word in line.split(",")}


async def test_every_endpoint_may_be_asked_from_elsewhere(database: Database) -> None:
    async with town(database) as sut:
        for each in (each for each in ENDPOINTS if each.path != "/health"):  # which is for who watches over the server
            wanted = ("Access-Control-Request-Headers", "authorization,idempotency-key")
            allowed = await sut.sut.ask("OPTIONS", each.path, [ELSEWHERE, wanted])
            assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (200, "*"), each.path
            assert "access-control-allow-credentials" not in allowed.headers
            if each.path.startswith(("/api/", "/oauth/")):
                assert each.method.lower() in words(allowed.headers["access-control-allow-methods"])
                assert words(allowed.headers["access-control-allow-headers"]) >= {"authorization", "idempotency-key"}


@pytest.mark.parametrize("path", READ)
async def test_what_everybody_may_read_a_page_from_elsewhere_may(database: Database, path: str) -> None:
    async with town(database) as sut:
        await sut.program("alice")
        allowed = await sut.sut.ask("OPTIONS", path, [ELSEWHERE])
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (200, "*")
        assert words(allowed.headers["access-control-allow-methods"]) == {"get", "head", "options"}
        assert (await sut.sut.get(path, Origin=ELSEWHERE[1])).headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", ["/api/v2/instance", "/api/v1/timelines/home", "/static/missing.png"])
async def test_a_cache_may_give_one_what_another_was_answered(database: Database, path: str) -> None:
    async with town(database) as sut:
        by_a_page, by_itself = await sut.sut.get(path, Origin=ELSEWHERE[1]), await sut.sut.get(path)
        assert {each.headers["access-control-allow-origin"] for each in (by_a_page, by_itself)} == {"*"}


async def test_programs_see_where_the_next_page_is_and_how_much_they_may_ask(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for text in ("one", "two"):
            await app.told("POST", "/api/v1/statuses", {"status": text})
        answer = await app.ask("GET", "/api/v1/timelines/public?limit=1", Origin=ELSEWHERE[1])
        exposed = words(answer.headers["access-control-expose-headers"])
        counted = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}
        assert exposed >= {"link", "retry-after", *counted}
        assert answer.headers.keys() >= {"link", *counted}


@pytest.mark.parametrize("path", OUR_PAGES)
async def test_no_page_from_elsewhere_reads_a_page_that_knows_who_is_there(database: Database, path: str) -> None:
    async with town(database) as sut:
        for method in ("GET", "OPTIONS"):
            answer = await sut.sut.ask(method, path, [("Host", "sut.test"), ELSEWHERE])
            assert not [name for name in answer.headers if name.startswith("access-control-")]
