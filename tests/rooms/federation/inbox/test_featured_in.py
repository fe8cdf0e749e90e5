"""What remote actors put first in their profiles, and ours tell of."""

import json
from typing import Any

import pytest

from fakes.activities import create, kept_out, note, of
from fakes.world import Person, World
from makers import make_follow, make_post
from privapub import clock
from privapub.actors import featured_tags
from privapub.actors.read import Actor
from privapub.posts import pin

FEATURED = "https://peer.test/u/carol/featured"
ACCEPT = {"Accept": "application/activity+json"}


def carol_of(world: World) -> Person:
    changes = {"featured": FEATURED, "featuredTags": "https://peer.test/u/carol/tags"}
    return world.person("https://peer.test/u/carol", changes=changes)


def news(kind: str, carol: Person, what: Any, target: str = FEATURED, number: int = 1) -> dict[str, Any]:
    return {**of(kind, carol, what, f"https://peer.test/{kind}/{number}"), "target": target}


async def met(world: World) -> tuple[Actor, Person, Actor]:
    """Alice, who follows Carol."""
    alice, carol = await world.persona(), carol_of(world)
    known = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, known.id)
    await world.drain()
    world.peer.received.clear()
    return alice, carol, known


async def pinned(world: World, actor: Actor) -> list[str]:
    async with world.database.read() as tx:
        return [post.uri for post in await pin.pinned(tx, actor.id)]


async def tags(world: World, actor: Actor) -> list[str]:
    async with world.database.read() as tx:
        return [each.name for each in await featured_tags.of_actor(tx, actor.id)]


async def test_a_remote_actor_pins_a_known_post_and_takes_it_off(world: World) -> None:
    alice, carol, known = await met(world)
    await world.post(alice.inbox, create(carol, note(carol)), by=carol)
    await world.drain()
    await world.post(alice.inbox, news("Add", carol, "https://peer.test/n/1"), by=carol)
    await world.drain()
    assert await pinned(world, known) == ["https://peer.test/n/1"]
    await world.post(alice.inbox, news("Remove", carol, note(carol)), by=carol)
    await world.drain()
    assert await pinned(world, known) == []
    await world.post(alice.inbox, news("Remove", carol, "https://peer.test/n/1", number=2), by=carol)
    await world.drain()
    assert await kept_out(world) == [None, None, None, "nothing-to-remove"]


async def test_a_pinned_post_that_is_unknown_comes_from_its_origin(world: World) -> None:
    alice, carol, known = await met(world)
    told = {"@context": "https://www.w3.org/ns/activitystreams", **note(carol)}
    world.serve("https://peer.test/n/1", told)
    # What the Add embeds is not believed.
    await world.post(alice.inbox, news("Add", carol, {**note(carol), "content": "other"}), by=carol)
    await world.drain()
    assert await pinned(world, known) == ["https://peer.test/n/1"]
    async with world.database.read() as tx:
        assert [post.content for post in await pin.pinned(tx, known.id)] == ["<p>hi</p>"]


@pytest.mark.parametrize(
    ("what", "target", "reason"),
    [
        ("https://peer.test/n/1", "https://peer.test/u/dave/featured", "other-collection"),
        ("https://peer.test/n/9", FEATURED, "not-fetched: 404"),
        ("https://other.test/n/1", FEATURED, "not-for-us"),
        ({"type": "Hashtag", "name": "#"}, FEATURED, "no-object"),
        ({"type": "Hashtag", "name": "#two words"}, FEATURED, "too-many"),
    ],
)
async def test_what_is_not_the_actors_own_to_feature_is_kept_out(
    world: World, what: Any, target: str, reason: str
) -> None:
    alice, carol, known = await met(world)
    await world.post(alice.inbox, news("Add", carol, what, target), by=carol)
    await world.drain()
    assert await kept_out(world) == [reason]
    assert await pinned(world, known) == []


async def test_nobody_pins_what_another_wrote(world: World) -> None:
    alice, carol, known = await met(world)
    dave = await world.learnt(world.person("https://peer.test/u/dave"))
    async with world.database.write() as tx:
        theirs = await make_post(tx, dave.id)
        ours = await make_post(tx, alice.id)
    await world.drain()
    for number, uri in enumerate((theirs.uri, ours.uri)):
        await world.post(alice.inbox, news("Add", carol, uri, number=number), by=carol)
    await world.drain()
    assert await kept_out(world) == ["not-theirs", "not-theirs"]
    assert await pinned(world, known) == []


async def test_hashtags_are_featured_as_mastodon_tells_it(world: World) -> None:
    alice, carol, known = await met(world)
    boats = {"type": "Hashtag", "name": "#Boats", "href": "https://peer.test/tags/boats"}
    await world.post(alice.inbox, news("Add", carol, boats), by=carol)
    await world.drain()
    assert await tags(world, known) == ["Boats"]
    await world.post(alice.inbox, news("Remove", carol, boats, "https://peer.test/u/carol/tags"), by=carol)
    await world.drain()
    assert await tags(world, known) == []


async def test_ours_tell_their_followers_what_they_pin_and_serve_it(world: World) -> None:
    alice, carol = await world.persona(), carol_of(world)
    known = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, known.id, alice.id)
        post = await make_post(tx, alice.id, "public", "look here")
        await pin.pin(tx, post.id, alice.id, clock.now())
        await featured_tags.feature(tx, alice.id, "Boats", clock.now())
    await world.drain()
    added = {json.dumps(each["object"]): each for each in world.sent() if each["type"] == "Add"}
    assert {each["target"] for each in added.values()} == {f"{alice.uri}/featured"}
    hashtag = {"type": "Hashtag", "href": "https://sut.test/tags/boats", "name": "#Boats"}
    assert set(added) == {json.dumps(post.uri), json.dumps(hashtag)}
    path = alice.uri.removeprefix("https://sut.test")
    actor = json.loads((await world.get(path, ACCEPT)).body)
    assert (actor["featured"], actor["featuredTags"]) == (f"{alice.uri}/featured", f"{alice.uri}/featured-tags")
    shown = json.loads((await world.get(f"{path}/featured", ACCEPT)).body)
    assert (shown["id"], shown["type"], shown["totalItems"]) == (actor["featured"], "OrderedCollection", 1)
    assert [each["id"] for each in shown["orderedItems"]] == [post.uri]
    assert "@context" not in shown["orderedItems"][0]
    shown = json.loads((await world.get(f"{path}/featured-tags", ACCEPT)).body)
    assert (shown["id"], shown["type"], shown["items"]) == (actor["featuredTags"], "Collection", [hashtag])
    async with world.database.write() as tx:
        await pin.unpin(tx, post.id, alice.id, clock.now())
        await featured_tags.unfeature(tx, alice.id, "Boats", clock.now())
    await world.drain()
    removed = {json.dumps(each["object"]) for each in world.sent() if each["type"] == "Remove"}
    assert removed == {json.dumps(post.uri), json.dumps(hashtag)}
    assert json.loads((await world.get(f"{path}/featured", ACCEPT)).body)["orderedItems"] == []
