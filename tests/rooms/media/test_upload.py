"""From an upload to its files: taken in while it arrives, made by a job, let go with its post."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from fakes.at_once import at_once
from makers import ADDRESSES, make_medium, make_persona, make_post
from privapub import clock, identifiers
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, Unavailable
from privapub.media import accept as accepting
from privapub.media import attach, let_go, make, names, sweep
from privapub.media.accept import HEAD, MEDIA, accept
from privapub.media.let_go import UNSTORE
from privapub.media.tables import medium
from privapub.posts.delete import delete
from privapub.posts.publish import publish
from privapub.posts.read import by_id
from privapub.storage.files import Files
from uploading import SECRET, found, jobs, kept, picture, pieces, run, server_of


@pytest.fixture
async def alice(database: Database) -> Actor:
    async with database.write() as tx:
        return await make_persona(tx)


async def test_a_picture_becomes_files_that_tell_nothing_and_goes_with_its_post(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(picture()), alt=" A field ", focus=(0.5, -0.25))
    waiting = await found(server, number)
    assert waiting is not None
    assert (waiting.state, waiting.alt, waiting.focal_x, waiting.bytes) == ("waiting", "A field", 0.5, len(picture()))
    await run(server, MEDIA, UNSTORE)
    ready = await found(server, number)
    assert ready is not None
    assert (ready.state, ready.kind, ready.width, ready.source) == ("ready", "image", 60, None)
    assert await kept(server.files) == sorted(names.place(file["name"]) for file in ready.files)
    for file in ready.files:
        data = b"".join([piece async for piece in server.files.get(names.place(file["name"]))])
        assert SECRET not in data
        assert len(data) == file["bytes"]
    async with database.write() as tx:
        now = clock.now()
        post_id = await publish(
            tx, author_id=alice.id, audience="public", source="", content_html="", media=[number], addresses=ADDRESSES,
            now=now,
        )  # fmt: skip
        post = await by_id(tx, post_id)
        assert post is not None
        assert post.attachments[0]["url"].endswith(f"/media/{ready.files[0]['name']}")
        await delete(tx, post_id, alice.id, now)
    assert await found(server, number) is None
    await run(server, UNSTORE)
    assert await kept(server.files) == []


BOMB = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\xc3P\x00\x00\xc3P\x01\x00\x00\x00\x00aaaa\x00\x00\x00\x00IDAT"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"), (b"hello", "no picture"), (b"<svg xmlns='x'/>" * 9, "no picture"),
        (b"%PDF-1.7" * 99999, "no picture"), (BOMB, "large"),
    ],
    ids=["empty", "text", "svg", "pdf", "bomb"],
)  # fmt: skip
async def test_what_is_no_good_leaves_nothing(
    data: bytes, said: str, database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    with pytest.raises(InvalidInput, match=said):
        await accept(server, alice.id, pieces(data))
    assert await kept(server.files) == []
    assert await jobs(server, MEDIA) == 0


async def test_what_turns_out_too_large_leaves_nothing(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path, media_bytes=1)
    with pytest.raises(InvalidInput, match="1 MiB"):
        await accept(server, alice.id, pieces(picture() + bytes(HEAD * 3), 100_000))
    assert await kept(server.files) == []


async def test_a_persona_has_so_much_room(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path, media_quota=1)
    number = await accept(server, alice.id, pieces(picture()))
    async with database.write() as tx:
        await tx.execute(update(medium).where(medium.c.id == number).values(bytes=(1 << 20) - 10))
    with pytest.raises(NotAllowed):
        await accept(server, alice.id, pieces(picture()))
    assert len(await kept(server.files)) == 1


async def test_of_two_uploads_at_once_the_second_sees_what_the_first_took(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path, media_quota=1)

    async def keep(tx: Transaction) -> None:
        now = clock.now()
        new = {"id": identifiers.sortable(now), "source": names.new(None), "bytes": 700_000, "created_at": now}
        await accepting.keep(tx, server, alice.id, use="post", alt="", **new)

    with pytest.raises(NotAllowed):
        await at_once(database, keep, keep)
    async with database.read() as tx:
        assert len(await tx.all(select(medium))) == 1


async def test_a_damaged_picture_fails_with_a_sentence_and_its_bytes_go(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(picture()[:-100]))
    await run(server, MEDIA, UNSTORE)
    failed = await found(server, number)
    assert failed is not None
    assert (failed.state, failed.source, failed.bytes) == ("failed", None, 0)
    assert "damaged" in failed.why
    assert await kept(server.files) == []


async def test_what_was_made_of_an_upload_that_is_gone_goes_too(
    database: Database, alice: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(picture()))
    store = make._store

    async def and_then_it_goes(*given: object) -> object:
        stored = await store(*given)  # type: ignore[arg-type]  # passed on as they came
        async with database.write() as tx:
            await let_go.of_media(tx, medium.c.id == number)
        return stored

    monkeypatch.setattr(make, "_store", and_then_it_goes)
    await run(server, MEDIA, UNSTORE)
    assert await kept(server.files) == []


async def test_a_store_that_is_away_is_tried_again(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    number = await accept(server, alice.id, pieces(picture()))

    async def away(*_: object) -> None:
        raise Unavailable("away")

    server.files.fetch = away  # type: ignore[method-assign]  # the store of this test
    await run(server, MEDIA)
    waiting = await found(server, number)
    assert waiting is not None
    assert (waiting.state, await jobs(server, MEDIA)) == ("waiting", 1)


async def test_what_is_in_no_post_after_a_day_goes(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    old, young = [await accept(server, alice.id, pieces(picture())) for _ in range(2)]
    now = clock.now()
    async with database.write() as tx:
        await tx.execute(update(medium).where(medium.c.id == old).values(created_at=now - let_go.UNATTACHED - 1))
        await let_go.prune(tx, now)
    await run(server, UNSTORE)
    assert await found(server, old) is None
    assert await found(server, young) is not None
    assert len(await kept(server.files)) == 1


async def test_what_a_post_gets_at_the_last_moment_stays(database: Database, alice: Actor) -> None:
    async with database.write() as tx:
        number = await make_medium(tx, alice.id)
        await tx.execute(update(medium).values(created_at=clock.now() - let_go.UNATTACHED - 1))
        post_id = (await make_post(tx, alice.id)).id

    async def attaching(tx: Transaction) -> None:
        await attach.attach(tx, post_id, await attach.choose(tx, alice.id, [number]))

    async def pruning(tx: Transaction) -> None:
        await let_go.prune(tx, clock.now())

    await at_once(database, attaching, pruning)
    async with database.read() as tx:
        assert [row.post_id for row in await tx.all(select(medium))] == [post_id]


async def test_two_personas_share_nothing_of_one_file(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    async with database.write() as tx:
        bob = await make_persona(tx, "bob")
    both = [await accept(server, who.id, pieces(picture())) for who in (alice, bob)]
    await run(server, MEDIA)
    of = [found_ for number in both if (found_ := await found(server, number)) is not None]
    stored = [{file["name"] for file in each.files} for each in of]
    assert len(stored) == 2
    assert not stored[0] & stored[1]


async def test_what_a_killed_process_was_storing_is_swept_and_what_is_not_ours_stays(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    await accept(server, alice.id, pieces(picture()))
    folder, name = tmp_path / "kept", names.new(None)
    half, theirs = folder / f"{names.place(name)}#1", [folder / "READ ME.txt", folder / "ab" / "x#1", folder / "a#b"]
    for path in (half, *theirs):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"12345")
    before, now = await kept(server.files), clock.now()
    assert (await sweep.sweep(server, now)).orphans == ()  # it may be coming still
    later = now + sweep.YOUNG + 60
    seen = await sweep.sweep(server, later, dry_run=True)
    assert (seen.orphans, seen.bytes, seen.missing) == ((f"{names.place(name)}#1",), 5, ())
    assert half.exists()
    assert await sweep.sweep(server, later) == seen
    assert not half.exists()
    assert all(path.exists() for path in theirs)
    assert await kept(server.files) == before


async def test_the_store_calls_what_it_is_given_as_we_expect_until_it_is_whole(tmp_path: Path) -> None:
    files, name = Files.open((tmp_path / "kept").as_uri()), names.place(names.new(None))
    seen: list[str] = []

    async def coming() -> AsyncIterator[bytes]:
        yield bytes(12 << 20)
        seen.extend([each for each, _, _ in await files.begun()])
        yield b"x"

    assert await files.begun() == []
    await files.put(name, coming())
    assert await files.begun() == []
    assert seen == [f"{name}#1"]
    assert await kept(files) == [name]


async def test_files_that_nothing_names_are_swept_and_missing_ones_told(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    number, waiting = [await accept(server, alice.id, pieces(picture())) for _ in range(2)]
    await run(server, MEDIA, UNSTORE)
    async with database.write() as tx:
        await tx.execute(update(medium).where(medium.c.id == waiting).values(source=names.new(None)))
    orphan, of_others = names.new("image/png"), names.new("image/png")
    for name in (orphan, of_others):
        await server.files.put(names.place(name), b"12345")
    before, now = await kept(server.files), clock.now()
    assert (await sweep.sweep(server, now, also=[of_others])).orphans == ()  # it is young
    later = now + sweep.YOUNG + 60
    seen = await sweep.sweep(server, later, also=[of_others], dry_run=True)
    assert (seen.orphans, seen.bytes, len(seen.missing)) == ((names.place(orphan),), 5, 1)
    assert await kept(server.files) == before
    assert await sweep.sweep(server, later, also=[of_others]) == seen
    assert await kept(server.files) == [place for place in before if place != names.place(orphan)]
    assert await found(server, number) is not None
