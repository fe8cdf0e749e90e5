"""Every fetch is paid for by what caused it."""

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from aiohttp import web

from fakes.asking import get, problem
from fakes.internet import Internet, Noted, reply
from privapub import scope
from privapub.budget import Budget
from privapub.outbound.client import Door

A = "http://peer.test/a"


@contextmanager
def cause(**limits: float) -> Iterator[Budget]:
    """A cause that has these limits."""
    with scope.cause("inbox", "inbox") as budget:
        for name, number in limits.items():
            setattr(budget, name, number)
        yield budget


async def test_each_request_and_each_redirect_is_an_object(internet: Internet, door: Door, noted: Noted) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/a":
            return web.Response(status=302, headers={"Location": "http://other.test/b"})
        return web.Response(body=b"{}", content_type="application/activity+json")

    peer, other = await internet.site("peer.test", answer), await internet.site("other.test", answer)
    with cause(objects=3) as budget:
        assert (await get(door, A)).hops == 1
        assert (budget.objects, budget.met) == (1, {"peer.test", "other.test"})
        assert (await problem(door, A)).reason == "budget"
        assert (await problem(door, "http://other.test/b")).reason == "budget"
        assert (len(peer.received), len(other.received)) == (2, 1)
        # A cause that has led to too much is told of once, however much more there would have been.
        assert [(note["outcome"], note["reason"]) for note in noted.notes] == [("ok", ""), ("refused", "budget")]
    with cause():
        assert (await get(door, A)).hops == 1


async def test_collections_are_counted_apart(internet: Internet, door: Door) -> None:
    await internet.site("peer.test", reply({}))
    with cause(objects=1, lists=1) as budget:
        with scope.purpose("collection"):
            await door.get(A, accept="*/*", content_types=frozenset())
        assert (budget.objects, budget.lists) == (1, 0)
        await get(door, A)
        assert budget.spent()


async def test_hosts_are_counted_and_those_that_were_met_are_asked_again(internet: Internet, door: Door) -> None:
    await internet.site("peer.test", reply({}))
    other = await internet.site("other.test", reply({}))
    with cause(hosts=1):
        await get(door, A)
        assert (await problem(door, "http://other.test/")).reason == "budget"
        assert other.received == []
        await get(door, A)


@pytest.mark.parametrize("packed", [False, True])
async def test_bytes_are_counted_as_they_come_and_as_they_unpack(internet: Internet, door: Door, packed: bool) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        body = b" " * 10_000
        headers = {"Content-Encoding": "gzip"} if packed else {}
        return web.Response(
            body=gzip.compress(body) if packed else body, headers=headers, content_type="application/activity+json"
        )

    await internet.site("peer.test", answer)
    with cause(bytes=15_000) as budget:
        await get(door, A)
        assert budget.bytes == 5_000
        assert (await problem(door, A)).reason == "budget"
        assert budget.spent()
    with cause():
        assert (await get(door, A)).status == 200  # what was too much for one says nothing of the host


async def test_the_time_is_that_of_all_requests_together(internet: Internet, door: Door) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response()

    await internet.site("peer.test", answer)
    with cause(seconds=0.05) as budget:
        assert (await problem(door, A)).reason == "budget"
        assert budget.left == 0
        assert (await problem(door, A)).reason == "budget"


async def test_a_delivery_is_charged_to_nothing(internet: Internet, door: Door) -> None:
    await internet.site("peer.test", reply({}))
    with cause(objects=0) as budget:
        with scope.purpose("delivery"):
            assert (await door.post(A, b"{}", content_type="a/b", sign=None)).status == 200
        assert budget.met == set()
