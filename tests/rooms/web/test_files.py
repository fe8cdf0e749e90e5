"""Files of media: in whole and in part, and never as anything else than they are."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import obstore
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from asgi import serving
from privapub.database.connect import Database
from privapub.errors import Unavailable
from privapub.media import names
from privapub.storage.files import Files
from privapub.web.kept import Sized, Unsatisfiable, answer, part_of

CONTENT = bytes(range(256)) * 2000


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (None, None), ("bytes=0-", (0, 10)), ("bytes=2-4", (2, 5)), ("bytes=2-400", (2, 10)), ("bytes=-3", (7, 10)),
        ("bytes=-30", (0, 10)), ("bytes=9-9", (9, 10)), ("bytes=4-2", None), ("bytes=0-1,3-4", None),
        ("items=0-1", None), ("bytes=a-b", None), ("bytes=-", None), ("", None), ("bytes=" + "9" * 40 + "-", None),
    ],
)  # fmt: skip
def test_the_part_that_is_asked_for(header: str | None, part: tuple[int, int] | None) -> None:
    assert part_of(header, 10) == part


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=99-100", "bytes=-0"])
def test_what_is_not_there_is_no_part(header: str) -> None:
    with pytest.raises(Unsatisfiable):
        part_of(header, 10)


@given(st.text(max_size=30) | st.from_regex(r"bytes=[0-9]{0,3}-[0-9]{0,3}"), st.integers(0, 300))
def test_a_part_is_within_the_file(header: str, size: int) -> None:
    try:
        part = part_of(header, size)
    except Unsatisfiable:
        return
    assert part is None or 0 <= part[0] < part[1] <= size


async def test_a_file_is_given_out_as_what_it_is(database: Database, tmp_path: Path) -> None:
    files = Files.open((tmp_path / "kept").as_uri())
    async with serving(database, storage_url=(tmp_path / "kept").as_uri()) as sut:
        name = names.new("image/webp")
        path = f"/media/{name}"
        await files.put(names.place(name), CONTENT)
        answer = await sut.get(path)
        assert (answer.status, answer.body) == (200, CONTENT)
        told = answer.headers
        assert told["content-type"] == "image/webp"
        assert told["content-length"] == str(len(CONTENT))
        assert told["cache-control"] == "public, max-age=31536000, immutable"
        assert told["content-security-policy"] == "default-src 'none'; sandbox"
        assert told["x-content-type-options"] == "nosniff"
        etag = told["etag"]

        async def asked(*headers: tuple[str, str], method: str = "GET") -> tuple[int, bytes, str]:
            found = await sut.ask(method, path, list(headers))
            return found.status, found.body, found.headers.get("content-range", "")

        assert await asked(("Range", "bytes=5-9")) == (206, CONTENT[5:10], f"bytes 5-9/{len(CONTENT)}")
        assert await asked(("Range", "bytes=-3")) == (
            206, CONTENT[-3:], f"bytes {len(CONTENT) - 3}-{len(CONTENT) - 1}/{len(CONTENT)}",
        )  # fmt: skip
        assert await asked(("Range", "bytes=999999-")) == (416, b"", f"bytes */{len(CONTENT)}")
        assert await asked(("Range", "bytes=5-9"), ("If-Range", etag)) == (
            206, CONTENT[5:10], f"bytes 5-9/{len(CONTENT)}",
        )  # fmt: skip
        assert await asked(("Range", "bytes=5-9"), ("If-Range", '"other"')) == (200, CONTENT, "")
        assert await asked(("If-None-Match", etag)) == (304, b"", "")
        assert await asked(method="HEAD") == (200, b"", "")
        assert await asked(("Range", "bytes=5-9"), method="HEAD") == (200, b"", "")
        await files.delete([names.place(name)])
        assert (await asked())[0] == 404


@pytest.mark.parametrize("version", ["2.0", "2.4"])  # of ASGI: one is told of who leaves, the other finds out
async def test_what_breaks_off_is_not_ended_and_not_told_of_in_the_log(version: str) -> None:
    async def pieces(_start: int, _end: int) -> AsyncGenerator[bytes]:
        yield CONTENT[:1000]
        raise Unavailable("It broke off.")

    async def receive() -> Message:
        await asyncio.Event().wait()  # who reads stays
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    sent: list[Message] = []
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "asgi": {"spec_version": version}}
    response = await answer(Request(scope), "name", "video/mp4", Sized(len(CONTENT), pieces), {})
    await response(scope, receive, send)
    assert sent[0]["status"] == 200
    assert b"".join(each.get("body", b"") for each in sent) == CONTENT[:1000]
    assert all(each.get("more_body", True) for each in sent)


async def test_nothing_else_is_given_out(database: Database, tmp_path: Path) -> None:
    files = Files.open((tmp_path / "kept").as_uri())
    async with serving(database, storage_url=(tmp_path / "kept").as_uri()) as sut:
        raw = names.new(None)
        await files.put(names.place(raw), b"as it came")
        (tmp_path / "secret.jpg").write_bytes(b"secret")
        for name in (raw, names.new("image/jpeg"), "..%2Fsecret.jpg", "../secret.jpg", "x.svg", "%00.jpg"):
            assert (await sut.get(f"/media/{name}")).status == 404


def noting(asked: list[str], verb: str, real: Any) -> Any:
    def told(*given: Any, **more: Any) -> Any:
        asked.append(verb)
        return real(*given, **more)

    return told


async def test_the_store_is_asked_once_for_each_answer(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files.open((tmp_path / "kept").as_uri())
    name = names.new("image/webp")
    await files.put(names.place(name), CONTENT)
    asked: list[str] = []
    for verb in ("get_async", "head_async"):
        monkeypatch.setattr(obstore, verb, noting(asked, verb, getattr(obstore, verb)))
    async with serving(database, storage_url=(tmp_path / "kept").as_uri()) as sut:
        for method, headers, once in (
            ("GET", [], "get_async"),
            ("GET", [("Range", "bytes=5-9")], "get_async"),
            ("GET", [("Range", "bytes=-5")], "get_async"),
            ("GET", [("Range", "bytes=5-")], "get_async"),
            ("HEAD", [], "head_async"),
            ("GET", [("If-None-Match", f'"{name}"')], "head_async"),
        ):
            answer = await sut.ask(method, f"/media/{name}", headers)
            assert answer.status in {200, 206, 304}
            assert asked == [once]
            asked.clear()
        assert (await sut.ask("GET", f"/media/{names.new('image/webp')}", [])).status == 404
        assert asked == ["get_async"]
