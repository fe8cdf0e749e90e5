"""What stands in a persona's home timeline."""

from dataclasses import dataclass

import pytest

from makers import at_home, make_follow, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import follow
from privapub.personas.read import Persona
from privapub.posts import read
from privapub.posts.delete import delete
from privapub.posts.read import Post
from privapub.posts.receive import receive_delete
from privapub.timelines.fill import fill, forget
from privapub.timelines.home import home

NOW = 1_800_000_000.0


@dataclass
class World:
    alice: Persona
    bob: Persona
    carol: Actor


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        world = World(await make_persona(tx, "alice"), await make_persona(tx, "bob"), await make_remote(tx))
        await make_follow(tx, world.alice.id, world.carol.id)
    return world


async def filled(tx: Transaction, author_id: int, audience: str = "public", named: tuple[int, ...] = ()) -> Post:
    post = await make_post(tx, author_id, audience, named=named)
    await fill(tx, post, NOW)
    return post


async def test_it_holds_what_the_followed_wrote_and_what_one_wrote_oneself(database: Database, world: World) -> None:
    async with database.write() as tx:
        theirs, own = await filled(tx, world.carol.id, "followers"), await filled(tx, world.alice.id, "followers")
        await filled(tx, world.bob.id)
        assert set(await at_home(tx, world.alice.id)) == {theirs, own}
        assert [post.author_id for post in await at_home(tx, world.bob.id)] == [world.bob.id]
        assert await at_home(tx, world.carol.id) == []


async def test_a_pending_follow_brings_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        await make_follow(tx, world.bob.id, world.carol.id, "pending")
        for audience in ("public", "unlisted", "followers"):
            await filled(tx, world.carol.id, audience)
        assert await at_home(tx, world.bob.id) == []
        assert len(await at_home(tx, world.alice.id)) == 3


async def test_what_names_one_comes_from_anybody(database: Database, world: World) -> None:
    async with database.write() as tx:
        direct = await filled(tx, world.carol.id, "direct", (world.bob.id,))
        assert await at_home(tx, world.bob.id) == [direct]
        assert await at_home(tx, world.alice.id) == []


async def test_filling_twice_is_as_good_as_once(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await make_post(tx, world.carol.id, named=[world.alice.id, world.bob.id])
        assert await fill(tx, post, NOW) == 2
        assert await fill(tx, post, NOW) == 0
        assert await at_home(tx, world.alice.id) == [post]


async def test_a_deleted_post_is_not_shown_and_goes_nowhere(database: Database, world: World) -> None:
    async with database.write() as tx:
        own, theirs = await filled(tx, world.alice.id), await filled(tx, world.carol.id)
        await delete(tx, own.id, world.alice.id, NOW)
        await receive_delete(tx, theirs.uri, world.carol.id, world.carol.uri, "peer.test", NOW)
        assert await at_home(tx, world.alice.id) == []
        stone = await read.by_id(tx, own.id)
        assert stone is not None
        assert await forget(tx, own.id) == 1
        assert await fill(tx, stone, NOW) == 0


async def test_it_comes_in_pages_newest_first(database: Database, world: World) -> None:
    async with database.write() as tx:
        posts = [await filled(tx, world.carol.id) for _ in range(5)]
        newest_first = sorted((post.id for post in posts), reverse=True)
        pages = [await home(tx, world.alice.id, Window(limit=2), NOW)]
        while (before := pages[-1].older) is not None:
            pages.append(await home(tx, world.alice.id, Window(before=before, limit=2), NOW))
        assert [[entry.post.id for entry in page.items] for page in pages] == [
            newest_first[:2], newest_first[2:4], newest_first[4:]
        ]  # fmt: skip
        back = await home(tx, world.alice.id, Window(just_after=newest_first[-1], limit=2), NOW)
        assert [entry.id for entry in back.items] == newest_first[2:4]
        assert (back.older, back.newer) == (newest_first[3], newest_first[2])
        newest = await home(tx, world.alice.id, Window(after=newest_first[2]), NOW)
        assert [entry.id for entry in newest.items] == newest_first[:2]
        assert newest.older is None


async def test_after_a_follow_ended_what_it_had_brought_is_not_shown(database: Database, world: World) -> None:
    async with database.write() as tx:
        for audience in ("public", "followers"):
            await filled(tx, world.carol.id, audience)
        named = await filled(tx, world.carol.id, "direct", (world.alice.id,))
        assert len(await at_home(tx, world.alice.id)) == 3
        await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        assert await at_home(tx, world.alice.id) == [named]


async def test_personas_share_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        await make_follow(tx, world.bob.id, world.carol.id)
        post = await filled(tx, world.carol.id, "direct", (world.alice.id,))
        assert await at_home(tx, world.alice.id) == [post]
        assert await at_home(tx, world.bob.id) == []
