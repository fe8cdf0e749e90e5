"""Files elsewhere, over real sockets: fetched once, at no reader's moment, and shown as what they are."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select, update

from fakes.activities import create, note
from fakes.certificates import Authority
from fakes.world import Person, World
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.tables import job
from privapub.jobs.worker import Worker
from privapub.media import cache
from privapub.media.prefetch import REMOTE_FILE
from privapub.media.proxied import Size, Use, Wanted
from privapub.media.tables import cached_file, proxy, remote_file
from privapub.telemetry.tables import fetch, reader_fetch

PICTURE = "https://peer.test/cat.jpg"
FILM = "https://peer.test/cat.webm"
SECRET = b"Planted-Kw7"
# The head of a WebM file; what follows does not matter to whoever only passes it on.
WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x02" + bytes(100_000)


def jpeg(side: int = 600) -> bytes:
    told = Image.Exif()
    told[0x010F] = SECRET.decode()
    data = BytesIO()
    Image.new("RGB", (side, side // 2), "teal").save(data, "JPEG", exif=told, comment=SECRET)
    return data.getvalue()


@pytest.fixture
async def opened(database: Database, authority: Authority, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A world whose server keeps files elsewhere; a parameter is of its settings."""
    settings: dict[str, Any] = {"cache": str(tmp_path / "cache"), **getattr(request, "param", {})}
    async with World(database, authority, **settings) as world:
        world.serve(PICTURE, jpeg(), content_type="image/jpeg")
        yield world


at_once = pytest.mark.parametrize("opened", [{"prefetch": False}], indirect=True)


async def address(world: World, url: str = PICTURE, use: Use = "picture", size: Size = "whole") -> str:
    urls = await world.server.proxy.its_urls()
    assert urls is not None
    return urls.of(use, url, size).removeprefix("https://sut.test")


async def receive(world: World, **attachment: Any) -> Person:
    """A post with a file comes in for alice, who follows whoever wrote it."""
    carol = world.person("https://peer.test/u/carol")
    alice = await world.persona()
    file = {"type": "Document", "mediaType": "image/jpeg", "url": PICTURE, "name": "a cat", **attachment}
    sent = create(carol, note(carol, to=[alice.uri], attachment=[file]))
    assert (await world.post(alice.inbox, sent, by=carol)).status == 202
    await world.drain()
    return carol


async def waiting(world: World) -> list[Any]:
    async with world.database.read() as tx:
        return list(await tx.all(select(job).where(job.c.kind == REMOTE_FILE, job.c.state == "waiting")))


async def later(world: World) -> None:
    clock.advance(130.0)
    await world.drain()


async def test_the_picture_of_a_post_is_fetched_once_after_a_while_whether_or_not_anybody_looks(opened: World) -> None:
    await receive(opened)
    (waits,) = await waiting(opened)
    assert clock.now() < waits.run_at <= clock.now() + 120
    assert opened.asked("/cat.jpg") == []
    await later(opened)
    (asked,) = opened.asked("/cat.jpg")
    assert not {"Referer", "Cookie", "Signature", "Authorization"} & set(asked.headers)
    status, body, headers = await opened.fetch(await address(opened))
    assert status == 200
    assert headers["content-type"] in {"image/webp", "image/jpeg", "image/png"}
    assert Image.open(BytesIO(body)).size == (600, 300)
    assert SECRET not in body
    status, body, _ = await opened.fetch(await address(opened, size="small"))
    assert (status, Image.open(BytesIO(body)).size) == (200, (400, 200))
    await later(opened)
    assert len(opened.asked("/cat.jpg")) == 1
