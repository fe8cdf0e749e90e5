"""What comes from elsewhere is told to the personas that it concerns."""

from fakes.activities import create, follow_of, note, of
from fakes.world import World
from makers import make_follow, make_post
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.page import Window
from privapub.notifications import read
from privapub.posts import boost, edit
from privapub.posts.read import by_uri

CAROL = "https://peer.test/u/carol"


async def told(world: World, who: Actor) -> list[str]:
    async with world.database.read() as tx:
        return sorted(one.kind for one in (await read.of(tx, who.id, Window(), clock.now())).items)


async def test_a_mention_is_told_once_and_goes_with_its_post(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    named = note(carol, cc=[alice.uri], tag=[{"type": "Mention", "href": alice.uri}])
    for _ in range(2):
        await world.post(alice.inbox, create(carol, named), by=carol)
        await world.drain()
    assert await told(world, alice) == ["mention"]
    gone = of("Delete", carol, named["id"], "https://peer.test/d/1")
    await world.post(alice.inbox, gone, by=carol)
    await world.drain()
    assert await told(world, alice) == []


async def test_a_like_and_a_boost_are_told_until_they_are_undone(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
    like = of("Like", carol, post.uri, "https://peer.test/l/1")
    shared = of("Announce", carol, post.uri, "https://peer.test/b/1")
    for said in (like, shared, follow_of(carol, alice)):
        await world.post(alice.inbox, said, by=carol)
        await world.drain()
    assert await told(world, alice) == ["favourite", "follow", "reblog"]
    for number, said in enumerate((like, shared)):
        await world.post(alice.inbox, of("Undo", carol, said, f"https://peer.test/u/{number}"), by=carol)
        await world.drain()
    assert await told(world, alice) == ["follow"]


async def test_who_boosted_a_post_is_told_of_an_edit_from_elsewhere_and_of_one_here(world: World) -> None:
    alice, bob, carol = await world.persona(), await world.persona("bob"), world.person(CAROL)
    hers = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, hers.id)
        own = await make_post(tx, bob.id)
    await world.post(alice.inbox, create(carol, note(carol)), by=carol)
    await world.drain()
    async with world.database.write() as tx:
        theirs = await by_uri(tx, "https://peer.test/n/1")
        assert theirs is not None
        for number, post in enumerate((theirs, own)):
            await boost.boost(tx, alice.id, post.id, f"https://sut.test/activities/{number}", clock.now())
    await world.drain()
    later = note(carol, content="<p>other</p>", updated="2026-03-02T10:00:00Z")
    for number in range(2):
        await world.post(alice.inbox, of("Update", carol, later, f"https://peer.test/e/{number}"), by=carol)
        await world.drain()
    assert await told(world, alice) == ["update"]
    async with world.database.write() as tx:
        await edit.edit(tx, own.id, bob.id, source="other", content_html="<p>other</p>", now=clock.now() + 1)
    await world.drain()
    assert await told(world, alice) == ["update", "update"]
