"""Posts that stand first in their author's profile."""

import pytest

from makers import facts, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.errors import InvalidInput, NotFound
from privapub.posts import delete, pin


async def test_a_pinned_post_stands_first_until_it_is_taken_off_and_each_is_told_once(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        first, second = [await make_post(tx, alice.id, "public", text) for text in ("one", "two")]
        assert [await pin.pin(tx, first.id, alice.id, at) for at in (1.0, 2.0)] == [True, False]
        assert await pin.pin(tx, second.id, alice.id, 3.0)
        assert [post.id for post in await pin.pinned(tx, alice.id)] == [second.id, first.id]
        assert [await pin.unpin(tx, first.id, alice.id, clock.now()) for _ in range(2)] == [True, False]
        assert [post.id for post in await pin.pinned(tx, alice.id)] == [second.id]
        told = [(fact["post_id"], fact["pinned"]) for fact in await facts(tx, "post_pinned")]
        assert told == [(first.id, True), (second.id, True), (first.id, False)]


async def test_five_posts_are_the_most_and_a_deleted_one_makes_room(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        made = [await make_post(tx, alice.id, "unlisted", str(number)) for number in range(6)]
        for post in made[:5]:
            await pin.pin(tx, post.id, alice.id, clock.now())
        with pytest.raises(InvalidInput):
            await pin.pin(tx, made[5].id, alice.id, clock.now())
        await delete.delete(tx, made[0].id, alice.id, clock.now())
        assert await pin.pin(tx, made[5].id, alice.id, clock.now())
        assert made[0].id not in {post.id for post in await pin.pinned(tx, alice.id)}


async def test_only_an_own_post_that_everybody_may_see_can_be_pinned(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        secret = await make_post(tx, alice.id, "followers")
        with pytest.raises(InvalidInput):
            await pin.pin(tx, secret.id, alice.id, clock.now())
        for other in (await make_post(tx, bob.id), await make_post(tx, carol.id)):
            with pytest.raises(NotFound):
                await pin.pin(tx, other.id, alice.id, clock.now())
        assert await pin.pinned(tx, alice.id) == []


async def test_a_remote_actor_pins_its_own_public_posts_and_no_others(database: Database) -> None:
    async with database.write() as tx:
        carol, dave, alice = await make_remote(tx), await make_remote(tx, "dave@peer.test"), await make_persona(tx)
        own, secret = await make_post(tx, carol.id), await make_post(tx, carol.id, "followers")
        for post in (secret, await make_post(tx, dave.id), await make_post(tx, alice.id)):
            assert not await pin.pinned_elsewhere(tx, post.id, carol.id, clock.now())
        for _ in range(2):
            assert await pin.pinned_elsewhere(tx, own.id, carol.id, clock.now())
        assert [post.id for post in await pin.pinned(tx, carol.id)] == [own.id]
        assert [await pin.unpinned_elsewhere(tx, own.id, carol.id) for _ in range(2)] == [True, False]


async def test_what_a_remote_actor_pins_has_an_end(database: Database) -> None:
    async with database.write() as tx:
        carol = await make_remote(tx)
        made = [await make_post(tx, carol.id) for _ in range(pin.MOST_ELSEWHERE + 1)]
        kept = [await pin.pinned_elsewhere(tx, post.id, carol.id, clock.now()) for post in made]
        assert kept == [True] * pin.MOST_ELSEWHERE + [False]
