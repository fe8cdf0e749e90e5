"""The door: what it asks, what it takes, and what it tells."""

import pytest
from aiohttp import web

from fakes.asking import get, problem
from fakes.internet import Internet, Noted, reply
from privapub import clock, scope
from privapub.database.connect import Database
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import Door, Headers
from privapub.outbound.gate import OpenGate


async def test_a_document_is_fetched_and_told_of_without_its_path(internet: Internet, door: Door, noted: Noted) -> None:
    peer = await internet.site("peer.test", reply({"id": "x"}))
    answer = await get(door, "http://peer.test/notes/1?page=2#part")
    assert (answer.status, answer.url, answer.hops) == (200, "http://peer.test/notes/1?page=2", 0)
    assert answer.content_type == "application/activity+json"
    assert answer.body == b'{"id": "x"}'
    assert answer.headers.get("content-length") == "11"
    (request,) = await peer.wait_for(1)
    assert (request.method, request.path) == ("GET", "/notes/1?page=2")
    assert request.headers["host"] == "peer.test"
    assert request.headers["user-agent"].startswith("PrivaPub/")
    assert "application/activity+json" in request.headers["accept"]
    assert 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"' in request.headers["accept"]
    assert request.headers["accept-encoding"] == "gzip, br"
    (note,) = noted.notes
    assert (note["host"], note["purpose"], note["trigger"]) == ("peer.test", "object", "inbox")
    assert (note["outcome"], note["reason"], note["status"], note["bytes"], note["hops"]) == ("ok", "", 200, 11, 0)


async def test_a_url_goes_out_letter_by_letter(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply({}))
    for path in ("/%7Ebob/./a//b?x=%2f&y=1+2", "/?author=1", "/@a@b/", "/a;b,c(d)*!$'"):
        assert (await get(door, f"http://peer.test{path}")).url == f"http://peer.test{path}"
        assert peer.received[-1].path == path


async def test_a_url_without_a_path_stays_without_one(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply({}))
    assert (await get(door, "http://peer.test")).url == "http://peer.test"
    assert peer.received[-1].path == "/"


async def test_letters_that_no_uri_may_have_are_written_as_octets(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply({}))
    await get(door, "http://peer.test/straße")
    assert peer.received[-1].path == "/stra%C3%9Fe"


async def test_a_request_needs_a_purpose(door: Door) -> None:
    with pytest.raises(ValueError, match="purpose"):
        await door.get("http://peer.test/", accept="*/*", content_types=frozenset())
    with pytest.raises(ValueError, match="purpose"):
        await door.post("http://peer.test/", b"", content_type="x/y", sign=None)


async def test_nothing_goes_out_while_a_transaction_is_open(
    internet: Internet, door: Door, noted: Noted, database: Database
) -> None:
    peer = await internet.site("peer.test", reply({}))
    async with database.read() as tx:
        with pytest.raises(RuntimeError, match="transaction"):
            await get(door, "http://peer.test/")
        with pytest.raises(RuntimeError, match="transaction"), scope.purpose("delivery"):
            await door.post("http://peer.test/inbox", b"{}", content_type="a/b", sign=None)
        del tx
    assert peer.received == []
    assert noted.notes == []
    assert (await get(door, "http://peer.test/")).status == 200


@pytest.mark.parametrize(
    ("content_type", "taken"),
    [
        ("application/activity+json", True),
        ("Application/Activity+JSON; charset=UTF-8", True),
        ('application/ld+json; profile="https://www.w3.org/ns/activitystreams"', True),
        ('application/ld+json;profile="http://a.example/ https://www.w3.org/ns/activitystreams"', True),
        ("application/ld+json", False),
        ('application/ld+json; profile="https://www.w3.org/ns/other"', False),
        ("application/json", False),
        ("text/html", False),
        ("text/plain; x=application/activity+json", False),
        ("image/png", False),
    ],
)
async def test_only_what_was_asked_for_is_taken(
    internet: Internet, door: Door, noted: Noted, content_type: str, taken: bool
) -> None:
    await internet.site("peer.test", reply({}, content_type=content_type))
    if taken:
        assert (await get(door, "http://peer.test/")).status == 200
    else:
        caught = await problem(door, "http://peer.test/")
        assert (caught.reason, caught.outcome) == ("content-type", "refused")
        assert noted.notes[-1]["reason"] == "content-type"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429, 500, 503, 304])
async def test_a_status_is_the_reason(internet: Internet, door: Door, noted: Noted, status: int) -> None:
    await internet.site("peer.test", reply(status=status, headers={"Retry-After": "120"}))
    caught = await problem(door, "http://peer.test/")
    assert (caught.reason, caught.status, caught.outcome) == (str(status), status, "failed")
    assert caught.retry_after == "120"
    assert "peer.test" in str(caught)
    assert (noted.notes[0]["outcome"], noted.notes[0]["status"]) == ("failed", status)


async def test_what_cannot_be_read_is_bad_json(internet: Internet, door: Door, noted: Noted) -> None:
    await internet.site("peer.test", reply(b'{"a": '))

    def read(_body: bytes) -> object:
        raise ValueError("/secret")

    assert (await problem(door, "http://peer.test/", read=read)).reason == "bad-json"
    assert (noted.notes[0]["outcome"], noted.notes[0]["reason"]) == ("failed", "bad-json")
    answer = await get(door, "http://peer.test/", read=len, fresh=True)
    assert answer.content == 6


async def test_a_failure_is_remembered_for_a_while(internet: Internet, door: Door, noted: Noted) -> None:
    peer = await internet.site("peer.test")
    assert (await problem(door, "http://peer.test/gone")).reason == "404"
    caught = await problem(door, "http://peer.test/gone")
    assert (caught.reason, caught.outcome) == ("remembered", "refused")
    assert len(peer.received) == 1
    assert [note["reason"] for note in noted.notes] == ["404", "remembered"]
    clock.advance(86_401)
    assert (await problem(door, "http://peer.test/gone")).reason == "404"
    peer.answer = reply({})
    assert (await get(door, "http://peer.test/gone", fresh=True)).status == 200
    assert (await get(door, "http://peer.test/gone")).status == 200


async def test_a_host_that_spoke_to_us_is_asked_again(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test")
    await problem(door, "http://peer.test/a")
    peer.answer = reply({})
    door.forget("other.test")
    assert (await problem(door, "http://peer.test/a")).reason == "remembered"
    door.forget("not a host")
    door.forget("Peer.test:80")
    assert (await get(door, "http://peer.test/a")).status == 200


async def test_another_way_of_asking_is_another_question(internet: Internet, door: Door) -> None:
    await internet.site("peer.test", reply(b"<html>", content_type="text/html"))

    async def sign(_method: str, _url: str, _headers: Headers, _body: bytes) -> Headers:
        return ()

    assert (await problem(door, "http://peer.test/a")).reason == "content-type"
    assert (await get(door, "http://peer.test/a", accept="text/html", content_types={"text/html"})).status == 200
    assert (await problem(door, "http://peer.test/a", sign=sign)).reason == "content-type"


async def test_a_gate_is_asked_first(internet: Internet, noted: Noted) -> None:
    class Closed(OpenGate):
        async def refuses(self, host: str) -> str | None:
            return "blocked" if host == "bad.test" else None

    peer = await internet.site("bad.test", reply({}))
    door = internet.door(noted, gate=Closed())
    caught = await problem(door, "http://BAD.test./a")
    assert (caught.reason, caught.outcome) == ("disallowed", "refused")
    with pytest.raises(FetchProblem), scope.purpose("delivery"):
        await door.post("http://bad.test/inbox", b"{}", content_type="a/b", sign=None)
    assert peer.received == []
    assert internet.names.asked == []
    # An admin may open the gate again: its word is not remembered.
    assert (await problem(door, "http://bad.test./a")).reason == "disallowed"


async def test_no_cookie_is_kept(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply({}, headers={"Set-Cookie": "who=me; Path=/"}))
    await get(door, "http://peer.test/1")
    await get(door, "http://peer.test/2")
    assert all("cookie" not in request.headers for request in peer.received)
    assert len(peer.received) == 2


async def test_no_proxy_of_the_environment_is_used(
    internet: Internet, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = await internet.site("peer.test", reply({}))
    other = await internet.site("other.test", reply({}))
    monkeypatch.setenv("http_proxy", other.url)
    await get(door, "http://peer.test/1")
    assert (len(peer.received), len(other.received)) == (1, 0)


async def test_a_connection_serves_everybody_in_turn(internet: Internet, door: Door) -> None:
    seen = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        seen.add(request.transport.get_extra_info("peername"))
        if request.path == "/moved":
            raise web.HTTPFound("/0")
        if request.path == "/gone":
            raise web.HTTPNotFound
        return web.json_response({}, content_type="application/activity+json")

    await internet.site("peer.test", answer)
    for n in range(4):
        await get(door, f"http://peer.test/{n}")
    await get(door, "http://peer.test/moved")
    await problem(door, "http://peer.test/gone")
    await get(door, "http://peer.test/5")
    assert len(seen) == 1
