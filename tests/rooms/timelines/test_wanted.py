"""What a persona wants of those whom it follows: without their boosts, or in some languages alone."""

import pytest

from makers import ADDRESSES, at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.errors import InvalidInput
from privapub.follows import follow
from privapub.follows import read as follows
from privapub.posts import boost
from privapub.posts.read import by_id
from privapub.posts.receive import ReceivedPost, receive
from privapub.timelines.fill import fill, fill_boost


async def home(database: Database, persona_id: int) -> list[int]:
    async with database.read() as tx:
        return [each.id for each in await at_home(tx, persona_id)]


async def test_boosts_are_left_out_on_demand(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        await make_follow(tx, alice.id, bob.id)
        theirs, own = await make_post(tx, carol.id), await make_post(tx, bob.id)
        await fill(tx, own, clock.now())
        boosted = await boost.boost(tx, bob.id, theirs.id, ADDRESSES.activity("b"), clock.now())
        await fill_boost(tx, boosted, clock.now())
    assert set(await home(database, alice.id)) == {theirs.id, own.id}
    async with database.write() as tx:
        assert await follow.prefer(tx, alice.id, bob.id, boosts=False)
    assert await home(database, alice.id) == [own.id]


async def test_only_the_languages_that_are_wanted_are_shown(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        wrote = {}
        for language in ("de", "en", "en-GB", None):
            record = ReceivedPost(
                uri=f"https://peer.test/n/{language}", content="<p>x</p>", published_at=clock.now(), language=language
            )
            number = await receive(tx, record, carol.id, "public", (), clock.now())
            assert number is not None
            found = await by_id(tx, number)
            assert found is not None
            await fill(tx, found, clock.now())
            wrote[language] = number
    assert set(await home(database, alice.id)) == set(wrote.values())
    async with database.write() as tx:
        await follow.prefer(tx, alice.id, carol.id, languages=["EN"])
    assert set(await home(database, alice.id)) == {wrote["en"], wrote[None]}
    async with database.write() as tx:
        standing = await follows.between(tx, alice.id, carol.id)
        assert standing is not None
        assert (standing.languages, standing.boosts, standing.notify) == (("en",), True, False)
        await follow.prefer(tx, alice.id, carol.id, languages=[])
    assert set(await home(database, alice.id)) == set(wrote.values())


async def test_nonsense_is_no_language(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        for nonsense in (["x"], [",de,"], ["d%"], ["de"] + [f"a{chr(97 + n)}" for n in range(26)] + ["b"]):
            with pytest.raises(InvalidInput):
                await follow.prefer(tx, alice.id, carol.id, languages=nonsense)
        assert not await follow.prefer(tx, carol.id, alice.id, boosts=False)
