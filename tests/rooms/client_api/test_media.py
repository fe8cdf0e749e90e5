"""Files that programs upload for posts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from asgi import Answered
from makers import make_medium
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.media import ready
from privapub.media.let_go import UNSTORE
from privapub.media.read import by_id
from program import Program, Town, town
from uploading import picture

NOT_FOUND = (404, "Record not found")
_BOUNDARY = "zzz"
WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm" + bytes(600)


@asynccontextmanager
async def storing(database: Database, folder: Path, **settings: Any) -> AsyncIterator[Town]:
    async with town(database, storage_url=(folder / "kept").as_uri(), **settings) as sut:
        yield sut


def body_of(file: bytes | None, /, **fields: str | bytes) -> bytes:
    """A form; what is of bytes is a file."""
    parts = []
    for name, value in (fields if file is None else {**fields, "file": file}).items():
        more, data = (
            ('; filename="a.jpg"\r\nContent-Type: image/jpeg', value)
            if isinstance(value, bytes)
            else ("", value.encode())
        )
        parts.append(
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + data + b"\r\n"
        )
    return b"".join(parts) + f"--{_BOUNDARY}--\r\n".encode()


async def send(app: Program, body: bytes, path: str = "/api/v2/media", method: str = "POST") -> Answered:
    kind = f"multipart/form-data; boundary={_BOUNDARY}"
    lines = [("Host", "sut.test"), ("Content-Type", kind)]
    if app.token:
        lines.append(("Authorization", f"Bearer {app.token}"))
    return await app.sut.ask(method, path, lines, body)


async def upload(app: Program, **fields: str) -> Any:
    answer = await send(app, body_of(picture(), **fields))
    assert answer.status == 202, answer.body
    return msgspec.json.decode(answer.body)


def stored(folder: Path) -> list[Path]:
    return [each for each in (folder / "kept").rglob("*") if each.is_file()]


async def make(sut: Town) -> None:
    await Worker(sut.database, job_kinds(sut.sut.server), only=("media", UNSTORE)).drain()


async def test_a_picture_is_taken_processed_and_posted(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        taken = await upload(app, description="a wall", focus="0.5,-2")
        assert (taken["url"], taken["description"]) == (None, "a wall")
        path = f"/api/v1/media/{taken['id']}"
        waiting = await app.ask("GET", path)
        assert (waiting.status, waiting.json["url"]) == (206, None)
        words = "Cannot attach files that have not finished processing. Try again in a moment!"
        given = {"media_ids": [taken["id"]]}
        assert await app.refused("POST", "/api/v1/statuses", given) == (422, words)
        await make(sut)
        ready = await app.get(path)
        assert ready["url"].startswith("https://sut.test/media/")
        assert (ready["type"], ready["meta"]["focus"]) == ("image", {"x": 0.5, "y": -1.0})
        assert (ready["meta"]["original"]["width"], bool(ready["blurhash"])) == (60, True)
        made = await app.told("POST", "/api/v1/statuses", given)
        assert made["media_attachments"][0]["url"] == ready["url"]


async def test_the_first_version_answers_when_the_file_is_ready(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        sending = asyncio.create_task(send(app, body_of(picture()), "/api/v1/media"))
        while not sending.done():
            await make(sut)
        answer = await sending
        assert (answer.status, answer.json["type"]) == (200, "image")
        assert answer.json["url"].startswith("https://sut.test/media/")


async def test_the_first_version_waits_for_nothing_that_takes_long(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "LONGEST", 0.0)
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        answer = await send(app, body_of(picture()), "/api/v1/media")
        assert (answer.status, answer.json["type"], answer.json["url"]) == (200, "image", None)


async def test_the_first_version_says_why_a_file_failed(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        sending = asyncio.create_task(send(app, body_of(picture(600)[:-300]), "/api/v1/media"))
        while not sending.done():
            await make(sut)
        answer = await sending
        assert (answer.status, answer.json["error"]) == (
            422, "The picture cannot be read: it is damaged or cut off",
        )  # fmt: skip


async def test_a_thumbnail_comes_with_a_film_or_after_it(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "LONGEST", 0.0)
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")

        async def waiting(number: str) -> tuple[str | None, int]:
            async with database.read() as tx:
                found = await by_id(tx, int(number))
            assert found is not None
            return found.poster_source, len(stored(tmp_path))

        plain = (await send(app, body_of(WEBM))).json["id"]
        assert await waiting(plain) == (None, 1)
        path = f"/api/v1/media/{plain}"
        assert (await send(app, body_of(None, thumbnail=picture()), path, "PUT")).status == 200
        source, files = await waiting(plain)
        assert (source is not None, files) == (True, 2)
        both = (await send(app, body_of(WEBM, thumbnail=picture()))).json["id"]
        source, files = await waiting(both)
        assert (source is not None, files) == (True, 4)
        for bad in (
            body_of(picture(), thumbnail=picture()),
            body_of(WEBM, thumbnail=WEBM),
            body_of(WEBM, thumbnail=b""),
        ):
            assert (await send(app, bad)).status == 422
        assert (await send(app, body_of(None, thumbnail=WEBM), path, "PUT")).status == 422
        assert len(stored(tmp_path)) == 4


async def test_it_is_described_anew_until_it_is_posted(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            number = await make_medium(tx, alice.id)
        path = f"/api/v1/media/{number}"
        changed = await app.told("PUT", path, {"description": "a dog", "focus": "0.1,0.2"})
        assert (changed["description"], changed["meta"]["focus"]) == ("a dog", {"x": 0.1, "y": 0.2})
        same = await app.told("PUT", path, {"focus": "0,0"})
        assert (same["description"], same["meta"]["focus"]) == ("a dog", {"x": 0.0, "y": 0.0})
        assert (await app.refused("PUT", path, {"description": "x" * 1501}))[0] == 422
        await app.told("POST", "/api/v1/statuses", {"media_ids": [str(number)]})
        assert await app.refused("PUT", path, {"description": "a cat"}) == NOT_FOUND
        in_use = (422, "Media attachment is currently used by a status")
        assert await app.refused("DELETE", path) == in_use


async def test_it_is_deleted_with_its_files(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        taken = await upload(app)
        await make(sut)
        assert stored(tmp_path)
        assert await app.told("DELETE", f"/api/v1/media/{taken['id']}") == {}
        assert await app.refused("GET", f"/api/v1/media/{taken['id']}") == NOT_FOUND
        await make(sut)
        assert stored(tmp_path) == []


async def test_what_failed_says_why(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            number = await make_medium(tx, alice.id, state="failed", why="It is no picture.")
        assert await app.refused("GET", f"/api/v1/media/{number}") == (422, "It is no picture")
        given = {"status": "x", "media_ids": [str(number)]}
        assert (await app.refused("POST", "/api/v1/statuses", given))[0] == 422


async def test_what_is_anothers_is_not_there(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path) as sut:
        alice, _ = await sut.program("alice")
        _, bob = await sut.program("bob")
        async with database.write() as tx:
            number = await make_medium(tx, alice.id)
        path = f"/api/v1/media/{number}"
        for method in ("GET", "PUT", "DELETE"):
            assert await bob.refused(method, path, {}) == NOT_FOUND
        given = {"media_ids": [str(number)]}
        assert (await bob.refused("POST", "/api/v1/statuses", given))[0] == 422
        narrow = await sut.another(alice, "read")
        for method in ("GET", "PUT", "DELETE"):
            assert (await narrow.refused(method, path, {}))[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        body_of(b"no picture at all"),
        body_of(b""),
        body_of(None, description="no file"),
        body_of(None, file="a text"),
        body_of(picture())[:-200],
        b"nothing",
        b"",
    ],
    ids=["text", "empty", "none", "a field", "cut off", "no parts", "no body"],
)
async def test_what_is_no_file_is_refused_and_nothing_is_kept(database: Database, tmp_path: Path, body: bytes) -> None:
    async with storing(database, tmp_path) as sut:
        _, app = await sut.program("alice")
        assert (await send(app, body)).status == 422
        assert stored(tmp_path) == []


async def test_nobody_fills_the_disk(database: Database, tmp_path: Path) -> None:
    async with storing(database, tmp_path, media_bytes=1, max_body=20_000) as sut:
        _, app = await sut.program("alice")
        large = body_of(picture() + bytes(1 << 20))
        assert (await send(app, large)).status == 422
        assert (await send(sut.stranger, large)).status == 401
        assert (await send(sut.stranger, body_of(bytes(30_000)), "/api/v1/apps")).status == 422
