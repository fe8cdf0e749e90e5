"""What a connection may cost that says nothing, does not end what it says, or goes on when it was answered."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest

from fakes.certificates import Authority
from fakes.world import World
from privapub.database.connect import Database
from privapub.limits import visit
from privapub.media import names
from privapub.server import Server
from privapub.web import connection

GET = b"GET /nodeinfo/2.1 HTTP/1.1\r\nHost: sut.test\r\n\r\n"


@pytest.fixture
async def world(database: Database, authority: Authority) -> AsyncIterator[World]:
    """A server."""
    async with World(database, authority) as opened:
        yield opened
        while Client.opened:
            await Client.opened.pop().close()


class Client:
    """One connection, byte by byte."""

    opened: ClassVar[list["Client"]] = []

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.opened.append(self)

    @classmethod
    async def to(cls, world: World) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", world.port))

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def status(self) -> int:
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        await self._reader.readexactly(length)
        return int(head.split()[1])

    async def answers(self) -> bool:
        """Whether a request is answered."""
        await self.send(GET)
        return await self.status() == 200

    async def is_ended(self) -> bool:
        """Read until the server has closed; whatever comes before that is let go."""
        with contextlib.suppress(ConnectionError):
            while await self._reader.read(65536):
                pass
        return True

    async def pours(self, data: bytes) -> bool:
        """Send this again and again until the server has closed."""
        with contextlib.suppress(ConnectionError):
            while not self._reader.at_eof():
                await self.send(data)
                await asyncio.sleep(0)
        return True

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


async def test_who_says_nothing_or_not_to_its_end_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_TIME", 0.05)
    for said in (b"", b"GET / HTTP/1.1\r\nHost: sut.test\r\n", b"POST /inbox HTTP/1.1\r\nX-Long: aaaa"):
        client = await Client.to(world)
        await client.send(said)
        assert await client.is_ended()


async def test_the_second_request_of_a_connection_has_its_time_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await Client.to(world)
    await client.send(GET)
    assert await client.status() == 200
    monkeypatch.setattr(connection, "HEAD_TIME", 0.05)
    await client.send(b"GET / HT")
    assert await client.is_ended()


@pytest.mark.parametrize("line", [b"X-More: " + b"a" * 1000 + b"\r\n", b"a" * 1000])
async def test_a_head_without_an_end_is_ended(world: World, line: bytes) -> None:
    client = await Client.to(world)
    await client.send(b"POST /inbox HTTP/1.1\r\nHost: sut.test\r\nX-First: ")
    assert await client.pours(line)


@pytest.mark.parametrize("target", [b"GET /nodeinfo/2.1", b"POST /nothing/here", b"POST /inbox"])
async def test_a_body_without_an_end_is_ended_once_it_was_answered(world: World, target: bytes) -> None:
    client = await Client.to(world)
    await client.send(target + b" HTTP/1.1\r\nHost: sut.test\r\nContent-Length: 99999999999\r\n\r\n")
    assert await client.status() in (200, 404, 405, 413)
    assert await client.pours(b"x" * 10_000)


async def test_a_body_that_stops_is_ended_once_it_was_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REST_TIME", 0.05)
    client = await Client.to(world)
    await client.send(b"GET /nodeinfo/2.1 HTTP/1.1\r\nHost: sut.test\r\nContent-Length: 50\r\n\r\nabc")
    assert await client.status() == 200
    assert await client.is_ended()


async def test_who_ends_a_body_that_was_answered_and_then_says_nothing_is_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "IDLE_TIME", 0.05)
    client = await Client.to(world)
    await client.send(b"POST /nothing HTTP/1.1\r\nHost: sut.test\r\nContent-Length: 6\r\n\r\nabc")
    assert await client.status() in (404, 405)
    await client.send(b"def")
    assert await client.is_ended()


async def test_who_takes_nothing_of_an_answer_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def get() -> Client:
        client = await Client.to(world)
        await client.send(f"GET /media/{name} HTTP/1.1\r\nHost: sut.test\r\n\r\n".encode())
        return client

    def end(self: connection.Connection) -> None:
        before(self)
        ended.set()

    before, ended = connection.Connection._end, asyncio.Event()
    monkeypatch.setattr(connection.Connection, "_end", end)
    name, most = names.new("video/mp4"), 32 << 20  # more than the buffers of both ends hold
    await world.server.files.put(names.place(name), bytes(most))
    assert await (await get()).status() == 200
    assert not ended.is_set()
    monkeypatch.setattr(connection, "STALL_TIME", 0.05)
    stalled = await get()
    await ended.wait()
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await stalled.status()
    assert await (await Client.to(world)).answers()


async def test_a_client_that_behaves_is_answered_as_often_as_it_likes(world: World) -> None:
    client = await Client.to(world)
    whole = b"POST /inbox HTTP/1.1\r\nHost: sut.test\r\nContent-Length: 900000\r\n\r\n" + b"x" * 900_000
    for _ in range(3):
        await client.send(GET)
        assert await client.status() == 200
        await client.send(whole)
        assert await client.status() == 415
        await client.send(GET + GET)
        assert [await client.status(), await client.status()] == [200, 200]
        await client.send(b"POST /nothing HTTP/1.1\r\nHost: sut.test\r\nContent-Length: 6\r\n\r\nabc")
        assert await client.status() in (404, 405)
        await client.send(b"def" + GET)
        assert await client.status() == 200


async def test_each_request_is_known_by_the_network_that_it_comes_from(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit.begin(None)
    seen = []
    before = type(world.server).domain
    monkeypatch.setattr(
        Server, "domain", property(lambda self: (seen.append(visit.current().sender), before.fget(self))[1])
    )
    for said in ("203.0.113.9", "2001:db8::9, 127.0.0.1"):
        answered = await world.get("/.well-known/webfinger?resource=acct:a@sut.test", {"X-Forwarded-For": said})
        assert answered.status == 404
    assert set(seen) == {"203.0.113.9", "2001:db8::/64"}
    assert visit.current().sender is None
