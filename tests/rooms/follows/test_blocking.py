"""Blocking and being blocked: what it ends, what it keeps out, and what is told of it."""

from dataclasses import dataclass

import pytest

from fakes.at_once import at_once
from makers import facts, make_follow, make_persona, make_remote
from privapub.actors import blocks
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.follows import blocking, follow, read
from privapub.personas.read import Persona

NOW = 1_800_000_000.0
URI, AGAIN = "https://sut.test/activities/b1", "https://sut.test/activities/b2"
THEIRS = "https://peer.test/blocks/1"


@dataclass
class World:
    alice: Persona
    bob: Persona
    carol: Actor


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        return World(await make_persona(tx, "alice"), await make_persona(tx, "bob"), await make_remote(tx))


async def ties(tx: Transaction, one: int, other: int) -> list[object]:
    return [await read.between(tx, one, other), await read.between(tx, other, one)]


async def test_a_block_ends_both_follows_and_tells_the_other_side(database: Database, world: World) -> None:
    alice, carol = world.alice.id, world.carol.id
    async with database.write() as tx:
        await make_follow(tx, alice, carol)
        await make_follow(tx, carol, alice)
        assert await blocking.block(tx, alice, carol, URI, NOW)
        assert await ties(tx, alice, carol) == [None, None]
        assert [fact["accepted"] for fact in await facts(tx, "follow_answered")] == [True, False]
        assert len(await facts(tx, "follow_withdrawn")) == 1
        assert await facts(tx, "actor_blocked") == [{"blocker_id": alice, "blocked_id": carol, "uri": URI}]


async def test_a_second_block_changes_nothing_and_is_told_to_nobody(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await blocking.block(tx, world.alice.id, world.carol.id, URI, NOW)
        assert not await blocking.block(tx, world.alice.id, world.carol.id, AGAIN, NOW)
        assert len(await facts(tx, "actor_blocked")) == 1
        assert await blocking.unblock(tx, world.alice.id, world.carol.id, NOW)
        assert not await blocking.unblock(tx, world.alice.id, world.carol.id, NOW)
        (told,) = await facts(tx, "actor_unblocked")
        assert told["uri"] == URI


async def test_a_refused_follow_is_not_refused_again(database: Database, world: World) -> None:
    async with database.write() as tx:
        follow_id = await make_follow(tx, world.carol.id, world.alice.id)
        await follow.answer(tx, follow_id, accept=False, now=NOW)
        before = await facts(tx, "follow_answered")
        await blocking.block(tx, world.alice.id, world.carol.id, URI, NOW)
        assert await facts(tx, "follow_answered") == before


async def test_between_two_personas_a_block_is_nobody_else_s_business(database: Database, world: World) -> None:
    async with database.write() as tx:
        await make_follow(tx, world.bob.id, world.alice.id)
        before = await facts(tx)
        assert await blocking.block(tx, world.alice.id, world.bob.id, URI, NOW)
        assert await ties(tx, world.alice.id, world.bob.id) == [None, None]
        assert await blocking.unblock(tx, world.alice.id, world.bob.id, NOW)
        assert await facts(tx) == before
        assert await ties(tx, world.alice.id, world.bob.id) == [None, None]


@pytest.mark.parametrize("ours", [True, False])
async def test_while_a_block_stands_neither_follows_the_other(database: Database, world: World, ours: bool) -> None:
    alice, carol = world.alice.id, world.carol.id
    async with database.write() as tx:
        if ours:
            await blocking.block(tx, alice, carol, URI, NOW)
        else:
            await blocking.receive_block(tx, carol, alice, THEIRS, NOW)
        with pytest.raises(NotAllowed):
            await follow.ask(tx, alice, carol, AGAIN, NOW)
        with pytest.raises(NotAllowed):
            await follow.receive(tx, carol, alice, "https://peer.test/f/1", NOW)
        assert await ties(tx, alice, carol) == [None, None]
        await (blocking.unblock(tx, alice, carol, NOW) if ours else blocking.receive_unblock(tx, carol, alice, NOW))
        assert await follow.ask(tx, alice, carol, AGAIN, NOW) == "pending"


async def test_being_blocked_ends_both_follows_without_a_word(database: Database, world: World) -> None:
    alice, carol = world.alice.id, world.carol.id
    async with database.write() as tx:
        await make_follow(tx, alice, carol)
        await make_follow(tx, carol, alice)
        before = await facts(tx)
        assert await blocking.receive_block(tx, carol, alice, THEIRS, NOW)
        assert not await blocking.receive_block(tx, carol, alice, THEIRS + "0", NOW)
        assert await ties(tx, alice, carol) == [None, None]
        assert await facts(tx) == before
        assert await blocks.by_uri(tx, THEIRS, carol) is None
        last = await blocks.by_uri(tx, THEIRS + "0", carol)
        assert last is not None
        assert last.blocked_id == alice
        assert await blocks.by_uri(tx, THEIRS + "0", alice) is None
        assert await blocking.receive_unblock(tx, carol, alice, NOW)
        assert not await blocking.receive_unblock(tx, carol, alice, NOW)


async def test_a_block_counts_either_way_and_for_the_two_alone(database: Database, world: World) -> None:
    alice, bob, carol = world.alice.id, world.bob.id, world.carol.id
    async with database.write() as tx:
        await blocking.block(tx, alice, carol, URI, NOW)
        assert await blocks.either_way(tx, alice, [bob, carol]) == {carol}
        assert await blocks.either_way(tx, carol, [alice, bob]) == {alice}
        assert await blocks.either_way(tx, bob, [alice, carol]) == frozenset()
        assert await blocks.either_way(tx, alice, []) == frozenset()
        assert (await blocks.blocks(tx, alice, carol), await blocks.blocks(tx, carol, alice)) == (True, False)
        assert (await blocks.blocks_anybody(tx, alice), await blocks.blocks_anybody(tx, carol)) == (True, False)
        assert [actor.id for actor in (await blocks.of(tx, alice, Window())).items] == [carol]
        assert (await blocks.of(tx, bob, Window())).items == ()


async def test_nobody_blocks_themselves_or_nobody(database: Database, world: World) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await blocking.block(tx, world.alice.id, world.alice.id, URI, NOW)
        for verb in (blocking.block(tx, world.alice.id, 7, URI, NOW), blocking.unblock(tx, world.alice.id, 7, NOW)):
            with pytest.raises(NotFound):
                await verb


@pytest.mark.parametrize("theirs", [True, False])
@pytest.mark.parametrize("block_first", [True, False])
async def test_a_block_and_a_follow_at_once_leave_no_follow(
    database: Database, world: World, theirs: bool, block_first: bool
) -> None:
    alice, carol = world.alice.id, world.carol.id

    async def blocks_carol(tx: Transaction) -> None:
        await blocking.block(tx, alice, carol, URI, NOW)

    async def follows_alice(tx: Transaction) -> None:
        try:
            await follow.receive(tx, carol, alice, "https://peer.test/f/1", NOW)
        except NotAllowed:
            assert block_first

    async def is_blocked(tx: Transaction) -> None:
        await blocking.receive_block(tx, carol, alice, THEIRS, NOW)

    async def asks_carol(tx: Transaction) -> None:
        try:
            await follow.ask(tx, alice, carol, AGAIN, NOW)
        except NotAllowed:
            assert block_first

    first, second = (is_blocked, asks_carol) if theirs else (blocks_carol, follows_alice)
    await (at_once(database, first, second) if block_first else at_once(database, second, first))
    async with database.read() as tx:
        assert await ties(tx, alice, carol) == [None, None]
        assert await blocks.either_way(tx, alice, [carol]) == {carol}
