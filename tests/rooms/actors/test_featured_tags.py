"""Hashtags that an actor shows in its profile."""

import pytest

from makers import facts, make_persona, make_remote
from privapub import clock
from privapub.actors import featured_tags as tags
from privapub.database.connect import Database
from privapub.errors import InvalidInput


async def test_a_persona_shows_hashtags_and_each_is_told_once(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        assert [await tags.feature(tx, alice.id, name, 1.0) for name in ("#Gärten", "gärten")] == [True, False]
        assert await tags.feature(tx, alice.id, "Boats", 2.0)
        assert [each.name for each in await tags.of_actor(tx, alice.id)] == ["Gärten", "Boats"]
        assert [await tags.unfeature(tx, alice.id, "#GÄRTEN", clock.now()) for _ in range(2)] == [True, False]
        assert [each.name for each in await tags.of_actor(tx, alice.id)] == ["Boats"]
        told = [(fact["name"], fact["shown"]) for fact in await facts(tx, "tag_featured")]
        assert told == [("Gärten", True), ("Boats", True), ("GÄRTEN", False)]


@pytest.mark.parametrize("name", ["", "#", "12", "two words", "a" * 101])
async def test_what_is_no_hashtag_is_not_shown(database: Database, name: str) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        with pytest.raises(InvalidInput):
            await tags.feature(tx, alice.id, name, clock.now())
        assert not await tags.featured_elsewhere(tx, carol.id, name, clock.now())


async def test_ten_hashtags_are_the_most(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        for number in range(tags.MOST):
            await tags.feature(tx, alice.id, f"tag{number}", clock.now())
            assert await tags.featured_elsewhere(tx, carol.id, f"tag{number}", clock.now())
        with pytest.raises(InvalidInput):
            await tags.feature(tx, alice.id, "more", clock.now())
        assert not await tags.featured_elsewhere(tx, carol.id, "more", clock.now())
        assert await tags.featured_elsewhere(tx, carol.id, "#TAG0", clock.now())
        assert await tags.unfeatured_elsewhere(tx, carol.id, "#TAG0")
