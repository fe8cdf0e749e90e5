"""Redirects are followed by hand: at most three, each judged and signed like a first request."""

import json
from pathlib import Path

import pytest
from aiohttp import web

from fakes.asking import get, problem, reason
from fakes.certificates import Authority
from fakes.internet import Answerer, Internet, Noted, reply
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import Door, Headers
from privapub.outbound.gate import OpenGate
from shared import shared


def to(location: str, status: int = 302) -> Answerer:
    return reply(status=status, headers={"Location": location})


def chain(length: int) -> Answerer:
    """`/0` leads to `/1` and so on; the last one is a document."""

    async def answer(request: web.Request) -> web.StreamResponse:
        n = int(request.path.strip("/"))
        if n < length:
            return await to(f"/{n + 1}")(request)
        return await reply({"n": n})(request)

    return answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed_to_another_host(
    internet: Internet, door: Door, noted: Noted, status: int
) -> None:
    other = await internet.site("other.test", reply({"id": 1}))
    await internet.site("peer.test", to("http://other.test/x?y#z", status))
    answer = await get(door, "http://peer.test/")
    assert (answer.url, answer.hops) == ("http://other.test/x?y", 1)
    assert other.received[0].headers["host"] == "other.test"
    assert (noted.notes[0]["host"], noted.notes[0]["hops"]) == ("peer.test", 1)


async def test_three_are_followed_and_not_a_fourth(internet: Internet, door: Door, noted: Noted) -> None:
    peer = await internet.site("peer.test", chain(3))
    answer = await get(door, "http://peer.test/0")
    assert (answer.hops, answer.url) == (3, "http://peer.test/3")
    peer.answer = chain(4)
    peer.received.clear()
    caught = await problem(door, "http://peer.test/0")
    assert (caught.reason, caught.outcome) == ("too-many-redirects", "refused")
    assert [request.path for request in peer.received] == ["/0", "/1", "/2", "/3"]
    assert noted.notes[-1]["hops"] == 3


async def test_who_asks_is_told_of_each_redirect_and_may_refuse_it(internet: Internet, door: Door) -> None:
    peer, told = await internet.site("peer.test", chain(3)), list[str]()

    def refuse(url: str) -> None:
        told.append(url)
        if url.endswith("/2"):
            raise FetchProblem("peer.test", "budget")

    assert await reason(door, "http://peer.test/0", hop=refuse) == "budget"
    assert told == ["http://peer.test/1", "http://peer.test/2"]
    assert [request.path for request in peer.received] == ["/0", "/1"]
    assert (await get(door, "http://peer.test/0", hop=told.append)).hops == 3  # it is not remembered as a failure


async def test_a_circle_ends(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", to("/"))
    assert await reason(door, "http://peer.test/") == "too-many-redirects"
    assert len(peer.received) == 4


@pytest.mark.parametrize(
    "location",
    ["", "file:///etc/passwd", "gopher://peer.test/", "http://a:b@peer.test/x", "http:///x", "http://[::1", "data:,x"],
)
async def test_a_redirect_to_nowhere(internet: Internet, door: Door, location: str) -> None:
    peer = await internet.site("peer.test", to(location))
    caught = await problem(door, "http://peer.test/a")
    assert (caught.reason, caught.outcome, caught.status) == ("bad-redirect", "refused", 302)
    assert all(request.path == "/a" for request in peer.received)


async def test_a_redirect_without_a_location(internet: Internet, door: Door) -> None:
    await internet.site("peer.test", reply(status=301))
    assert await reason(door, "http://peer.test/a") == "bad-redirect"


async def test_from_http_to_https_and_never_back(internet: Internet, noted: Noted, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    door = internet.door(noted, tls=authority.trust())
    safe = await internet.site("safe.test", reply({}), tls=authority.serve("safe.test"))
    plain = await internet.site("plain.test", to("https://safe.test/"))
    answer = await get(door, "http://plain.test/")
    assert (answer.url, answer.hops) == ("https://safe.test/", 1)
    safe.answer, plain.answer = to("http://plain.test/b"), reply({})
    assert await reason(door, "https://safe.test/a") == "bad-redirect"
    assert [request.path for request in plain.received] == ["/"]


async def test_a_redirect_to_a_host_that_is_down_has_no_status(internet: Internet, door: Door, noted: Noted) -> None:
    await internet.site("peer.test", to("http://nowhere.test/"))
    caught = await problem(door, "http://peer.test/")
    assert (caught.reason, caught.status) == ("network", None)
    assert (noted.notes[0]["status"], noted.notes[0]["hops"]) == (None, 1)


async def test_a_fetch_that_must_stay_on_its_host(internet: Internet, door: Door) -> None:
    other = await internet.site("other.test", reply({}))
    peer = await internet.site("peer.test", to("http://other.test/"))
    assert await reason(door, "http://peer.test/a", same_host=True) == "bad-redirect"
    assert other.received == []
    peer.answer = chain(1)
    assert (await get(door, "http://PEER.test/0", same_host=True)).hops == 1


async def test_the_gate_is_asked_at_each_hop(internet: Internet, noted: Noted) -> None:
    asked = []

    class Gate(OpenGate):
        async def refuses(self, host: str) -> str | None:
            asked.append(host)
            return "blocked" if host == "bad.test" else None

    bad = await internet.site("bad.test", reply({}))
    await internet.site("peer.test", to("http://BAD.test/"))
    assert await reason(internet.door(noted, gate=Gate()), "http://peer.test/") == "disallowed"
    assert asked == ["peer.test", "bad.test"]
    assert bad.received == []


async def test_each_hop_is_signed_anew(internet: Internet, door: Door) -> None:
    case = json.loads(shared("cases/fetch/10-resign-on-redirect-and-accept.json").read_text())
    hop, last, strict = case["given"]["serve"]
    calls = []

    async def sign(method: str, url: str, headers: Headers, body: bytes) -> Headers:
        calls.append((method, url, dict(headers)["Host"], body))
        return (("Signature", f'url="{url}"'), ("Date", str(len(calls))))

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.raw_path == "/old/carol":
            return await to(hop["headers"]["Location"].replace("https:", "http:"), hop["status"])(request)
        return await reply({})(request)

    peer = await internet.site("peer.test", answer)
    first, second = hop["url"].replace("https:", "http:"), last["url"].replace("https:", "http:")
    assert (await get(door, first, sign=sign)).url == second
    assert calls == [("GET", first, "peer.test", b""), ("GET", second, "peer.test", b"")]
    assert [request.headers.getall("signature") for request in peer.received] == [
        [f'url="{first}"'],
        [f'url="{second}"'],
    ]
    assert [request.headers.getall("date") for request in peer.received] == [["1"], ["2"]]
    await get(door, strict["url"].replace("https:", "http:"), sign=sign)
    for kind in ("application/activity+json", 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'):
        assert kind in peer.received[-1].headers["accept"]


async def test_what_the_signer_gives_replaces_what_was_there(internet: Internet, door: Door) -> None:
    async def sign(_method: str, _url: str, _headers: Headers, _body: bytes) -> Headers:
        return (("accept", "x/y"), ("Signature-Input", "a"), ("Signature", "b"))

    peer = await internet.site("peer.test", reply({}))
    await get(door, "http://peer.test/", sign=sign)
    assert peer.received[0].headers.getall("accept") == ["x/y"]
    assert peer.received[0].headers["signature-input"] == "a"
