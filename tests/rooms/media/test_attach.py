"""What may be attached to a post, and what becomes of it with the post."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from makers import ADDRESSES, make_medium, make_persona
from privapub import identifiers
from privapub.database.connect import Database
from privapub.errors import InvalidInput
from privapub.media import read as media
from privapub.media.attach import ALT_LENGTH, attachment
from privapub.posts import read
from privapub.posts.edit import edit
from privapub.posts.publish import publish

NOW = 1_800_000_000.0


async def write(database: Database, author_id: int, *ids: int, text: str = "") -> int:
    async with database.write() as tx:
        return await publish(
            tx, author_id=author_id, audience="public", source=text, content_html=text, media=ids,
            addresses=ADDRESSES, now=NOW,
        )  # fmt: skip


async def medium_of(database: Database, medium_id: int) -> media.Medium:
    async with database.read() as tx:
        found = await media.by_id(tx, medium_id)
    assert found is not None
    return found


async def test_a_post_has_its_files_in_the_order_in_which_they_were_named_and_needs_no_text(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        ids = [await make_medium(tx, alice.id, alt=alt) for alt in ("one", "two", "three", "four")]
    wanted = [ids[2], ids[0], ids[3], ids[1]]
    post_id = await write(database, alice.id, *wanted)
    async with database.read() as tx:
        post = await read.known(tx, post_id)
    assert [file["alt"] for file in post.attachments] == ["three", "one", "four", "two"]
    assert [file["medium"] for file in post.attachments] == [str(each) for each in wanted]
    first, kept = post.attachments[0], await medium_of(database, ids[2])
    assert first["url"] == f"https://sut.test/media/{kept.files[0]['name']}"
    assert first["small"] == f"https://sut.test/media/{kept.files[1]['name']}"
    assert [attachment(replace(kept, animated=each), ADDRESSES)["moves"] for each in (True, False)] == [True, False]
    assert (first["type"], first["media_type"], first["width"], first["height"]) == (
        "Document", "image/webp", 1000, 1000,
    )  # fmt: skip
    assert (first["focal_point"], first["blurhash"], first["preview"]) == ([-0.5, 1.0], "UBL", None)
    assert [(await medium_of(database, each)).place for each in wanted] == [0, 1, 2, 3]


async def test_what_may_not_be_attached_is_refused_in_one_and_the_same_way(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx, "alice"), await make_persona(tx, "bob")
        used = await make_medium(tx, alice.id)
        mine = await make_medium(tx, alice.id)
        wrong: list[tuple[int, ...]] = [
            (await make_medium(tx, bob.id),),
            (await make_medium(tx, alice.id, state="waiting"),),
            (await make_medium(tx, alice.id, state="failed"),),
            (await make_medium(tx, alice.id, use="avatar"),),
            (used,),
            (mine, mine),
            (mine, 12),
            (0,),
            (-1,),
            (10**30,),
            (identifiers.LARGEST,),
        ]
    await write(database, alice.id, used)
    said = set()
    for ids in wrong:
        with pytest.raises(InvalidInput) as refused:
            await write(database, alice.id, *ids, text="hello")
        said.add((str(refused.value), refused.value.hint))
    assert len(said) == 1
    async with database.read() as tx:
        assert len(await read.of_author(tx, alice.id, limit=10, audiences=read.EVERY)) == 1
    assert (await medium_of(database, mine)).post_id is None


async def test_more_than_four_are_too_many(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        ids = [await make_medium(tx, alice.id) for _ in range(5)]
    with pytest.raises(InvalidInput, match="too many"):
        await write(database, alice.id, *ids)
    await write(database, alice.id, *ids[:4])


async def test_a_post_with_neither_text_nor_files_is_refused(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
    with pytest.raises(InvalidInput, match="needs a text"):
        await write(database, alice.id)


async def test_an_edit_keeps_the_files_and_describes_them_anew(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        ids = [await make_medium(tx, alice.id), await make_medium(tx, alice.id)]
    post_id = await write(database, alice.id, *ids)

    async def change(**what: Any) -> bool:
        async with database.write() as tx:
            return await edit(tx, post_id, alice.id, **{"source": "", "content_html": "", "now": NOW + 1} | what)

    assert not await change()
    assert not await change(alts=["a cat"])
    assert await change(alts=["  a grey cat  "])
    assert await change(source="Look", content_html="Look")
    async with database.read() as tx:
        post = await read.known(tx, post_id)
    assert [(file["medium"], file["alt"]) for file in post.attachments] == [
        (str(ids[0]), "a grey cat"),
        (str(ids[1]), "a cat"),
    ]
    assert [(await medium_of(database, each)).alt for each in ids] == ["a grey cat", "a cat"]
    with pytest.raises(InvalidInput, match="more descriptions"):
        await change(alts=["a", "b", "c"])
    with pytest.raises(InvalidInput, match="too long"):
        await change(alts=["x" * (ALT_LENGTH + 1)])


async def test_of_posts_at_the_same_time_one_gets_the_file(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        one, other = await make_medium(tx, alice.id), await make_medium(tx, alice.id)
    ways = [(one, other), (other, one)] * 3
    ended = await asyncio.gather(*(write(database, alice.id, *way) for way in ways), return_exceptions=True)
    (post_id,) = [each for each in ended if isinstance(each, int)]
    assert all(isinstance(each, int | InvalidInput) for each in ended)
    assert {(await medium_of(database, each)).post_id for each in (one, other)} == {post_id}
