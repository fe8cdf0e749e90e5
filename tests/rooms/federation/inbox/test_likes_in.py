"""Somebody elsewhere likes a post or reacts to it, and takes it back."""

from itertools import permutations
from typing import Any

import pytest

from fakes.activities import kept_out, of
from fakes.world import Person, World
from makers import make_post
from privapub import clock
from privapub.actors.read import Actor
from privapub.posts import reaction_read
from privapub.posts.delete import delete
from privapub.posts.read import Post

LIKE = "https://peer.test/l/1"
UNDO = "https://peer.test/undo/1"


async def written(world: World, by: Actor, audience: str = "public") -> Post:
    async with world.database.write() as tx:
        return await make_post(tx, by.id, audience)


def like(carol: Person, post: Post, uri: str = LIKE, kind: str = "Like", **more: Any) -> dict[str, Any]:
    return {**of(kind, carol, post.uri, uri), **more}


async def got(world: World, post: Post) -> list[tuple[str, str | None]]:
    """Emoji and picture of each reaction, the oldest first."""
    async with world.database.read() as tx:
        return [(each.emoji, each.picture) for each in reversed(await reaction_read.of_post(tx, post.id))]


async def test_a_like_of_a_post_of_ours_is_kept(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    for _ in range(2):
        assert (await world.post(alice.inbox, like(carol, post), by=carol)).status == 202
        await world.drain()
    assert await got(world, post) == [("", None)]
    assert await kept_out(world) == [None]


@pytest.mark.parametrize("kind", ["Like", "EmojiReact"])
async def test_a_like_with_content_and_an_emoji_react_are_reactions(world: World, kind: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    cat = {"type": "Emoji", "name": ":cat:", "icon": {"type": "Image", "url": "https://peer.test/cat.png"}}
    told = ({"content": "👍"}, {"_misskey_reaction": "🎉"}, {"content": ":cat:", "tag": [cat]}, {"content": ":dog:"})
    for number, more in enumerate(told):
        await world.post(alice.inbox, like(carol, post, f"{LIKE}/{number}", kind, **more), by=carol)
        await world.drain()
    assert await got(world, post) == [
        ("👍", None),
        ("🎉", None),
        (":cat:", "https://peer.test/cat.png"),
        (":dog:", None),
    ]


async def test_text_in_a_like_makes_it_a_plain_one_and_in_an_emoji_react_nothing(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    for number, (kind, content) in enumerate([("EmojiReact", "~"), ("EmojiReact", ""), ("Like", "likes this")]):
        sent = like(carol, post, f"{LIKE}/{number}", kind, content=content)
        await world.post(alice.inbox, sent, by=carol)
        await world.drain()
    assert await kept_out(world) == ["no-emoji", "no-emoji", None]
    assert await got(world, post) == [("", None)]


async def test_nothing_is_fetched_for_a_like_of_what_we_do_not_have(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    await world.post(alice.inbox, of("Like", carol, "https://other.test/n/1", LIKE), by=carol)
    await world.drain()
    assert await kept_out(world) == ["no-such-post"]
    assert world.other.received == []


async def test_who_may_not_see_a_post_does_not_like_it(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    closed, gone = await written(world, alice, "followers"), await written(world, alice)
    async with world.database.write() as tx:
        await delete(tx, gone.id, alice.id, clock.now())
    for number, post in enumerate((closed, gone)):
        await world.post(alice.inbox, like(carol, post, f"{LIKE}/{number}"), by=carol)
    await world.drain()
    assert await kept_out(world) == ["no-such-post", "no-such-post"]
    assert await got(world, closed) == []


UNDOINGS = {
    "the whole Like": lambda sent: sent,
    "its bare id": lambda sent: sent["id"],
    "its id and its kind": lambda sent: {"type": sent["type"], "id": sent["id"]},
    "the Like under another id": lambda sent: {**sent, "id": "https://peer.test/l/other"},
    "the Like without an id": lambda sent: {name: value for name, value in sent.items() if name != "id"},
}


@pytest.mark.parametrize("how", UNDOINGS)
@pytest.mark.parametrize("more", [{}, {"content": "👍"}], ids=["like", "reaction"])
async def test_an_undo_takes_it_back_however_it_names_it(world: World, how: str, more: dict[str, str]) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    sent = like(carol, post, **more)
    other = like(carol, post, LIKE + "/2", content="🎉")
    for each in (sent, other, of("Undo", carol, UNDOINGS[how](sent), UNDO)):
        await world.post(alice.inbox, each, by=carol)
        await world.drain()
    assert await kept_out(world) == [None, None, None]
    assert await got(world, post) == [("🎉", None)]


@pytest.mark.parametrize("how", [name for name in UNDOINGS if "another" not in name])
@pytest.mark.parametrize("kind", ["Like", "EmojiReact"])
async def test_an_undo_that_came_first_swallows_one_such_like(world: World, how: str, kind: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    sent = like(carol, post, kind=kind, content="👍")
    await world.post(alice.inbox, of("Undo", carol, UNDOINGS[how](sent), UNDO), by=carol)
    await world.post(alice.inbox, like(carol, post, LIKE + "/2"), by=carol)
    await world.post(alice.inbox, sent, by=carol)
    await world.drain()
    assert await kept_out(world) == ["nothing-to-undo", None, "undone-before"]
    await world.post(alice.inbox, sent, by=carol)
    await world.drain()
    assert await got(world, post) == [("", None), ("👍", None)]


async def test_nobody_takes_back_the_like_of_another(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    mallory = world.person("https://peer.test/u/mallory")
    post = await written(world, alice)
    await world.post(alice.inbox, like(carol, post), by=carol)
    await world.drain()
    for number, what in enumerate((like(carol, post), LIKE, {**like(carol, post), "actor": mallory.uri})):
        await world.post(alice.inbox, of("Undo", mallory, what, f"{UNDO}/{number}"), by=mallory)
        await world.drain()
    assert await kept_out(world) == [None, "not-theirs", "nothing-to-undo", "nothing-to-undo"]
    assert await got(world, post) == [("", None)]


@pytest.mark.parametrize("kind", ["Like", "EmojiReact"])
async def test_a_like_and_its_undo_end_alike_in_both_orders_also_with_copies(world: World, kind: str) -> None:
    """Whether they wait together or the first was handled: the Undo counts, before or after."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for number, order in enumerate(permutations("LU")):
        for at_once in (True, False):
            post = await written(world, alice)
            sent = like(carol, post, f"{LIKE}/{number}{at_once}", kind, content="👍")
            undo = of("Undo", carol, sent, f"{UNDO}/{number}{at_once}")
            for which in order:
                for _ in range(2 if at_once else 1):
                    await world.post(alice.inbox, {"L": sent, "U": undo}[which], by=carol)
                if not at_once:
                    await world.drain()
            await world.drain()
            assert await got(world, post) == [], (order, at_once)
