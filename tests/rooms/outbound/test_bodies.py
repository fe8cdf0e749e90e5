"""Answers that are too much, too slow, or packed to deceive: each ends by a limit."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress

import anyio
import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import ports
from fakes.asking import get, problem, reason
from fakes.internet import Internet, Noted, reply
from privapub import scope
from privapub.outbound.answers import FetchProblem
from privapub.outbound.body import ACCEPTED, Body, Broken, Packing, TooLarge, packing
from privapub.outbound.client import Door

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/activity+json\r\n"
Script = Callable[[asyncio.StreamWriter], Awaitable[None]]
Serve = Callable[[Script], Awaitable[str]]
SHORT = 0.5  # seconds that a door has here where only its total time can end it


@pytest.fixture
async def serve(internet: Internet) -> AsyncIterator[Serve]:
    """Answers each connection with a script that writes what it likes; gives the URL."""
    scripts: set[asyncio.Task[None]] = set()
    ended: set[asyncio.Task[None] | None] = set()

    async def play(script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            await script(writer)

    async with AsyncExitStack() as stack:

        async def start(script: Script) -> str:
            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                ended.add(asyncio.current_task())
                scripts.add(task := asyncio.create_task(play(script, reader, writer)))
                await asyncio.wait({task})
                writer.transport.abort() if task.cancelled() else writer.close()

            server = await stack.enter_async_context(await asyncio.start_server(connected, sock=ports.bound()))
            internet.names.at("raw.test", server.sockets[0].getsockname()[1])
            return "http://raw.test/"

        yield start
        for task in scripts:
            task.cancel()
        await asyncio.gather(*(task for task in ended if task is not None), return_exceptions=True)


async def endlessly(writer: asyncio.StreamWriter, piece: bytes, pause: float = 0.0) -> None:
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)


async def test_a_packed_body_is_unpacked_and_counted_as_it_came(internet: Internet, door: Door, noted: Noted) -> None:
    document = b'{"a": "' + b"a" * 100_000 + b'"}'
    for n, encoding in enumerate(("gzip", "GZIP", "x-gzip", "br", "BR")):
        packed = brotli.compress(document) if encoding.lower() == "br" else gzip.compress(document)
        peer = await internet.site(f"peer{n}.test", reply(packed, headers={"Content-Encoding": encoding}))
        assert (await get(door, f"http://peer{n}.test/")).body == document
        assert noted.notes[-1]["bytes"] == len(packed)
        assert peer.received[0].headers["Accept-Encoding"] == ACCEPTED == "gzip, br"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br, br", "gzip, br", "deflate", "zstd", "identity, gzip", "x"])
async def test_a_packing_that_was_not_asked_for(internet: Internet, door: Door, encoding: str) -> None:
    body = gzip.compress(gzip.compress(b"{}"))
    await internet.site("peer.test", reply(body, headers={"Content-Encoding": encoding}))
    assert await reason(door, "http://peer.test/") == "content-type"


async def test_a_bomb_is_cut_early(serve: Serve, door: Door, noted: Noted) -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    again = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Encoding: gzip\r\n\r\n" + first)
        for _ in range(1023):
            writer.write(again)
            await writer.drain()

    with anyio.fail_after(9):
        assert await reason(door, await serve(script)) == "too-large"
    assert noted.notes[0]["bytes"] < len(again) * 512


async def test_a_bomb_of_brotli_is_cut_early(internet: Internet, door: Door) -> None:
    bomb = brotli.compress(bytes(64 << 20), quality=5)
    assert len(bomb) < 1000
    await internet.site("peer.test", reply(bomb, headers={"Content-Encoding": "br"}))
    assert await reason(door, "http://peer.test/") == "too-large"


@pytest.mark.parametrize(
    ("packed", "encoding"),
    [
        (gzip.compress(b'{"a": 1}' * 100, mtime=0)[:-9], "gzip"),
        (b"no gzip at all", "gzip"),
        (b"\x1f\x8b\x08", "gzip"),
        (brotli.compress(b'{"a": 1}' * 100)[:-1], "br"),
        (b"no brotli at all", "br"),
        (gzip.compress(b"{}", mtime=0), "br"),
    ],
)
async def test_a_packed_body_that_is_broken(internet: Internet, door: Door, packed: bytes, encoding: str) -> None:
    await internet.site("peer.test", reply(packed, headers={"Content-Encoding": encoding}))
    assert await reason(door, "http://peer.test/") == "network"


async def test_a_body_may_be_as_long_as_the_limit(internet: Internet, door: Door, noted: Noted) -> None:
    peer = await internet.site("peer.test", reply(b"x" * 1000))
    assert len((await get(door, "http://peer.test/", limit=1000)).body) == 1000
    caught = await problem(door, "http://peer.test/", limit=999)
    assert (caught.reason, caught.outcome, caught.status) == ("too-large", "refused", 200)
    assert noted.notes[-1]["bytes"] == 0  # the announced length was enough
    peer.answer = reply(gzip.compress(b"x" * 1001), headers={"Content-Encoding": "gzip"})
    assert await reason(door, "http://peer.test/b", limit=1000) == "too-large"


async def test_a_body_without_an_end(serve: Serve, door: Door, noted: Noted) -> None:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        await endlessly(writer, b"10000\r\n" + b"a" * 0x10000 + b"\r\n")

    with anyio.fail_after(9):
        assert await reason(door, await serve(script)) == "too-large"
    assert noted.notes[0]["bytes"] < (2 << 20)


async def test_a_packed_body_without_an_end_that_unpacks_to_nothing(serve: Serve, door: Door, noted: Noted) -> None:
    empty_block = b"\x00\x00\x00\xff\xff"

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10])
        await endlessly(writer, empty_block * 4000)

    with anyio.fail_after(9):
        assert await reason(door, await serve(script)) == "too-large"
    assert noted.notes[0]["bytes"] < (2 << 20)


async def test_a_length_that_lies(serve: Serve, door: Door) -> None:
    async def more(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: 2\r\n\r\n{}")
        await endlessly(writer, b"x" * 65536)

    async def less(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: 100\r\n\r\n{}")
        await writer.drain()

    with anyio.fail_after(9):
        try:
            assert (await get(door, (await serve(more)) + "more")).body == b"{}"
        except FetchProblem as caught:  # words after the end may be seen before the body is taken
            assert caught.reason == "network"  # noqa: PT017  # either is right
        assert await reason(door, await serve(less)) == "network"


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 100000\r\n\r\n")
    await endlessly(writer, b" ", 0.05)


async def drip_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD)
    await endlessly(writer, b"X-A: b\r\n", 0.05)


async def silence(_writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def never_final(writer: asyncio.StreamWriter) -> None:
    await endlessly(writer, b"HTTP/1.1 102 Processing\r\n\r\n", 0.05)


@pytest.mark.parametrize("script", [drip, drip_headers, silence, never_final])
async def test_what_is_slow_ends_by_the_total_time(
    serve: Serve, internet: Internet, noted: Noted, script: Script
) -> None:
    url = await serve(script)
    door = internet.door(noted, timeout=SHORT)
    with anyio.fail_after(9):
        reasons: list[str] = []

        async def fetch(n: int) -> None:
            reasons.append(await reason(door, f"{url}{n}"))

        async with anyio.create_task_group() as group:
            for n in range(20):
                group.start_soon(fetch, n)
    assert reasons == ["timeout"] * 20
    assert {note["reason"] for note in noted.notes} == {"timeout"}


async def test_a_handshake_that_never_ends(internet: Internet, noted: Noted) -> None:
    async def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await held.wait()
        writer.close()

    held = asyncio.Event()
    async with await asyncio.start_server(connected, sock=ports.bound()) as server:
        internet.names.at("stall.test", server.sockets[0].getsockname()[1])
        with anyio.fail_after(9):
            assert await reason(internet.door(noted, timeout=SHORT), "https://stall.test/") == "timeout"
        held.set()


async def test_a_slow_host_holds_nobody_else_up(serve: Serve, internet: Internet, noted: Noted) -> None:
    url = await serve(silence)
    await internet.site("peer.test", reply({}))
    door = internet.door(noted, timeout=8.0)
    with anyio.fail_after(9):
        async with anyio.create_task_group() as group:
            for n in range(20):
                group.start_soon(get, door, f"{url}{n}")
            with anyio.fail_after(5):
                for n in range(20):
                    assert (await get(door, f"http://peer.test/{n}")).status == 200
            group.cancel_scope.cancel()


async def test_headers_have_a_limit(serve: Serve, door: Door) -> None:
    async def one_long(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"X-Long: ")
        for _ in range(30):
            writer.write(b"a" * (1 << 20))
            await writer.drain()

    async def many(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for n in range(300_000):
            writer.write(b"X-%d: %s\r\n" % (n, b"a" * 100))
            await writer.drain()

    with anyio.fail_after(9):
        assert await reason(door, await serve(one_long)) in ("too-large", "network")
        assert await reason(door, (await serve(many)) + "b") in ("too-large", "network")


async def test_what_is_no_http(serve: Serve, door: Door) -> None:
    for n, words in enumerate((b"", b"220 ftp.test ready\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 100)):

        async def script(writer: asyncio.StreamWriter, words: bytes = words) -> None:
            writer.write(words)
            await writer.drain()

        with anyio.fail_after(9):
            assert await reason(door, f"{await serve(script)}{n}") == "network"


async def test_the_answer_to_a_delivery_is_its_status_however_long_its_body(
    serve: Serve, internet: Internet, noted: Noted
) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Type: text/plain\r\n\r\n")
        await endlessly(writer, b"a" * 4096)

    async def slow(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 10\r\n\r\nwa")
        await silence(writer)

    with anyio.fail_after(9), scope.purpose("delivery"):
        answer = await internet.door(noted).post(await serve(endless), b"{}", content_type="a/b", sign=None)
        assert (answer.status, len(answer.body)) == (202, 1 << 16)
        door = internet.door(noted, timeout=SHORT)
        answer = await door.post(await serve(slow), b"{}", content_type="a/b", sign=None)
        assert (answer.status, answer.body, answer.headers["retry-after"]) == (503, b"wa", "7")
        with pytest.raises(FetchProblem) as caught:
            await door.post(await serve(silence), b"{}", content_type="a/b", sign=None)
    assert caught.value.reason == "timeout"


def pack(content: bytes, how: Packing) -> bytes:
    return {"": bytes, "gzip": gzip.compress, "br": brotli.compress}[how](content)


HOW = st.sampled_from(["", "gzip", "br"])


@settings(deadline=None)
@given(st.binary(max_size=3000) | st.integers(0, 100_000).map(bytes), st.integers(0, 3000), st.integers(1, 500), HOW)
def test_a_body_is_whole_or_too_large(content: bytes, limit: int, step: int, how: Packing) -> None:
    wire = pack(content, how)
    body = Body(limit, how)
    try:
        for start in range(0, len(wire), step):
            body.feed(wire[start : start + step])
        assert body.end() == content
        assert len(content) <= limit
    except TooLarge:
        assert len(content) > limit


@settings(deadline=None)
@given(st.binary(max_size=300), HOW)
def test_noise_is_broken_or_nothing(noise: bytes, how: Packing) -> None:
    body = Body(1000, how)
    with suppress(Broken, TooLarge):
        body.feed(noise)
        assert len(body.end()) <= 1000


def test_which_packing_is_understood() -> None:
    words = ("", "identity", " gzip ", "X-GZIP", "br", "gzip, gzip", "deflate")
    assert [packing(word) for word in words] == ["", "", "gzip", "gzip", "br", None, None]
