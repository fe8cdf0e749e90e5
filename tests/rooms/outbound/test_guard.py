"""No connection is made to an address that is not public, whatever the URL says."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fakes.asking import get, reason
from fakes.certificates import Authority
from fakes.internet import Internet, Noted, Site, reply
from privapub import scope
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import Door
from privapub.outbound.gate import OpenGate
from privapub.outbound.guard import Resolver, may_connect
from shared import shared

# In these tests 127.0.0.1 plays the public internet, and the rest of loopback stays private.
PUBLIC = (ip_network("127.0.0.1"),)


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Every address that a connection is begun to."""
    addresses: list[Any] = []
    connect = asyncio.SelectorEventLoop.sock_connect

    async def seen(self: Any, sock: Any, address: Any) -> None:
        addresses.append(address)
        await connect(self, sock, address)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", seen)
    yield addresses  # noqa: PT022  # the patch is undone after the test


@pytest.fixture
async def strict(noted: Noted) -> AsyncIterator[Door]:
    """A door as it is in production: the system's resolver, and nothing let through."""
    door = Door(recorder=noted, gate=OpenGate(), user_agent="PrivaPub/test")
    yield door
    await door.close()


async def test_private_targets_in_unusual_notation(strict: Door, noted: Noted, connected: list[Any]) -> None:
    case = json.loads(shared("cases/fetch/04-ssrf-address-forms.json").read_text())
    for url in case["given"]["urls"]:
        # Not every system's resolver knows a name with a dot at its end.
        expected = {"private-address", "network"} if "localhost." in url else {"private-address"}
        assert (url, await reason(strict, url) in expected) == (url, True)
        with pytest.raises(FetchProblem) as also, scope.purpose("delivery"):
            await strict.post(url, b"{}", content_type="application/activity+json", sign=None)
        assert (url, also.value.reason in expected) == (url, True)
    assert connected == []
    assert {note["outcome"] for note in noted.notes if note["reason"] != "network"} == {"refused"}


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["::ffff:192.168.0.1"], ["127.0.0.2"], ["fe80::1"], ["10.0.0.1", "192.168.0.1", "::1"], ["0.0.0.0"]],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_name_with_private_addresses(
    internet: Internet, noted: Noted, connected: list[Any], addresses: list[str], scheme: str
) -> None:
    internet.names.say("private.test", addresses)
    for allow in ((), PUBLIC):
        door = internet.door(noted, allow=allow)
        assert await reason(door, f"{scheme}://private.test:8443/") == "private-address"
    assert connected == []


async def test_a_name_with_public_and_private_addresses_is_reached_at_the_public_ones_alone(
    internet: Internet, noted: Noted, connected: list[Any]
) -> None:
    async with Site(reply({})) as site:
        internet.names.say("mixed.test", ["127.0.0.2", "10.0.0.1", "127.0.0.1", "::1"])
        door = internet.door(noted, allow=PUBLIC)
        assert (await get(door, f"http://mixed.test:{site.port}/")).status == 200
        await site.stop()
        assert await reason(door, f"http://mixed.test:{site.port}/b") == "private-address"
    assert {address[0] for address in connected} == {"127.0.0.1"}


async def test_a_name_that_changes_its_address_between_two_requests(
    internet: Internet, noted: Noted, connected: list[Any]
) -> None:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"{}", headers={"Content-Type": "application/activity+json", "Connection": "close"})

    async with Site(answer) as site, Site(reply({}), address="127.0.0.2") as inside:
        del inside
        internet.names.say("rebind.test", ["127.0.0.1"], ["127.0.0.2"])
        door = internet.door(noted, allow=PUBLIC)
        assert (await get(door, f"http://rebind.test:{site.port}/a")).status == 200
        assert await reason(door, f"http://rebind.test:{site.port}/b") == "private-address"
    assert {address[0] for address in connected} == {"127.0.0.1"}
    assert internet.names.asked == ["rebind.test", "rebind.test"]


async def test_a_redirect_to_a_private_address(internet: Internet, noted: Noted, connected: list[Any]) -> None:
    async with Site(reply({}), address="127.0.0.2") as inside:
        internet.names.say("private.test", ["127.0.0.2"])
        await internet.site("peer.test")
        door = internet.door(noted, allow=PUBLIC)
        for n, location in enumerate([inside.url, f"http://private.test:{inside.port}/", "http://[::1]/"]):
            peer = await internet.site(f"peer{n}.test", reply(status=302, headers={"Location": location}))
            assert await reason(door, f"{peer.url}/") == "private-address"
        assert inside.received == []
    assert {address[0] for address in connected} == {"127.0.0.1"}


@pytest.mark.parametrize("port", [1, 22, 25, 80, 444, 1023, 3306, 5432, 6379, 9200, 11211, 27017])
async def test_a_port_where_something_else_would_answer(
    internet: Internet, noted: Noted, connected: list[Any], port: int
) -> None:
    internet.names.say("peer.test", ["93.184.216.34"])
    for allow in ((), PUBLIC):
        assert await reason(internet.door(noted, allow=allow), f"https://peer.test:{port}/") == "private-address"
    assert connected == []


def test_which_connections_may_be_made() -> None:
    networks = (ip_network("192.168.1.0/24"),)
    assert may_connect("93.184.216.34", 443, (), plain=False)
    assert may_connect("2606:4700::1", 8443, networks, plain=False)
    assert not may_connect("93.184.216.34", 443, networks, plain=True)
    assert not may_connect("93.184.216.34", 80, networks, plain=True)
    assert not may_connect("93.184.216.34", 5432, networks, plain=False)
    assert may_connect("192.168.1.7", 5432, networks, plain=True)
    assert may_connect("192.168.1.7", 22, networks, plain=False)
    assert not may_connect("192.168.2.7", 443, networks, plain=False)


async def test_plain_http_is_for_the_networks_let_through(
    internet: Internet, noted: Noted, connected: list[Any]
) -> None:
    internet.names.say("peer.test", ["93.184.216.34"])
    assert await reason(internet.door(noted, allow=()), "http://peer.test/") == "private-address"
    assert internet.names.asked == []
    assert await reason(internet.door(noted, allow=PUBLIC), "http://peer.test:8080/") == "private-address"
    assert connected == []


@pytest.mark.parametrize(
    "url",
    [
        "", "peer.test", "//peer.test/", "/path", "ftp://peer.test/", "file:///etc/passwd", "http://", "http:///x",
        "http://peer.test:0/", "http://peer.test:99999/", "http://[::1", "http://a:b@peer.test/", "http://a@peer.test/",
        "http://peer.test\\@other.test/", "http://peer.test/\r\nX: y", "http://peer.test/a b", "http://peer.test/\x00",
        "http://.../", "http://peer.test/" + "a" * 5000, "http://" + "a" * 300 + ".test/", "http://xn--a.test/",
        "http://a..test/",
    ],
)  # fmt: skip
async def test_what_is_no_url_of_a_server_is_not_asked(door: Door, connected: list[Any], url: str) -> None:
    assert await reason(door, url) in ("private-address", "network")
    assert connected == []


async def test_a_server_with_a_certificate_of_nobody_is_not_believed(
    internet: Internet, noted: Noted, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    peer = await internet.site("peer.test", reply({}), tls=authority.serve("peer.test"))
    wrong = await internet.site("wrong.test", reply({}), tls=authority.serve("another.test"))
    assert await reason(internet.door(noted), "https://peer.test/") == "network"
    trusting = internet.door(noted, tls=authority.trust())
    assert await reason(trusting, "https://wrong.test/") == "network"
    assert (peer.received, wrong.received) == ([], [])
    assert (await get(trusting, "https://peer.test/")).status == 200


def test_a_door_that_does_not_verify_is_not_built(tmp_path: Path, noted: Noted) -> None:
    for part in ("verify_mode", "check_hostname"):
        context = Authority(tmp_path).trust()
        context.check_hostname = False
        if part == "verify_mode":
            context.verify_mode = 0  # type: ignore[assignment]  # as careless code writes it
        with pytest.raises(ValueError, match="verified"):
            Door(recorder=noted, gate=OpenGate(), user_agent="x", tls=context)


async def test_the_system_is_asked_for_names() -> None:
    resolver = Resolver()
    found = await resolver.resolve("127.0.0.1", 8443)
    assert [(result["host"], result["port"]) for result in found] == [("127.0.0.1", 8443)]
    await resolver.close()
