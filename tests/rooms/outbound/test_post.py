"""Sending: the answer is the answer, whatever its status."""

import anyio
import pytest
from aiohttp import web

from fakes.internet import Internet, Noted, reply
from privapub import scope
from privapub.outbound.answers import Answer, FetchProblem
from privapub.outbound.client import Door, Headers, Sign


async def post(door: Door, url: str, body: bytes = b'{"a": 1}', sign: Sign | None = None) -> Answer:
    with scope.purpose("delivery"), scope.trigger("deliver"):
        return await door.post(url, body, content_type="application/activity+json", sign=sign)


async def test_a_body_is_sent_as_it_is_and_signed(internet: Internet, door: Door, noted: Noted) -> None:
    async def sign(method: str, url: str, headers: Headers, body: bytes) -> Headers:
        sent = {name.lower(): value for name, value in headers}
        assert (method, url, body) == ("POST", "http://peer.test/inbox?x", b'{"a": 1}')
        assert (sent["host"], sent["content-type"]) == ("peer.test", "application/activity+json")
        return (("Signature", "s"), ("Digest", "d"))

    peer = await internet.site("peer.test", reply({"ok": True}, status=202))
    answer = await post(door, "http://peer.test/inbox?x", sign=sign)
    assert (answer.status, answer.body, answer.hops) == (202, b'{"ok": true}', 0)
    (request,) = peer.received
    assert (request.method, request.path, request.body) == ("POST", "/inbox?x", b'{"a": 1}')
    assert request.headers["content-length"] == "8"
    assert [request.headers.getall(name) for name in ("content-type", "signature", "digest")] == [
        ["application/activity+json"],
        ["s"],
        ["d"],
    ]
    (note,) = noted.notes
    assert (note["purpose"], note["trigger"], note["outcome"], note["status"]) == ("delivery", "deliver", "ok", 202)


@pytest.mark.parametrize("status", [301, 307, 308, 400, 401, 404, 410, 429, 500, 503])
async def test_every_status_is_an_answer_and_is_asked_again(
    internet: Internet, door: Door, noted: Noted, status: int
) -> None:
    headers = {"Location": "http://other.test/inbox", "Retry-After": "9"}
    other = await internet.site("other.test")
    peer = await internet.site("peer.test", reply(b"why", status=status, headers=headers))
    for _ in range(2):
        answer = await post(door, "http://peer.test/inbox")
        assert (answer.status, answer.body, answer.headers.get("retry-after")) == (status, b"why", "9")
    assert (len(peer.received), other.received) == (2, [])
    assert [(note["outcome"], note["reason"]) for note in noted.notes] == [("failed", str(status))] * 2


async def test_a_host_that_is_down_is_a_problem_and_tried_again_when_it_is_up(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply(status=202))
    port = peer.port
    await peer.stop()
    for _ in range(2):
        with pytest.raises(FetchProblem) as caught:
            await post(door, "http://peer.test/inbox")
        assert (caught.value.reason, caught.value.outcome) == ("network", "failed")
    await peer.start(port)
    assert (await post(door, "http://peer.test/inbox")).status == 202


async def test_a_kept_connection_that_was_closed_meanwhile_is_no_failure(internet: Internet, door: Door) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        # The second request of a connection is met by its end, as when its keep-alive time runs out just then.
        assert request.transport is not None
        if request.transport.get_extra_info("peername") in seen:
            request.transport.abort()
        seen.add(request.transport.get_extra_info("peername"))
        return web.Response(status=202)

    seen: set[object] = set()
    peer = await internet.site("peer.test", answer)
    for _ in range(3):
        assert (await post(door, "http://peer.test/inbox")).status == 202
    assert len(peer.received) == 5


async def test_a_new_connection_that_is_closed_is_one(internet: Internet, door: Door) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    peer = await internet.site("peer.test", answer)
    with pytest.raises(FetchProblem):
        await post(door, "http://peer.test/inbox")
    assert len(peer.received) == 1


async def test_many_at_once(internet: Internet, door: Door, noted: Noted) -> None:
    peer = await internet.site("peer.test", reply(status=202))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for n in range(50):
                group.start_soon(post, door, f"http://peer.test/{n}")
    assert len(peer.received) == 50
    assert len(noted.notes) == 50


async def test_no_error_holds_the_path(internet: Internet, door: Door) -> None:
    peer = await internet.site("peer.test", reply(status=202))
    await peer.stop()
    with pytest.raises(FetchProblem) as caught:
        await post(door, "http://peer.test/secret")
    assert "secret" not in repr(caught.value) + str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
