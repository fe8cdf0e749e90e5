"""Following and being followed: every message may come twice and in any order."""

from dataclasses import dataclass

import anyio
import pytest

from makers import facts, make_persona, make_remote
from privapub.actors.read import Actor
from privapub.actors.remote import mark_gone
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.follows import follow, read
from privapub.personas.edit import edit
from privapub.personas.read import Persona

NOW = 1_800_000_000.0
FIRST, SECOND = "https://peer.test/follow/1", "https://peer.test/follow/2"
OURS, AGAIN = "https://sut.test/activities/one", "https://sut.test/activities/two"


@dataclass
class World:
    alice: Persona
    shy: Persona  # locked
    carol: Actor
    dave: Actor


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        return World(
            await make_persona(tx, "alice"),
            await make_persona(tx, "shy", locked=True),
            await make_remote(tx, "carol@peer.test"),
            await make_remote(tx, "dave@peer.test"),
        )


async def state(tx: Transaction, follower_id: int, followed_id: int) -> str | None:
    standing = await read.between(tx, follower_id, followed_id)
    return None if standing is None else standing.state


async def test_asking_somebody_elsewhere_waits_and_is_told_once(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW) == "pending"
        assert await follow.ask(tx, world.alice.id, world.carol.id, AGAIN, NOW) == "pending"
        standing = await read.between(tx, world.alice.id, world.carol.id)
        assert standing is not None
        assert standing.uri == OURS
        assert await facts(tx) == [{"follow_id": standing.id}]
        assert await read.followed_among(tx, world.alice.id, [world.carol.id]) == frozenset()


async def test_an_accept_of_what_was_asked_makes_a_follower(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        assert await follow.accepted(tx, world.alice.id, world.carol.id, NOW + 1)
        assert not await follow.accepted(tx, world.alice.id, world.carol.id, NOW + 2)
        standing = await read.between(tx, world.alice.id, world.carol.id)
        assert standing is not None
        assert (standing.state, standing.answered_at) == ("accepted", NOW + 1)
        assert await follow.ask(tx, world.alice.id, world.carol.id, AGAIN, NOW) == "accepted"
        assert len(await facts(tx, "follow_asked")) == 1


async def test_an_accept_or_reject_of_nothing_is_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert not await follow.accepted(tx, world.alice.id, world.carol.id, NOW)
        assert not await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        assert not await follow.accepted(tx, world.alice.id, world.dave.id, NOW)
        assert not await follow.accepted(tx, world.shy.id, world.carol.id, NOW)
        assert await state(tx, world.alice.id, world.carol.id) == "pending"


async def test_two_follows_to_one_host_each_find_their_own_answer(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        await follow.ask(tx, world.alice.id, world.dave.id, AGAIN, NOW)
        assert await follow.accepted(tx, world.alice.id, world.dave.id, NOW)
        assert await follow.accepted(tx, world.alice.id, world.carol.id, NOW)
        assert (await read.counts(tx, world.alice.id)).following == 2


async def test_a_reject_ends_a_follow_also_after_the_accept(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        await follow.accepted(tx, world.alice.id, world.carol.id, NOW)
        assert await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        assert await read.followed_among(tx, world.alice.id, [world.carol.id]) == frozenset()
        assert not await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        # Nobody asks any more, so a late Accept is an Accept of nothing.
        assert not await follow.accepted(tx, world.alice.id, world.carol.id, NOW)


async def test_after_a_reject_one_may_ask_again_with_a_new_id(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        assert await follow.ask(tx, world.alice.id, world.carol.id, AGAIN, NOW) == "pending"
        standing = await read.between(tx, world.alice.id, world.carol.id)
        assert standing is not None
        assert (standing.uri, standing.answered_at) == (AGAIN, None)
        assert len(await facts(tx, "follow_asked")) == 2


async def test_nobody_follows_themselves_or_who_is_not_there(database: Database, world: World) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await follow.ask(tx, world.alice.id, world.alice.id, OURS, NOW)
        with pytest.raises(NotFound):
            await follow.ask(tx, world.alice.id, 1, OURS, NOW)
        await mark_gone(tx, world.carol.id, NOW)
        with pytest.raises(NotFound):
            await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)


async def test_an_open_persona_accepts_at_once_and_tells_so(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await follow.receive(tx, world.carol.id, world.alice.id, FIRST, NOW) == "accepted"
        assert await facts(tx, "follow_answered") == [
            {"follower_id": world.carol.id, "followed_id": world.alice.id, "uri": FIRST, "accepted": True}
        ]


async def test_a_follow_in_force_is_answered_again_by_the_same_or_another_id(database: Database, world: World) -> None:
    async with database.write() as tx:
        for uri in (FIRST, FIRST, SECOND):
            assert await follow.receive(tx, world.carol.id, world.alice.id, uri, NOW) == "accepted"
        answered = [fact["uri"] for fact in await facts(tx, "follow_answered")]
        assert sorted(answered) == [FIRST, FIRST, SECOND]
        assert (await read.counts(tx, world.alice.id)).followers == 1
        standing = await read.between(tx, world.carol.id, world.alice.id)
        assert standing is not None
        assert standing.uri == SECOND


async def test_an_id_is_free_again_after_the_undo(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.receive(tx, world.carol.id, world.alice.id, FIRST, NOW)
        assert await follow.undo(tx, world.carol.id, world.alice.id, NOW)
        assert not await follow.undo(tx, world.carol.id, world.alice.id, NOW)
        assert (await read.counts(tx, world.alice.id)).followers == 0
        assert await follow.receive(tx, world.carol.id, world.alice.id, FIRST, NOW) == "accepted"
        assert len(await facts(tx, "follow_answered")) == 2


async def test_a_locked_persona_decides_by_itself(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await follow.receive(tx, world.carol.id, world.shy.id, FIRST, NOW) == "pending"
        assert await follow.receive(tx, world.carol.id, world.shy.id, SECOND, NOW) == "pending"
        assert await facts(tx, "follow_answered") == []
        asked = await read.between(tx, world.carol.id, world.shy.id)
        assert asked is not None
        assert await follow.answer(tx, asked.id, accept=True, now=NOW)
        assert not await follow.answer(tx, asked.id, accept=True, now=NOW)
        assert await facts(tx, "follow_answered") == [
            {"follower_id": world.carol.id, "followed_id": world.shy.id, "uri": SECOND, "accepted": True}
        ]
        # Who is in already is answered again, locked or not.
        assert await follow.receive(tx, world.carol.id, world.shy.id, FIRST, NOW) == "accepted"


async def test_a_refused_follower_may_ask_again_and_waits_again(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.receive(tx, world.carol.id, world.shy.id, FIRST, NOW)
        asked = await read.between(tx, world.carol.id, world.shy.id)
        assert asked is not None
        assert await follow.answer(tx, asked.id, accept=False, now=NOW)
        assert not await follow.answer(tx, asked.id, accept=False, now=NOW)
        assert not await follow.answer(tx, asked.id, accept=True, now=NOW)
        assert await state(tx, world.carol.id, world.shy.id) == "rejected"
        assert [fact["accepted"] for fact in await facts(tx, "follow_answered")] == [False]
        assert await follow.receive(tx, world.carol.id, world.shy.id, SECOND, NOW) == "pending"


async def test_removing_a_follower_rejects_what_was_accepted(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await read.between(tx, world.carol.id, world.alice.id) is None
        await follow.receive(tx, world.carol.id, world.alice.id, FIRST, NOW)
        standing = await read.between(tx, world.carol.id, world.alice.id)
        assert standing is not None
        assert await follow.answer(tx, standing.id, accept=False, now=NOW)
        assert not await follow.answer(tx, standing.id, accept=False, now=NOW)
        assert [fact["accepted"] for fact in await facts(tx, "follow_answered")] == [True, False]
        assert await read.follower_ids(tx, world.alice.id, local=False) == []


async def test_only_a_follow_of_ours_can_be_answered(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        asked = await read.between(tx, world.alice.id, world.carol.id)
        assert asked is not None
        with pytest.raises(NotFound):
            await follow.answer(tx, asked.id, accept=True, now=NOW)
        with pytest.raises(NotFound):
            await follow.answer(tx, 1, accept=True, now=NOW)
        with pytest.raises(NotFound):
            await follow.receive(tx, world.dave.id, world.carol.id, FIRST, NOW)


async def test_opening_a_locked_persona_lets_the_next_question_in(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.receive(tx, world.carol.id, world.shy.id, FIRST, NOW)
        await edit(tx, world.shy.id, locked=False, now=NOW)
        assert await state(tx, world.carol.id, world.shy.id) == "pending"
        assert await follow.receive(tx, world.carol.id, world.shy.id, FIRST, NOW) == "accepted"


async def test_withdrawing_tells_the_other_side_the_id_that_was_in_force(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert not await follow.withdraw(tx, world.alice.id, world.carol.id, NOW)
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        assert await follow.withdraw(tx, world.alice.id, world.carol.id, NOW)
        assert await facts(tx, "follow_withdrawn") == [
            {"follower_id": world.alice.id, "followed_id": world.carol.id, "uri": OURS}
        ]
        assert await state(tx, world.alice.id, world.carol.id) is None
        assert not await follow.accepted(tx, world.alice.id, world.carol.id, NOW)


async def test_after_a_reject_there_is_nothing_to_take_back_aloud(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.ask(tx, world.alice.id, world.carol.id, OURS, NOW)
        await follow.rejected(tx, world.alice.id, world.carol.id, NOW)
        assert await follow.withdraw(tx, world.alice.id, world.carol.id, NOW)
        assert await facts(tx, "follow_withdrawn") == []


async def test_between_two_personas_all_is_settled_here_and_nothing_is_sent(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert await follow.ask(tx, world.shy.id, world.alice.id, OURS, NOW) == "accepted"
        assert await follow.ask(tx, world.alice.id, world.shy.id, AGAIN, NOW) == "pending"
        asked = await read.between(tx, world.alice.id, world.shy.id)
        assert asked is not None
        assert await follow.answer(tx, asked.id, accept=True, now=NOW)
        assert await read.follower_ids(tx, world.shy.id) == [world.alice.id]
        assert await follow.answer(tx, asked.id, accept=False, now=NOW)
        assert await follow.withdraw(tx, world.shy.id, world.alice.id, NOW)
        assert await facts(tx) == await facts(tx, "followed")


async def test_who_is_gone_follows_nobody_and_is_followed_by_nobody(database: Database, world: World) -> None:
    async with database.write() as tx:
        await follow.receive(tx, world.carol.id, world.alice.id, FIRST, NOW)
        await follow.ask(tx, world.shy.id, world.carol.id, OURS, NOW)
        await follow.receive(tx, world.dave.id, world.alice.id, SECOND, NOW)
        assert await follow.end_all(tx, world.carol.id, NOW) == 2
        assert await follow.end_all(tx, world.carol.id, NOW) == 0
        assert await read.follower_ids(tx, world.alice.id, local=False) == [world.dave.id]


async def test_many_copies_at_once_make_one_follow(database: Database, world: World) -> None:
    async def receive(number: int) -> None:
        async with database.write() as tx:
            await follow.receive(tx, world.carol.id, world.alice.id, f"https://peer.test/follow/{number}", NOW)

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(receive, number)
    async with database.read() as tx:
        assert (await read.counts(tx, world.alice.id)).followers == 1
        assert len(await facts(tx, "follow_answered")) == 10
