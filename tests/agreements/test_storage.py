"""What every store of files does alike: a folder, and S3 as moto's server speaks it."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from fakes import ports
from privapub.errors import NotFound, OperatorError, Unavailable
from privapub.storage.files import PART, Files, checked

KEYS = "access_key_id=a&secret_access_key=b&region=us-east-1"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", ports.free(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["folder", "s3"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    if request.param == "folder":
        return Files.open((tmp_path / "kept").as_uri())
    endpoint = request.getfixturevalue("endpoint")
    bucket = f"b{uuid.uuid4().hex}"
    boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    ).create_bucket(Bucket=bucket)
    return Files.open(f"s3://{bucket}/town?endpoint={endpoint}&{KEYS}")


async def whole(files: Files, name: str, start: int = 0, end: int | None = None) -> bytes:
    return b"".join([piece async for piece in files.get(name, start, end)])


async def pieces(*them: bytes) -> AsyncIterator[bytes]:
    for piece in them:
        yield piece


async def test_what_was_put_is_there_in_whole_and_in_part(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"from a path")
    assert await files.put("ab/one.jpg", b"0123456789") == 10
    assert await files.put("cd/two.png", path) == 11
    assert await files.put("three", pieces(b"in ", b"pieces")) == 9
    assert await whole(files, "ab/one.jpg") == b"0123456789"
    assert await whole(files, "cd/two.png") == b"from a path"
    assert await whole(files, "three") == b"in pieces"
    assert await whole(files, "ab/one.jpg", 3) == b"3456789"
    assert await whole(files, "ab/one.jpg", 3, 5) == b"34"
    assert await whole(files, "ab/one.jpg", 5, 5) == b""
    assert await files.size("ab/one.jpg") == 10
    await files.fetch("three", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"in pieces"


async def test_an_empty_file_is_a_file(files: Files) -> None:
    await files.put("empty", b"")
    assert (await files.size("empty"), await whole(files, "empty")) == (0, b"")


async def test_what_is_large_goes_in_parts_and_comes_back_the_same(files: Files) -> None:
    piece = bytes(range(256)) * 4096
    count = 3 * PART // len(piece) + 1
    assert await files.put("large.mp4", pieces(*[piece] * count)) == len(piece) * count
    assert await files.size("large.mp4") == len(piece) * count
    assert await whole(files, "large.mp4", len(piece) * count - 300) == (piece * 2)[-300:]


async def test_what_is_listed_is_what_is_there(files: Files) -> None:
    for name in ("ab/1.jpg", "ab/2.jpg", "cd/3.jpg"):
        await files.put(name, b"x" * 5)
    assert sorted([(name, size) async for name, size, _ in files.list()]) == [
        ("ab/1.jpg", 5), ("ab/2.jpg", 5), ("cd/3.jpg", 5),
    ]  # fmt: skip
    assert [name async for name, _, _ in files.list("cd")] == ["cd/3.jpg"]
    await files.delete(["ab/1.jpg", "cd/3.jpg", "zz/never.jpg"])
    assert [name async for name, _, _ in files.list()] == ["ab/2.jpg"]
    assert await files.size("ab/1.jpg") is None
    with pytest.raises(NotFound):
        await whole(files, "ab/1.jpg")


async def test_a_stream_that_breaks_leaves_nothing(files: Files) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield b"x" * (PART + 1)
        raise LookupError("too large")

    with pytest.raises(LookupError, match="too large"):
        await files.put("broken", breaking())
    assert await files.size("broken") is None
    assert [name async for name, _, _ in files.list()] == []


async def test_one_that_is_cancelled_leaves_nothing(files: Files) -> None:
    begun = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield b"x" * (PART + 1)
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(files.put("broken", endless()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await files.size("broken") is None


@pytest.mark.parametrize(
    "name", ["", "/a", "a/", "../a", "a/../b", "a//b", "a b", "a\x00", ".a", "a" * 201, "ä", "a\n"]
)
async def test_no_other_name_is_taken(files: Files, name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        checked(name)
    with pytest.raises(ValueError, match="no name"):
        await files.put(name, b"x")


async def test_a_folder_that_was_never_written_to_is_empty(tmp_path: Path) -> None:
    files = Files.open((tmp_path / "not" / "yet").as_uri())
    assert await files.size("a") is None
    assert [name async for name, _, _ in files.list()] == []
    await files.delete(["a"])
    assert not (tmp_path / "not").exists()


@pytest.mark.parametrize("url", ["", "/srv", "file://host/a", "s3:///x", "ftp://x/", "s3://b/?endpoint=http://x&zz=1"])
def test_no_other_url_is_a_store(url: str) -> None:
    with pytest.raises(OperatorError):
        Files.open(url)


async def broken_store(answer: bytes) -> tuple[asyncio.Server, Files]:
    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answering, sock=ports.bound())
    port = server.sockets[0].getsockname()[1]
    return server, Files.open(f"s3://bucket?endpoint=http://127.0.0.1:{port}&{KEYS}")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"",
    ],
    ids=["busy", "full", "closed"],
)
async def test_a_store_that_does_not_work_is_not_available(answer: bytes) -> None:
    server, files = await broken_store(answer)
    async with server:
        with pytest.raises(Unavailable):
            await files.put("a", b"x")
        with pytest.raises(Unavailable):
            await whole(files, "a")


async def test_one_that_breaks_off_gives_no_short_file(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: x\r\nLast-Modified: Thu, 03 Dec 2026 00:00:00 GMT\r\n\r\n"
    server, files = await broken_store(head + b"x" * 10)
    async with server:
        with pytest.raises(Unavailable):
            await files.fetch("a", tmp_path / "a")


async def test_nobody_there_is_not_available() -> None:
    files = Files.open(f"s3://bucket?endpoint=http://127.0.0.1:{ports.free()}&{KEYS}")
    with pytest.raises(Unavailable):
        await files.size("a")
