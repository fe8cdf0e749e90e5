"""Follow, Undo, Accept and Reject as they arrive, and what PEERS tells of ids that are used again."""

from typing import Any

import pytest
from fakes.world import CONTEXT, Person, World

from privapub.actors.read import Actor
from privapub.follows import follow, read
from privapub import clock


def follow_of(carol: Person, followed: Actor, uri: str = "https://peer.test/follow/77") -> dict[str, Any]:
    return {"@context": CONTEXT, "type": "Follow", "id": uri, "actor": carol.uri, "object": followed.uri}


def undo_of(carol: Person, what: object, uri: str = "https://peer.test/undo/1") -> dict[str, Any]:
    return {"@context": CONTEXT, "type": "Undo", "id": uri, "actor": carol.uri, "object": what}


async def state(world: World, follower: Actor | None, followed: Actor | None) -> str | None:
    assert follower is not None
    assert followed is not None
    async with world.database.read() as tx:
        found = await read.between(tx, follower.id, followed.id)
    return None if found is None else found.state


async def test_a_follow_of_an_open_persona_is_accepted_to_the_one_who_asked(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
    (accept,) = world.sent()
    assert accept["type"] == "Accept"
    assert accept["actor"] == alice.uri
    assert accept["object"]["id"] == "https://peer.test/follow/77"
    assert accept["object"]["actor"] == carol.uri
    assert accept["object"]["object"] == alice.uri
