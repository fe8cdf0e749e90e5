"""Media at a host of their own, over real sockets: nothing else is there, and pages may load from it."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from sqlalchemy import update

from asgi import DOCUMENT, HTML
from fakes.certificates import Authority
from fakes.world import World
from makers import make_medium, make_persona
from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.media import names
from privapub.moderation.gate import own_hosts
from privapub.personas.edit import edit
from privapub.posts.publish import publish
from privapub.web.headers import policy

MEDIA = "https://media.sut.test"
PLACES = Addresses("https://sut.test", MEDIA)
CONTENT = b"not really a picture" * 99


@pytest.fixture
async def world(database: Database, authority: Authority, tmp_path: Path) -> AsyncIterator[World]:
    """A server whose media have a host of their own."""
    settings = {"media_base_url": MEDIA, "storage_url": (tmp_path / "kept").as_uri()}
    async with World(database, authority, **settings) as opened:
        yield opened


async def get(world: World, host: str, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(
            f"http://127.0.0.1:{world.port}{path}",
            headers={"Host": host, "Accept": HTML, **headers},
            allow_redirects=False,
        ) as answer,
    ):
        return answer.status, await answer.read(), {name.lower(): value for name, value in answer.headers.items()}


async def test_a_file_is_at_its_host_and_the_way_to_it_at_the_other(world: World) -> None:
    name = names.new("image/webp")
    await world.server.files.put(names.place(name), CONTENT)
    for host in ("media.sut.test", "MEDIA.sut.test:443", "media.sut.test.", "127.0.0.1:8000"):
        status, body, headers = await get(world, host, f"/media/{name}")
        assert (status, body, headers["content-type"]) == (200, CONTENT, "image/webp")
    for host in ("sut.test", "sut.test:443"):
        status, body, headers = await get(world, host, f"/media/{name}")
        assert (status, body, headers["location"]) == (308, b"", f"{MEDIA}/media/{name}")
    assert (await get(world, "media.sut.test", f"/media/{names.new('image/webp')}"))[0] == 404


async def test_a_file_elsewhere_is_shown_from_there_alone(world: World) -> None:
    path = "/proxy/picture/whole/key/address"
    status, body, headers = await get(world, "sut.test", path)
    assert (status, body, headers["location"]) == (308, b"", f"{MEDIA}{path}")
    assert (await get(world, "media.sut.test", path))[0] == 404  # it is no address of ours


async def test_nothing_else_is_at_the_host_of_media(world: World) -> None:
    async with world.database.write() as tx:
        alice = await make_persona(tx)
    path = alice.actor.uri.removeprefix("https://sut.test")
    assert (await get(world, "sut.test", path, Accept=DOCUMENT))[0] == 200
    finger = "/.well-known/webfinger?resource=acct:alice@sut.test"
    pages = ("/", "/@alice", "/nodeinfo/2.1", "/static/privapub.css", "/media", "/mediax/a", "//media/x")
    for asked in (path, f"{path}/inbox", finger, *pages):
        for host in ("media.sut.test", "Media.Sut.Test:443", "media.sut.test."):
            status, body, _ = await get(world, host, asked, Accept=DOCUMENT)
            assert (status, body) == (404, b"There is nothing here.\n")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{world.port}/inbox", json={}, headers={"Host": "media.sut.test"}) as answer,
    ):
        assert answer.status == 404


async def show_picture(tx: Transaction, persona_id: int) -> None:
    """A post with a picture, from when media had a host of their own."""
    await publish(
        tx, author_id=persona_id, audience="public", source="", content_html="",
        media=[await make_medium(tx, persona_id)], addresses=PLACES, now=clock.now(),
    )  # fmt: skip


async def test_a_page_shows_and_may_load_what_is_there(world: World) -> None:
    async with world.database.write() as tx:
        alice = await make_persona(tx)
        await show_picture(tx, alice.id)
        before = Addresses("https://sut.test").medium(names.new("image/jpeg"))  # as it was given when there was no host
        await edit(tx, alice.id, icon=before, image=before, now=clock.now())
    status, body, headers = await get(world, "sut.test", "/@alice")
    page = body.decode()
    assert status == 200
    assert headers["content-security-policy"] == policy(MEDIA)
    assert f"img-src 'self' {MEDIA}; media-src 'self' {MEDIA};" in policy(MEDIA)
    assert page.count(f'src="{MEDIA}/media/{before.rpartition("/")[2]}"') == 3
    assert 'src="https://sut.test' not in page
    assert f'<a href="{MEDIA}/media/' in page
    assert 'class="elsewhere"' not in page


async def test_pictures_stay_ours_when_the_host_is_given_up(database: Database, authority: Authority) -> None:
    async with World(database, authority) as world:
        async with database.write() as tx:
            alice = await make_persona(tx)
            await show_picture(tx, alice.id)
            await tx.execute(update(actor).where(actor.c.id == alice.id).values(icon=f"{MEDIA}/x.svg"))
        status, body, headers = await get(world, "sut.test", "/@alice")
        assert (await get(world, "media.sut.test", "/@alice"))[0] == 200
    assert status == 200
    assert MEDIA not in body.decode()
    assert 'src="https://sut.test/media/' in body.decode()
    assert headers["content-security-policy"] == policy("")
    assert "img-src 'self';" in policy("")


def test_the_host_of_media_is_one_of_our_own() -> None:
    assert own_hosts("https://sut.test", "handles.test", MEDIA) == {"sut.test", "handles.test", "media.sut.test"}
    assert own_hosts("https://sut.test", "sut.test") == {"sut.test"}
