"""Boosts, as a state between somebody and a post."""

from dataclasses import dataclass

import pytest

from makers import facts, make_follow, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.personas.read import Persona
from privapub.posts import boost, boost_read
from privapub.posts.delete import delete
from privapub.posts.read import Post

NOW = 1_800_000_000.0
URI = "https://sut.test/activities/1"
THEIRS = "https://peer.test/b/1"


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


async def test_a_boost_is_told_once_and_a_second_one_is_the_first(database: Database, small: Small) -> None:
    async with database.write() as tx:
        number = await boost.boost(tx, small.alice.id, small.hers.id, URI, NOW)
        assert await boost.boost(tx, small.alice.id, small.hers.id, URI + "2", NOW + 1) == number
        found = await boost_read.by_id(tx, number)
        assert found is not None
        assert (found.actor_id, found.post_id, found.audience, found.uri) == (
            small.alice.id,
            small.hers.id,
            "public",
            URI,
        )
        assert await boost_read.by_uri(tx, URI) == found
        assert await facts(tx, "post_boosted") == [{"boost_id": number}]


async def test_what_is_taken_back_is_told_with_the_id_it_had_and_only_if_it_was_there(
    database: Database, small: Small
) -> None:
    async with database.write() as tx:
        assert not await boost.withdraw(tx, small.alice.id, small.hers.id, NOW)
        await boost.boost(tx, small.alice.id, small.hers.id, URI, NOW, audience="unlisted")
        assert await boost.withdraw(tx, small.alice.id, small.hers.id, NOW + 9)
        assert await boost_read.between(tx, small.alice.id, small.hers.id) is None
        assert await facts(tx, "boost_withdrawn") == [
            {
                "actor_id": small.alice.id,
                "post_id": small.hers.id,
                "audience": "unlisted",
                "uri": URI,
                "boosted_at": NOW,
            }
        ]


@pytest.mark.parametrize("audience", ["public", "unlisted"])
async def test_a_boost_has_the_audience_of_its_post_or_one_that_is_chosen(
    database: Database, small: Small, audience: str
) -> None:
    async with database.write() as tx:
        for chosen, kept in ((None, audience), ("followers", "followers"), ("public", "public")):
            post = await make_post(tx, small.carol.id, audience)
            number = await boost.boost(tx, small.alice.id, post.id, f"{URI}/{kept}{post.id}", NOW, audience=chosen)
            found = await boost_read.by_id(tx, number)
            assert found is not None
            assert found.audience == kept
        with pytest.raises(InvalidInput):
            await boost.boost(tx, small.alice.id, small.hers.id, URI, NOW, audience="direct")


async def test_a_post_for_followers_is_boosted_by_its_author_to_followers_and_by_nobody_else(
    database: Database, small: Small
) -> None:
    async with database.write() as tx:
        await make_follow(tx, small.alice.id, small.carol.id)
        hers, ours = await make_post(tx, small.carol.id, "followers"), await make_post(tx, small.alice.id, "followers")
        with pytest.raises(NotAllowed):
            await boost.boost(tx, small.alice.id, hers.id, URI, NOW)
        number = await boost.boost(tx, small.alice.id, ours.id, URI, NOW, audience="public")
        found = await boost_read.by_id(tx, number)
        assert found is not None
        assert found.audience == "followers"
        assert not await boost.receive(tx, small.carol.id, ours.id, "public", THEIRS, None, NOW)
        assert await boost.receive(tx, small.carol.id, hers.id, "followers", THEIRS, None, NOW)


async def test_a_direct_post_is_boosted_by_nobody(database: Database, small: Small) -> None:
    async with database.write() as tx:
        ours = await make_post(tx, small.alice.id, "direct", named=[small.carol.id])
        hers = await make_post(tx, small.carol.id, "direct", named=[small.alice.id])
        for post in (ours, hers):
            with pytest.raises(NotAllowed):
                await boost.boost(tx, small.alice.id, post.id, URI, NOW)
            assert not await boost.receive(tx, small.carol.id, post.id, "public", THEIRS, None, NOW)


async def test_nobody_boosts_what_they_may_not_see(database: Database, small: Small) -> None:
    async with database.write() as tx:
        closed = await make_post(tx, small.carol.id, "followers")
        await delete(tx, small.ours.id, small.alice.id, NOW)
        for number in (closed.id, small.ours.id, 12345):
            with pytest.raises(NotFound):
                await boost.boost(tx, small.alice.id, number, URI, NOW)
        assert not await boost.receive(tx, small.carol.id, small.ours.id, "public", THEIRS, None, NOW)


async def test_a_boost_from_elsewhere_is_told_once_and_held_by_the_later_id(database: Database, small: Small) -> None:
    async with database.write() as tx:
        for uri, at in ((THEIRS, NOW - 20), (THEIRS, NOW - 20), (THEIRS + "/2", NOW - 10), (THEIRS + "/1", NOW - 15)):
            assert await boost.receive(tx, small.carol.id, small.ours.id, "public", uri, at, NOW)
        (found,) = await boost_read.of_post(tx, small.ours.id)
        assert found.uri == THEIRS + "/2"
        assert await facts(tx, "post_boosted") == [{"boost_id": found.id}]
        assert not await boost.undo(tx, small.carol.id, uri=THEIRS, post_id=small.ours.id)
        assert await boost.undo(tx, small.carol.id, uri=THEIRS + "/2")
        assert await boost_read.counts(tx, [small.ours.id]) == {small.ours.id: 0}


async def test_an_id_of_anothers_boost_is_not_taken(database: Database, small: Small) -> None:
    async with database.write() as tx:
        mallory = await make_remote(tx, "mallory@peer.test")
        await boost.receive(tx, small.carol.id, small.ours.id, "public", THEIRS, None, NOW)
        assert not await boost.receive(tx, mallory.id, small.ours.id, "public", THEIRS, None, NOW)
        assert not await boost.receive(tx, small.carol.id, small.hers.id, "public", THEIRS, None, NOW)
        assert not await boost.undo(tx, mallory.id, uri=THEIRS)
        assert await boost_read.counts(tx, [small.ours.id, small.hers.id]) == {small.ours.id: 1, small.hers.id: 0}


async def test_an_undo_without_an_id_takes_back_by_the_post(database: Database, small: Small) -> None:
    async with database.write() as tx:
        await boost.receive(tx, small.carol.id, small.ours.id, "public", THEIRS, None, NOW)
        assert not await boost.undo(tx, small.carol.id, uri=None)
        assert not await boost.undo(tx, small.carol.id, uri=None, post_id=small.hers.id)
        assert await boost.undo(tx, small.carol.id, uri=None, post_id=small.ours.id)


@pytest.mark.parametrize(("told", "kept"), [(None, NOW), (NOW - 60, NOW - 60), (NOW + 1e9, NOW), (-5.0, 0.0)])
async def test_no_boost_is_from_the_future(database: Database, small: Small, told: float | None, kept: float) -> None:
    async with database.write() as tx:
        await boost.receive(tx, small.carol.id, small.ours.id, "public", THEIRS, told, NOW)
        (found,) = await boost_read.of_post(tx, small.ours.id)
        assert found.created_at == kept
        assert 0 <= found.id < (int(NOW * 1000) + 1) << 20


async def test_pages_of_boosts_are_newest_first(database: Database, small: Small) -> None:
    async with database.write() as tx:
        people = [await make_remote(tx, f"p{number}@peer.test") for number in range(3)]
        for number, person in enumerate(people):
            uri = f"{THEIRS}/{number}"
            await boost.receive(tx, person.id, small.ours.id, "public", uri, NOW - 10 + number + 0.5, NOW)
        first = await boost_read.of_post(tx, small.ours.id, limit=2)
        rest = await boost_read.of_post(tx, small.ours.id, before=first[-1].id)
        assert [each.actor_id for each in (*first, *rest)] == [person.id for person in reversed(people)]
        assert set(await boost_read.by_ids(tx, [each.id for each in first])) == {each.id for each in first}
