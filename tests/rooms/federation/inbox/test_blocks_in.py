"""Blocks between ours and others: heard, told, and undone."""

from itertools import permutations
from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, follow_of, kept_out, note, of, state
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import at_home, make_follow, make_post
from privapub import clock, identifiers
from privapub.actors import blocks
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.page import Window
from privapub.follows import blocking
from privapub.notifications import read as notifications
from privapub.posts.tables import boost, reaction

CAROL = "https://peer.test/u/carol"
BLOCK = "https://peer.test/block/1"


def undo(carol: Person, what: object) -> dict[str, Any]:
    return of("Undo", carol, what, "https://peer.test/undo/1")


async def blocked(world: World, alice: Actor) -> bool:
    carol = await world.actor(CAROL)
    async with world.database.read() as tx:
        return carol is not None and await blocks.blocks(tx, carol.id, alice.id)


async def block(world: World, alice: Actor, other: Actor) -> str:
    uri = Addresses("https://sut.test").activity(identifiers.token())
    async with world.database.write() as tx:
        assert await blocking.block(tx, alice.id, other.id, uri, clock.now())
    return uri


async def published(world: World, alice: Actor) -> str:
    async with world.database.write() as tx:
        return (await make_post(tx, alice.id)).uri


async def test_a_block_of_ours_is_heard_and_ends_both_follows(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    theirs = await world.learnt(carol)
    await world.follow(alice, theirs)
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    before = len(world.sent())
    await world.post(alice.inbox, of("Block", carol, alice.uri, BLOCK), by=carol)
    await world.drain()
    assert await blocked(world, alice)
    assert [await state(world, theirs, alice), await state(world, alice, theirs)] == [None, None]
    assert len(world.sent()) == before
    # Nor does another follow begin.
    await world.post(alice.inbox, follow_of(carol, alice, "https://peer.test/follow/2"), by=carol)
    await world.drain()
    assert (await kept_out(world))[-1] == "blocked"
    assert await state(world, theirs, alice) is None


@pytest.mark.parametrize("how", ["embedded", "another id", "bare id", "without an id"])
async def test_a_block_is_undone_however_it_is_named(world: World, how: str) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    said = of("Block", carol, alice.uri, BLOCK)
    await world.post(alice.inbox, said, by=carol)
    await world.drain()
    assert await blocked(world, alice)
    what: object = {
        "embedded": said,
        "another id": {**said, "id": BLOCK + "0"},
        "bare id": BLOCK,
        "without an id": {name: value for name, value in said.items() if name != "id"},
    }[how]
    await world.post(alice.inbox, undo(carol, what), by=carol)
    await world.drain()
    assert not await blocked(world, alice)


async def test_an_undo_that_comes_first_swallows_the_block(world: World) -> None:
    for number, order in enumerate(permutations(("block", "undo"))):
        alice, carol = await world.persona(f"alice{number}"), world.person(CAROL)
        said = of("Block", carol, alice.uri, f"{BLOCK}{number}")
        both = {"block": said, "undo": {**undo(carol, said), "id": f"https://peer.test/undo/{number}"}}
        for which in order:
            await world.post(alice.inbox, both[which], by=carol)
            await world.drain()
        assert not await blocked(world, alice), order


async def test_a_block_of_somebody_else_s_persona_is_kept_out(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.post(alice.inbox, of("Block", carol, "https://other.test/u/x", BLOCK), by=carol)
    await world.drain()
    assert await kept_out(world) == ["nobody-to-block"]


async def test_a_block_by_ours_is_told_to_the_one_it_is_about_and_so_is_its_end(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    theirs = await world.learnt(carol)
    await world.follow(alice, theirs)
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    before = len(world.sent())
    uri = await block(world, alice, theirs)
    await world.drain()
    told = world.sent()[before:]
    assert sorted(one["type"] for one in told) == ["Block", "Reject", "Undo"]
    (said,) = [one for one in told if one["type"] == "Block"]
    assert (said["id"], said["actor"], said["object"]) == (uri, alice.uri, carol.uri)
    assert "cc" not in said
    async with world.database.write() as tx:
        await blocking.unblock(tx, alice.id, theirs.id, clock.now())
    await world.drain()
    last = world.sent()[-1]
    assert (last["type"], last["object"]["type"], last["object"]["id"]) == ("Undo", "Block", uri)
    assert {request.path for request in world.peer.received if request.method == "POST"} == {"/u/carol/inbox"}


async def test_a_blocked_actor_s_activities_have_no_effect(world: World) -> None:
    alice, mallory = await world.persona(), world.person("https://peer.test/u/mallory")
    carol, dora = world.person(CAROL), world.person("https://peer.test/u/dora")
    hers, theirs = await world.learnt(carol), await world.learnt(mallory)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, hers.id)
    post = await published(world, alice)
    await block(world, alice, theirs)
    await world.drain()
    answer = note(mallory, "https://peer.test/n/m", inReplyTo=post, cc=[alice.uri])
    for said in (
        of("Like", mallory, post, "https://peer.test/l/1"),
        {**of("Announce", mallory, post, "https://peer.test/b/1"), "to": [PUBLIC]},
        create(mallory, answer, "https://peer.test/a/m"),
        follow_of(mallory, alice, "https://peer.test/f/m"),
    ):
        await world.post(alice.inbox, said, by=mallory)
        await world.drain()
    other = note(dora, "https://peer.test/n/d")
    for number, each in enumerate((answer, other)):
        world.serve(each["id"], {"@context": CONTEXT, **each})
        shared = of("Announce", carol, each["id"], f"https://peer.test/b/c{number}")
        await world.post(alice.inbox, {**shared, "to": [PUBLIC]}, by=carol)
        await world.drain()
    async with world.database.read() as tx:
        assert await tx.all(select(reaction)) == []
        assert (await notifications.of(tx, alice.id, Window(), clock.now())).items == ()
        assert {each.uri for each in await at_home(tx, alice.id)} == {post, other["id"]}
        assert [row for row in await tx.all(select(boost)) if row.actor_id == theirs.id] == []
