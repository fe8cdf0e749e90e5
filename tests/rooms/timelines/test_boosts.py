"""Boosts in home timelines: the post once a day, and nobody else's word for whom one does not want to see."""

import pytest
from sqlalchemy import delete

from makers import at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import mutes
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import blocking
from privapub.posts import boost as boosts
from privapub.posts import boost_read
from privapub.posts.read import Post
from privapub.posts.tables import boost as table
from privapub.timelines.fill import fill, fill_boost
from privapub.timelines.home import home

NOW = 1_800_000_000.0
DAY = 86400


async def boosted(tx: Transaction, by: Actor, post: Post) -> int:
    """The number of a boost by somebody, which is put into the timelines."""
    uri = f"{by.uri}/boost/{post.id}"
    assert await boosts.receive(tx, by.id, post.id, "public", uri, clock.now(), clock.now())
    found = await boost_read.between(tx, by.id, post.id)
    assert found is not None
    await fill_boost(tx, found.id, clock.now())
    return found.id


async def test_a_boost_brings_a_stranger_s_post_and_says_by_whom(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@peer.test")
        await make_follow(tx, alice.id, carol.id)
        post = await make_post(tx, dora.id)
        await fill(tx, post, NOW)
        assert await at_home(tx, alice.id) == []
        number = await boosted(tx, carol, post)
        assert await fill_boost(tx, number, NOW) == 0
        (entry,) = (await home(tx, alice.id, Window(), clock.now())).items
        assert (entry.id, entry.boost_id, entry.booster_id, entry.post) == (number, number, carol.id, post)


async def test_a_post_is_boosted_once_a_day_for_a_reader(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        dora = await make_remote(tx, "dora@peer.test")
        people = [await make_remote(tx, f"p{number}@peer.test") for number in range(4)]
        for one in people:
            await make_follow(tx, alice.id, one.id)
        await make_follow(tx, bob.id, people[1].id)
        post = await make_post(tx, dora.id)
        clock.advance(3 * DAY)
        first = await boosted(tx, people[0], post)
        clock.advance(DAY / 2)
        second = await boosted(tx, people[1], post)
        assert [entry.id for entry in (await home(tx, alice.id, Window(), clock.now())).items] == [first]
        assert [entry.id for entry in (await home(tx, bob.id, Window(), clock.now())).items] == [second]
        clock.advance(DAY)
        third = await boosted(tx, people[2], post)
        assert [entry.id for entry in (await home(tx, alice.id, Window(), clock.now())).items] == [third, first]


async def test_what_came_by_itself_within_a_day_is_not_boosted_again(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@peer.test")
        for other in (carol, dora):
            await make_follow(tx, alice.id, other.id)
        post = await make_post(tx, dora.id)
        await fill(tx, post, NOW)
        await boosted(tx, carol, post)
        assert [entry.id for entry in (await home(tx, alice.id, Window(), clock.now())).items] == [post.id]


async def test_a_boost_that_is_undone_goes_with_its_row(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@peer.test")
        await make_follow(tx, alice.id, carol.id)
        number = await boosted(tx, carol, await make_post(tx, dora.id))
        assert len(await at_home(tx, alice.id)) == 1
        await tx.execute(delete(table).where(table.c.id == number))
        assert await at_home(tx, alice.id) == []
        assert await fill_boost(tx, number, NOW) == 0


@pytest.mark.parametrize("whom", ["author", "booster"])
@pytest.mark.parametrize("how", ["block", "blocked", "mute"])
async def test_a_boost_shows_nothing_of_whom_one_does_not_see(database: Database, whom: str, how: str) -> None:
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@peer.test")
        await make_follow(tx, alice.id, carol.id)
        old = await make_post(tx, dora.id)
        await boosted(tx, carol, old)
        assert len(await at_home(tx, alice.id)) == 1
        other = {"author": dora, "booster": carol}[whom]
        if how == "block":
            await blocking.block(tx, alice.id, other.id, "https://sut.test/activities/b", NOW)
        elif how == "blocked":
            await blocking.receive_block(tx, other.id, alice.id, "https://peer.test/b", NOW)
        else:
            await mutes.add(tx, alice.id, other.id, now=clock.now())
        clock.advance(2 * DAY)
        await boosted(tx, carol, await make_post(tx, dora.id))
        assert await at_home(tx, alice.id) == []


async def test_one_s_own_boost_stands_in_one_s_own_timeline(database: Database) -> None:
    async with database.write() as tx:
        alice, dora = await make_persona(tx), await make_remote(tx, "dora@peer.test")
        post = await make_post(tx, dora.id)
        number = await boosts.boost(tx, alice.id, post.id, "https://sut.test/activities/1", clock.now())
        await fill_boost(tx, number, clock.now())
        assert await at_home(tx, alice.id) == [post]
