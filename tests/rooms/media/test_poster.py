"""A picture that somebody chooses to stand for a film: before the film is processed, or after."""

import asyncio
import subprocess
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import update

from makers import ADDRESSES, make_medium, make_persona, make_post
from planted.pictures import saved
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.errors import InvalidInput, NotFound
from privapub.media import ffmpeg, names, ready
from privapub.media.accept import MEDIA, accept, take_poster
from privapub.media.attach import attachment
from privapub.media.let_go import UNSTORE
from privapub.media.tables import medium
from uploading import SECRET, found, jobs, kept, picture, pieces, run, server_of


@pytest.fixture
async def alice(database: Database) -> Actor:
    async with database.write() as tx:
        return await make_persona(tx)


@pytest.fixture(scope="session")
def film(programs: ffmpeg.Programs, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    target = tmp_path_factory.mktemp("film") / "film.webm"
    asked = [str(programs.ffmpeg), "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1:r=5", str(target)]
    subprocess.run(asked, check=True)  # noqa: S603 - the program that was found
    return target.read_bytes()


def drawing(side: int = 50) -> bytes:
    data = BytesIO()
    Image.new("RGB", (side, side), "red").save(data, "PNG")
    return data.getvalue()


async def test_it_comes_with_the_film_and_tells_nothing(
    database: Database, alice: Actor, tmp_path: Path, film: bytes
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(film), poster=pieces(saved("PNG")))
    waiting = await found(server, number)
    assert waiting is not None
    assert (waiting.bytes, len(waiting.unmade)) == (len(film) + len(saved("PNG")), 2)
    await run(server, MEDIA, UNSTORE)
    made = await found(server, number)
    assert made is not None
    assert ([file["role"] for file in made.files], made.unmade) == (["original", "poster"], ())
    assert made.bytes == sum(file["bytes"] for file in made.files)
    assert await kept(server.files) == sorted(names.place(str(file["name"])) for file in made.files)
    poster = made.file("poster")
    assert poster is not None
    data = b"".join([piece async for piece in server.files.get(names.place(str(poster["name"])))])
    assert SECRET not in data
    assert attachment(made, ADDRESSES)["preview_size"] == [poster["width"], poster["height"]]


@pytest.mark.parametrize(("data", "ending"), [(drawing(), "png"), (picture(), "jpg")], ids=["drawing", "photograph"])
async def test_it_comes_after_the_film_and_stays_of_its_kind(
    database: Database, alice: Actor, tmp_path: Path, film: bytes, data: bytes, ending: str
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(film))
    await run(server, MEDIA)
    before = await found(server, number)
    assert before is not None
    await take_poster(server, alice.id, number, pieces(drawing(20)))
    await take_poster(server, alice.id, number, pieces(data))  # the last one is the one
    await run(server, MEDIA, UNSTORE)
    made = await found(server, number)
    assert made is not None
    (poster,) = [file for file in made.files if file["role"] != "original"]
    assert (poster["role"], poster["name"].rpartition(".")[2]) == ("poster", ending)
    assert made.files[0] == before.files[0]
    assert made.blurhash != before.blurhash
    assert (made.state, made.unmade) == ("ready", ())
    assert await kept(server.files) == sorted(names.place(str(file["name"])) for file in made.files)


async def test_one_that_is_damaged_is_told_and_leaves_a_film_that_was_ready_as_it_is(
    database: Database, alice: Actor, tmp_path: Path, film: bytes
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(film))
    await run(server, MEDIA, UNSTORE)
    before, stored = await found(server, number), await kept(server.files)
    assert before is not None
    await take_poster(server, alice.id, number, pieces(drawing(500)[:-80]))
    await run(server, MEDIA, UNSTORE)
    after = await found(server, number)
    assert after is not None
    assert (after.state, after.files, after.unmade) == ("ready", before.files, ())
    assert "cannot be read" in after.why
    assert await kept(server.files) == stored
    never = await accept(server, alice.id, pieces(film), poster=pieces(drawing(500)[:-80]))
    await run(server, MEDIA, UNSTORE)
    failed = await found(server, never)
    assert failed is not None
    assert (failed.state, failed.unmade) == ("failed", ())
    assert await kept(server.files) == stored


async def test_a_post_keeps_the_picture_that_it_has(
    database: Database, alice: Actor, tmp_path: Path, film: bytes
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(film))
    await run(server, MEDIA, UNSTORE)
    before = await found(server, number)
    assert before is not None
    await take_poster(server, alice.id, number, pieces(drawing()))
    async with database.write() as tx:
        post = await make_post(tx, alice.id)
        await tx.execute(update(medium).where(medium.c.id == number).values(post_id=post.id))
    await run(server, MEDIA, UNSTORE)
    after = await found(server, number)
    assert after is not None
    assert (after.files, after.unmade) == (before.files, ())
    assert await kept(server.files) == sorted(names.place(str(file["name"])) for file in after.files)
    with pytest.raises(NotFound):
        await take_poster(server, alice.id, number, pieces(drawing()))


async def test_only_a_picture_stands_for_what_is_none_and_of_ones_own(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    async with database.write() as tx:
        bob = await make_persona(tx, "bob")
        number = await make_medium(tx, alice.id)
    with pytest.raises(InvalidInput, match="a film or a sound"):
        await accept(server, alice.id, pieces(picture()), poster=pieces(picture()))
    with pytest.raises(InvalidInput, match="a film or a sound"):
        await take_poster(server, alice.id, number, pieces(picture()))
    with pytest.raises(NotFound):
        await take_poster(server, bob.id, number, pieces(picture()))
    webm = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm" + bytes(600)
    for data in (b"no picture", webm):
        with pytest.raises(InvalidInput, match="Only a picture"):
            await accept(server, alice.id, pieces(webm), poster=pieces(data))
    assert await kept(server.files) == []
    assert await jobs(server, MEDIA) == 0


async def test_who_waits_for_an_upload_has_it_as_soon_as_it_is_made_and_never_waits_long(
    database: Database, alice: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(picture()))
    waiting = asyncio.create_task(ready.soon(server, number))
    await run(server, MEDIA)
    made = await waiting
    assert made is not None
    assert made.state == "ready"
    another = await accept(server, alice.id, pieces(picture()))
    monkeypatch.setattr(ready, "LONGEST", 0.01)
    still = await ready.soon(server, another)
    assert still is not None
    assert still.state == "waiting"
    assert await ready.soon(server, 7) is None
