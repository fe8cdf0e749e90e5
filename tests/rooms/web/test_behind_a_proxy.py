"""Behind a proxy the server is what its settings call it, whatever a request says of the way that it came."""

from ipaddress import ip_network
from typing import Any

import pytest

from asgi import Application
from privapub.database.connect import Database
from program import town

# What a proxy writes, or what somebody writes whom no proxy keeps from it.
SAID = (
    ("X-Forwarded-Host", "wrong.test"), ("X-Forwarded-Proto", "http"), ("X-Forwarded-Port", "81"),
    ("X-Forwarded-Ssl", "off"), ("Forwarded", "host=wrong.test;proto=http"),
)  # fmt: skip
PLACES = (
    "/api/v1/instance", "/api/v2/instance", "/api/v1/timelines/public?limit=1", "/.well-known/nodeinfo",
    "/.well-known/oauth-authorization-server", "/.well-known/webfinger?resource=acct:alice@sut.test", "/@alice",
    "/oauth/authorize", "/settings/security",
)  # fmt: skip


@pytest.mark.parametrize("host", ["sut.test", "wrong.test", "127.0.0.1:8000"])
async def test_no_answer_names_another_host_or_scheme(database: Database, host: str) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for text in ("one", "two"):
            await app.told("POST", "/api/v1/statuses", {"status": text})
        for path in PLACES:
            right = await sut.sut.ask("GET", path, [("Host", "sut.test")])
            said = await sut.sut.ask("GET", path, [("Host", host), *SAID])
            assert said.status == right.status, path
            # What is drawn anew for each answer is no address.
            assert without_chance(said) == without_chance(right), path
            assert "wrong.test" not in f"{said.headers} {said.text}"
        streams = (await sut.stranger.get("/api/v2/instance"))["configuration"]["urls"]["streaming"]
        assert streams == "wss://sut.test"


def without_chance(answer: Any) -> tuple[dict[str, str], bytes]:
    drawn = ("set-cookie", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "etag", "date")
    return {name: value for name, value in answer.headers.items() if name not in drawn}, answer.body


async def test_cookies_are_for_https_where_that_is_how_the_server_is_reached(database: Database) -> None:
    async with town(database) as sut:
        answer = await sut.sut.ask("GET", "/auth/sign_in", [("Host", "sut.test"), *SAID])
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-privapub=")
        assert "; secure" in cookie.lower()
    async with town(database, base_url="http://localhost:8000") as sut:
        answer = await sut.sut.ask("GET", "/auth/sign_in", [("Host", "localhost:8000"), ("X-Forwarded-Proto", "https")])
        assert answer.headers["set-cookie"].startswith("privapub=")


async def seen(sut: Application, *addresses: str) -> list[int]:
    """How requests are answered that say that they come from these addresses."""
    path = "/.well-known/oauth-authorization-server"
    return [(await sut.ask("GET", path, [("X-Forwarded-For", each)])).status for each in addresses]


async def test_a_proxy_that_is_named_says_from_where_a_request_comes_and_nobody_else(database: Database) -> None:
    here = (ip_network("127.0.0.0/8"),)
    several = ("203.0.113.1", "203.0.113.2", "203.0.113.3")
    async with town(database, proxies=here, api_per_address=2) as sut:
        assert await seen(sut.sut, *several) == [200, 200, 200]
        # What somebody wrote there before the proxy did is not believed.
        forged = [f"{each}, 203.0.113.9" for each in several]
        assert await seen(sut.sut, *forged) == [200, 200, 429]
    async with town(database, proxies=(), api_per_address=2) as sut:
        assert await seen(sut.sut, *several) == [200, 200, 429]
