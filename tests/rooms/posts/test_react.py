"""Likes and reactions, as a state between somebody and a post."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product

import pytest

from makers import facts, make_follow, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput, NotFound
from privapub.personas.read import Persona
from privapub.posts import boost, boost_read, react, reaction_read
from privapub.posts.delete import delete, forget_author
from privapub.posts.read import Post

NOW = 1_800_000_000.0
URI = "https://sut.test/activities/1"
THEIRS = "https://peer.test/l/1"


@dataclass
class Small:
    alice: Persona
    carol: Actor
    hers: Post  # carol's
    ours: Post  # alice's


@pytest.fixture
async def small(database: Database) -> Small:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        return Small(alice, carol, await make_post(tx, carol.id), await make_post(tx, alice.id))


async def emojis(tx: Transaction, post: Post, actor_id: int) -> list[str]:
    return [each.emoji for each in await reaction_read.between(tx, actor_id, post.id)]


async def test_a_like_is_told_once_and_a_second_one_is_none(database: Database, small: Small) -> None:
    async with database.write() as tx:
        assert await react.react(tx, small.alice.id, small.hers.id, "", URI, NOW)
        assert not await react.react(tx, small.alice.id, small.hers.id, "", URI + "2", NOW + 1)
        (mine,) = await reaction_read.of_post(tx, small.hers.id)
        assert (mine.actor_id, mine.emoji, mine.uri, mine.created_at) == (small.alice.id, "", URI, NOW)
        assert await reaction_read.by_id(tx, mine.id) == mine
        assert await facts(tx, "reaction_added") == [{"reaction_id": mine.id}]


async def test_what_is_taken_back_is_told_with_the_id_it_had_and_only_if_it_was_there(
    database: Database, small: Small
) -> None:
    async with database.write() as tx:
        assert not await react.withdraw(tx, small.alice.id, small.hers.id, "", NOW)
        await react.react(tx, small.alice.id, small.hers.id, "👍", URI, NOW)
        assert not await react.withdraw(tx, small.alice.id, small.hers.id, "", NOW)
        assert not await react.withdraw(tx, small.alice.id, small.hers.id, "nonsense!", NOW)
        assert await react.withdraw(tx, small.alice.id, small.hers.id, "👍", NOW)
        assert await emojis(tx, small.hers, small.alice.id) == []
        assert await facts(tx, "reaction_withdrawn") == [
            {"actor_id": small.alice.id, "post_id": small.hers.id, "emoji": "👍", "picture": None, "uri": URI}
        ]


async def test_a_like_and_reactions_of_one_persona_stand_beside_each_other(database: Database, small: Small) -> None:
    async with database.write() as tx:
        for number, emoji in enumerate(("", "👍", "❤️", "❤")):
            await react.react(tx, small.alice.id, small.hers.id, emoji, f"{URI}{number}", NOW + number)
        assert await emojis(tx, small.hers, small.alice.id) == ["", "👍", "❤"]
        await react.receive(tx, small.carol.id, small.hers.id, "👍", None, THEIRS, NOW)
        assert await reaction_read.counts(tx, [small.hers.id, small.ours.id]) == {
            small.hers.id: {"": 1, "👍": 2, "❤": 1},
            small.ours.id: {},
        }
        assert [each.actor_id for each in await reaction_read.of_post(tx, small.hers.id, emoji="")] == [small.alice.id]


async def test_pages_of_reactions_are_newest_first(database: Database, small: Small) -> None:
    async with database.write() as tx:
        for number, emoji in enumerate("👍👎🎉"):
            await react.react(tx, small.alice.id, small.hers.id, emoji, f"{URI}{number}", NOW + number)
        first = await reaction_read.of_post(tx, small.hers.id, limit=2)
        rest = await reaction_read.of_post(tx, small.hers.id, before=first[-1].id)
        assert [each.emoji for each in (*first, *rest)] == ["🎉", "👎", "👍"]


async def test_a_picture_is_taken_from_whoever_reacted_with_it_before(database: Database, small: Small) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await react.react(tx, small.alice.id, small.ours.id, ":cat:", URI, NOW)
        await react.receive(tx, small.carol.id, small.ours.id, ":cat:", "https://peer.test/cat.png", THEIRS, NOW)
        assert await react.react(tx, small.alice.id, small.ours.id, ":cat:", URI, NOW)
        assert {each.picture for each in await reaction_read.of_post(tx, small.ours.id)} == {
            "https://peer.test/cat.png"
        }


@pytest.mark.parametrize("emoji", ["~", "two words", "👍👍"])
async def test_what_is_no_emoji_is_refused(database: Database, small: Small, emoji: str) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await react.react(tx, small.alice.id, small.hers.id, emoji, URI, NOW)


async def test_nobody_reacts_to_what_they_may_not_see(database: Database, small: Small) -> None:
    async with database.write() as tx:
        closed = await make_post(tx, small.carol.id, "followers")
        with pytest.raises(NotFound):
            await react.react(tx, small.alice.id, closed.id, "", URI, NOW)
        await make_follow(tx, small.alice.id, small.carol.id)
        assert await react.react(tx, small.alice.id, closed.id, "", URI, NOW)
        await delete(tx, small.ours.id, small.alice.id, NOW)
        for gone in (small.ours.id, 12345):
            with pytest.raises(NotFound):
                await react.react(tx, small.alice.id, gone, "", URI, NOW)


async def test_nobody_covers_a_post_with_emojis(database: Database, small: Small) -> None:
    async with database.write() as tx:
        for number in range(react.MOST):
            name = f":e{number}:"
            assert await react.receive(tx, small.carol.id, small.ours.id, name, None, f"{THEIRS}/{number}", NOW)
        assert not await react.receive(tx, small.carol.id, small.ours.id, ":more:", None, THEIRS, NOW)
        assert await react.receive(tx, small.carol.id, small.ours.id, ":e0:", None, THEIRS, NOW)
        await react.receive(tx, small.alice.id, small.ours.id, ":e0:", "https://peer.test/e.png", URI, NOW)
        assert len(await reaction_read.between(tx, small.carol.id, small.ours.id)) == react.MOST
        for number in range(react.MOST - 1):
            emoji = chr(0x1F600 + number)
            await react.react(tx, small.alice.id, small.ours.id, emoji, f"{URI}{number}", NOW)
        with pytest.raises(Conflict):
            await react.react(tx, small.alice.id, small.ours.id, "🎉", URI + "x", NOW)


async def test_a_like_from_elsewhere_is_told_where_the_post_is_ours(database: Database, small: Small) -> None:
    async with database.write() as tx:
        await react.receive(tx, small.carol.id, small.hers.id, "", None, THEIRS, NOW)
        assert await facts(tx, "reaction_added") == []
        for number in range(2):
            await react.receive(tx, small.carol.id, small.ours.id, "", None, f"{THEIRS}/{number}", NOW + number)
        (theirs,) = await reaction_read.of_post(tx, small.ours.id)
        assert theirs.uri == f"{THEIRS}/1"
        assert await facts(tx, "reaction_added") == [{"reaction_id": theirs.id}]


async def test_an_undo_takes_back_what_is_its_actors_and_nothing_else(database: Database, small: Small) -> None:
    async with database.write() as tx:
        dave = await make_remote(tx, "dave@peer.test")
        await react.receive(tx, small.carol.id, small.ours.id, "", None, THEIRS, NOW)
        await react.receive(tx, small.carol.id, small.ours.id, "👍", None, f"{THEIRS}/2", NOW)
        assert not await react.undo(tx, dave.id, uri=THEIRS, post_id=small.ours.id)
        assert not await react.undo(tx, small.carol.id, uri="https://peer.test/l/9")
        assert await react.undo(tx, small.carol.id, uri=f"{THEIRS}/2")
        assert await emojis(tx, small.ours, small.carol.id) == [""]
        assert await react.undo(tx, small.carol.id, uri="https://peer.test/l/9", post_id=small.ours.id)
        assert await emojis(tx, small.ours, small.carol.id) == []


Verb = Callable[[Transaction, Small], Awaitable[object]]


async def _receive(tx: Transaction, small: Small) -> object:
    return await react.receive(tx, small.carol.id, small.ours.id, "", None, THEIRS, NOW)


async def _undo(tx: Transaction, small: Small) -> object:
    return await react.undo(tx, small.carol.id, uri=THEIRS)


async def test_every_order_ends_as_the_last_word_says(database: Database, small: Small) -> None:
    verbs: dict[bool, Verb] = {True: _receive, False: _undo}
    async with database.write() as tx:
        for order in product(verbs, repeat=4):
            for liked in order:
                await verbs[liked](tx, small)
            assert (await emojis(tx, small.ours, small.carol.id) == [""]) is order[-1], order
            await _undo(tx, small)


async def test_nothing_is_left_of_a_deleted_post_or_of_an_actor_who_is_gone(database: Database, small: Small) -> None:
    async with database.write() as tx:
        for post in (small.hers, small.ours):
            await react.receive(tx, small.carol.id, post.id, "", None, f"{THEIRS}/{post.id}", NOW)
            await boost.receive(tx, small.carol.id, post.id, "public", f"{THEIRS}/b/{post.id}", None, NOW)
            await react.react(tx, small.alice.id, post.id, "👍", f"{URI}/{post.id}", NOW)
        await delete(tx, small.ours.id, small.alice.id, NOW)
        assert await reaction_read.of_post(tx, small.ours.id) == []
        assert await boost_read.of_post(tx, small.ours.id) == []
        assert len(await reaction_read.of_post(tx, small.hers.id)) == 2
        mine = await make_post(tx, small.alice.id)
        await react.receive(tx, small.carol.id, mine.id, "", None, THEIRS, NOW)
        await boost.receive(tx, small.carol.id, mine.id, "public", f"{THEIRS}/b", None, NOW)
        await forget_author(tx, small.carol.id, NOW)
        assert await reaction_read.of_post(tx, mine.id) == []
        assert await boost_read.of_post(tx, mine.id) == []
