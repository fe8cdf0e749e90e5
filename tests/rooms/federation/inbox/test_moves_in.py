"""Actors that have another actor now: theirs and ours."""

from typing import Any

import pytest

from fakes.activities import kept_out, of, state
from fakes.world import Person, World
from makers import make_follow
from privapub import clock
from privapub.actors import blocks
from privapub.actors.read import Actor
from privapub.personas import move

OLD, NEW = "https://peer.test/u/carol", "https://other.test/u/carol"


def moved(carol: Person, target: str | None = NEW, number: int = 1) -> dict[str, Any]:
    return {**of("Move", carol, carol.uri, f"https://peer.test/move/{number}"), "target": target}


async def met(world: World, old: dict[str, Any], new: dict[str, Any]) -> tuple[Actor, Person, Person]:
    """Alice follows Carol, whom the server learnt before she moved."""
    alice, carol = await world.persona(), world.person(OLD)
    known = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, known.id)
    await world.drain()
    world.peer.received.clear()
    carol.changes |= old
    world.serve_person(carol)
    return alice, carol, world.person(NEW, changes=new)


BOTH: tuple[dict[str, Any], dict[str, Any]] = ({"movedTo": NEW}, {"alsoKnownAs": [OLD]})


async def test_followers_go_along_once(world: World) -> None:
    alice, carol, _ = await met(world, *BOTH)
    await world.post(alice.inbox, moved(carol), by=carol)
    await world.drain()
    assert await kept_out(world) == [None]
    assert await state(world, alice, await world.actor(OLD)) is None
    assert await state(world, alice, await world.actor(NEW)) == "pending"
    assert [each["type"] for each in world.sent()] == ["Undo"]
    assert [(each["type"], each["object"]) for each in world.sent(world.other)] == [("Follow", NEW)]
    # It comes again: nobody is there to move, and nothing is fetched.
    world.other.received.clear()
    await world.post(alice.inbox, moved(carol, number=2), by=carol)
    await world.drain()
    assert await kept_out(world) == [None, "nobody-to-move"]
    assert world.other.received == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({}, BOTH[1], "not-both-ways"),
        ({"movedTo": "https://other.test/u/dave"}, BOTH[1], "not-both-ways"),
        (BOTH[0], {}, "not-both-ways"),
        (BOTH[0], {"alsoKnownAs": ["https://peer.test/u/dave"]}, "not-both-ways"),
        (BOTH[0], {**BOTH[1], "movedTo": "https://other.test/u/carol2"}, "no-target"),
    ],
)
async def test_both_must_say_so(world: World, old: dict[str, Any], new: dict[str, Any], reason: str) -> None:
    alice, carol, _ = await met(world, old, new)
    await world.post(alice.inbox, moved(carol), by=carol)
    await world.drain()
    assert await kept_out(world) == [reason]
    assert await state(world, alice, await world.actor(OLD)) == "accepted"


async def test_nobody_moves_another_nor_nowhere(world: World) -> None:
    alice, carol, _ = await met(world, *BOTH)
    mallory = world.person("https://peer.test/u/mallory")
    for number, (who, what) in enumerate(
        [(mallory, {**moved(mallory), "object": OLD}), (carol, moved(carol, None)), (carol, moved(carol, OLD))]
    ):
        await world.post(alice.inbox, {**what, "id": f"https://peer.test/move/{number}"}, by=who)
        await world.drain()
    assert await kept_out(world) == ["not-theirs", "no-target", "no-target"]
    assert await state(world, alice, await world.actor(OLD)) == "accepted"


async def test_a_target_that_does_not_answer_is_waited_for_and_one_that_is_not_there_is_none(world: World) -> None:
    alice, carol, new = await met(world, *BOTH)
    world.serve(new.uri, status=404)
    await world.post(alice.inbox, moved(carol), by=carol)
    await world.drain()
    assert await kept_out(world) == ["not-fetched: 404"]


async def test_who_blocks_the_new_actor_does_not_go_along(world: World) -> None:
    alice, carol, new = await met(world, *BOTH)
    known = await world.learnt(new)
    async with world.database.write() as tx:
        await blocks.keep(tx, alice.id, known.id, "https://sut.test/activities/b", clock.now())
    await world.post(alice.inbox, moved(carol), by=carol)
    await world.drain()
    assert await state(world, alice, await world.actor(OLD)) == "accepted"
    assert await state(world, alice, await world.actor(NEW)) is None


async def test_somebody_moves_here(world: World) -> None:
    alice, carol, _ = await met(world, {}, {})
    bob = await world.persona("bob")
    carol.changes |= {"movedTo": bob.uri}
    world.serve_person(carol)
    async with world.database.write() as tx:
        await move.add_alias(tx, bob.id, OLD, clock.now())
    await world.post(alice.inbox, moved(carol, bob.uri), by=carol)
    await world.drain()
    assert await state(world, alice, bob) == "accepted"
    assert await state(world, alice, await world.actor(OLD)) is None


async def test_ours_move_and_their_followers_are_told_after_the_profile(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    carol = await world.learnt(world.person(OLD))
    target = await world.learnt(world.person(NEW, changes={"alsoKnownAs": [alice.uri]}))
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
        await make_follow(tx, bob.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    async with world.database.write() as tx:
        await move.move(tx, alice.id, target.id, clock.now())
    await world.drain()
    told = [each for each in world.sent() if each["type"] in ("Update", "Move")]
    assert [each["type"] for each in told] == ["Update", "Move"]
    assert told[0]["object"]["movedTo"] == NEW
    assert (told[1]["actor"], told[1]["object"], told[1]["target"]) == (alice.uri, alice.uri, NEW)
    assert await state(world, bob, alice) is None
    assert await state(world, bob, target) == "pending"
