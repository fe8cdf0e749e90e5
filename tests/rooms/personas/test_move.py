"""Aliases of a persona, and its move."""

import pytest

from makers import facts, make_persona, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.personas import move, read

THERE = "https://peer.test/u/carol"


async def test_aliases_are_told_and_taken_back(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        assert [await move.add_alias(tx, alice.id, THERE, clock.now()) for _ in range(2)] == [True, False]
        known = await read.by_id(tx, alice.id)
        assert known is not None
        assert known.actor.also_known_as == (THERE,)
        assert [await move.remove_alias(tx, alice.id, THERE, clock.now()) for _ in range(2)] == [True, False]
        assert len(await facts(tx, "persona_edited")) == 2


async def test_an_alias_is_somebody_else_and_there_are_ten_at_most(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        with pytest.raises(InvalidInput):
            await move.add_alias(tx, alice.id, alice.actor.uri, clock.now())
        for number in range(move.MOST_ALIASES):
            await move.add_alias(tx, alice.id, f"{THERE}{number}", clock.now())
        with pytest.raises(InvalidInput):
            await move.add_alias(tx, alice.id, THERE, clock.now())
        with pytest.raises(NotFound):
            await move.add_alias(tx, 7, THERE, clock.now())


async def test_a_persona_moves_once_to_where_it_is_awaited(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        stranger = await make_remote(tx)
        with pytest.raises(NotAllowed):
            await move.move(tx, alice.id, stranger.id, clock.now())
        awaited = await make_remote(tx, "alice@peer.test", also_known_as=(alice.actor.uri,))
        assert [await move.move(tx, alice.id, awaited.id, clock.now()) for _ in range(2)] == [True, False]
        known = await read.by_id(tx, alice.id)
        assert known is not None
        assert known.actor.moved_to == awaited.uri
        assert await facts(tx, "persona_moved") == [{"persona_id": alice.id, "target_id": awaited.id}]
        with pytest.raises(InvalidInput):
            await move.move(tx, alice.id, alice.id, clock.now())
        with pytest.raises(NotFound):
            await move.move(tx, alice.id, 7, clock.now())
