"""A persona likes, reacts and boosts: what its peers are sent, where, and what it comes to there and here."""

from typing import Any

from sqlalchemy import select

from fakes.world import PUBLIC, Person, World
from makers import make_follow, make_post
from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.notifications.tables import notification
from privapub.posts import boost, react
from privapub.posts.delete import delete
from privapub.posts.read import Post
from privapub.timelines.tables import timeline_entry


def fresh() -> str:
    return Addresses("https://sut.test").activity(identifiers.token())


async def someone(world: World, uri: str = "https://peer.test/u/carol", shared: str = "") -> tuple[Person, Actor]:
    """Somebody whom the server knows, with a shared inbox."""
    host = uri.split("/")[2]
    endpoints = {"endpoints": {"sharedInbox": f"https://{host}/shared"}} if shared else {}
    somebody = world.person(uri, changes=endpoints)
    return somebody, await world.learnt(somebody)


async def theirs(world: World, author: Actor, audience: str = "public") -> Post:
    async with world.database.write() as tx:
        return await make_post(tx, author.id, audience)


async def does(world: World, verb: Any, *args: Any) -> None:
    async with world.database.write() as tx:
        await verb(tx, *args, clock.now())


def where(world: World) -> list[str]:
    return [each.path for each in world.peer.received if each.method == "POST"]


async def test_a_like_goes_to_the_own_inbox_of_the_author_and_its_undo_too(world: World) -> None:
    alice = await world.persona()
    _, carol = await someone(world, shared="yes")
    post = await theirs(world, carol)
    uri = fresh()
    await does(world, react.react, alice.id, post.id, "", uri)
    await world.drain()
    await does(world, react.withdraw, alice.id, post.id, "")
    await world.drain()
    liked, undone = world.sent()
    assert {name: liked[name] for name in ("id", "type", "actor", "object", "to")} == {
        "id": uri,
        "type": "Like",
        "actor": alice.uri,
        "object": post.uri,
        "to": [carol.uri],
    }
    assert "content" not in liked
    assert (undone["type"], undone["actor"], undone["to"]) == ("Undo", alice.uri, [carol.uri])
    assert undone["object"] == {name: value for name, value in liked.items() if name != "@context"}
    assert undone["id"] != uri
    assert where(world) == ["/u/carol/inbox", "/u/carol/inbox"]


async def test_a_reaction_is_a_like_that_says_what_with(world: World) -> None:
    alice = await world.persona()
    _, carol = await someone(world)
    post = await theirs(world, carol)
    async with world.database.write() as tx:
        await react.receive(tx, carol.id, post.id, ":cat:", "https://peer.test/cat.png", "https://peer.test/l/1", 1.0)
    for emoji in ("👍", ":cat:"):
        await does(world, react.react, alice.id, post.id, emoji, fresh())
    await world.drain()
    thumb, cat = sorted(world.sent(), key=lambda each: each["content"], reverse=True)
    assert thumb["type"] == cat["type"] == "Like"
    assert thumb["content"] == thumb["_misskey_reaction"] == "👍"
    assert "tag" not in thumb
    assert cat["content"] == ":cat:"
    (tag,) = cat["tag"]
    # An id would be one of another host, where some ask for a document.
    assert tag == {"type": "Emoji", "name": ":cat:", "icon": {"type": "Image", "url": "https://peer.test/cat.png"}}
    assert any("_misskey_reaction" in terms for terms in cat["@context"] if isinstance(terms, dict))


async def test_a_like_and_a_boost_that_were_taken_back_before_they_went_are_not_sent(world: World) -> None:
    alice = await world.persona()
    _, carol = await someone(world)
    post = await theirs(world, carol)
    await does(world, react.react, alice.id, post.id, "", fresh())
    await does(world, react.withdraw, alice.id, post.id, "")
    await does(world, boost.boost, alice.id, post.id, fresh())
    await does(world, boost.withdraw, alice.id, post.id)
    await world.drain()
    assert {each["type"] for each in world.sent()} <= {"Undo"}


async def test_likes_among_ourselves_and_from_elsewhere_are_sent_to_nobody(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    _, carol = await someone(world)
    post = await theirs(world, bob)
    await does(world, react.react, alice.id, post.id, "", fresh())
    async with world.database.write() as tx:
        await react.receive(tx, carol.id, post.id, "", None, "https://peer.test/l/1", clock.now())
    await world.drain()
    assert world.sent() == []


async def entries(tx: Transaction, persona: Actor) -> list[tuple[int, int | None]]:
    rows = await tx.all(timeline_entry.select().where(timeline_entry.c.persona_id == persona.id))
    return [(row.post_id, row.boost_id) for row in rows]


async def test_a_boost_goes_to_followers_and_to_the_author_and_its_undo_too(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    _, carol = await someone(world)
    _, dave = await someone(world, "https://other.test/u/dave", shared="yes")
    post = await theirs(world, carol)
    async with world.database.write() as tx:
        await make_follow(tx, dave.id, alice.id)
        await make_follow(tx, bob.id, alice.id)
    await world.drain()
    world.other.received.clear()
    uri = fresh()
    async with world.database.write() as tx:
        boost_id = await boost.boost(tx, alice.id, post.id, uri, clock.now())
    await world.drain()
    async with world.database.read() as tx:
        assert await entries(tx, bob) == [(post.id, boost_id)]
    await does(world, boost.withdraw, alice.id, post.id)
    await world.drain()
    async with world.database.read() as tx:
        assert await entries(tx, bob) == []
    assert where(world) == ["/u/carol/inbox", "/u/carol/inbox"]
    assert [each.path for each in world.other.received] == ["/shared", "/shared"]
    announced, undone = world.sent()
    assert world.sent(world.other) == [announced, undone]
    assert (announced["id"], announced["type"], announced["actor"]) == (uri, "Announce", alice.uri)
    assert announced["object"] == post.uri
    assert (announced["to"], announced["cc"]) == ([PUBLIC], [alice.followers, carol.uri])
    assert undone["type"] == "Undo"
    assert undone["object"] == {name: value for name, value in announced.items() if name not in {"@context", "proof"}}
    assert (undone["to"], undone["cc"]) == (announced["to"], announced["cc"])


async def test_the_own_post_for_followers_is_announced_to_them_alone(world: World) -> None:
    alice = await world.persona()
    _, carol = await someone(world)
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
    post = await theirs(world, alice, "followers")
    await world.drain()
    world.peer.received.clear()
    await does(world, boost.boost, alice.id, post.id, fresh())
    await world.drain()
    (announced,) = world.sent()
    assert (announced["to"], announced["cc"]) == ([alice.followers], [])


async def test_a_boost_of_a_post_that_is_deleted_before_it_goes_goes_nowhere(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    _, carol = await someone(world)
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    post = await theirs(world, bob)
    await does(world, boost.boost, alice.id, post.id, fresh())
    await does(world, react.react, alice.id, post.id, "", fresh())
    await does(world, delete, post.id, bob.id)
    await world.drain()
    assert world.sent() == []


async def test_a_boost_from_elsewhere_comes_to_the_followers_here_and_is_not_sent_on(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    person, carol = await someone(world)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, carol.id, bob.id)
    post = await theirs(world, bob)
    await world.drain()
    world.peer.received.clear()
    async with world.database.write() as tx:
        await boost.receive(tx, carol.id, post.id, "public", f"{person.uri}/b/1", None, clock.now())
    await world.drain()
    async with world.database.read() as tx:
        assert [entry[0] for entry in await entries(tx, alice)] == [post.id]
    assert world.sent() == []


async def test_who_wrote_a_post_is_told_of_likes_and_boosts_for_as_long_as_they_last(world: World) -> None:
    bob = await world.persona("bob")
    _, carol = await someone(world)
    post = await theirs(world, bob)
    like, reaction, announce = (f"https://peer.test/{letter}/1" for letter in "lrb")

    async def told() -> set[str]:
        await world.drain()
        async with world.database.read() as tx:
            return {row.kind for row in await tx.all(select(notification.c.kind))}

    async with world.database.write() as tx:
        await react.receive(tx, carol.id, post.id, "", None, like, clock.now())
        await react.receive(tx, carol.id, post.id, "👍", None, reaction, clock.now())
        await boost.receive(tx, carol.id, post.id, "public", announce, None, clock.now())
    assert await told() == {"favourite", "reaction", "reblog"}
    for verb, uri, rest in (
        (react.undo, like, {"reaction", "reblog"}),
        (react.undo, reaction, {"reblog"}),
        (boost.undo, announce, set()),
    ):
        async with world.database.write() as tx:
            assert await verb(tx, carol.id, uri=uri)
        assert await told() == rest
    assert world.sent() == []
