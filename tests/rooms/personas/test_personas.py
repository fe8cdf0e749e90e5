"""Making, finding and changing personas."""

import anyio
import pytest
from sqlalchemy import select

from makers import ADDRESSES, DOMAIN, facts, make_persona, make_remote, private_keys
from privapub.actors import read as actors
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.errors import Conflict, InvalidInput, NotFound
from privapub.personas import handles, read
from privapub.personas.create import create
from privapub.personas.edit import edit

NOW = 1_800_000_000.0


@pytest.mark.parametrize("handle", ["a", "Alice", "a_b", "_", "0", "x" * 30])
def test_a_handle_is_unique_in_lower_case(handle: str) -> None:
    assert handles.check(handle) == handle.lower()


@pytest.mark.parametrize(
    "handle",
    [
        "",
        "x" * 31,
        "a b",
        "a-b",
        "a.b",
        "ä",
        "alice\n",
        "@alice",
        "alice@sut.test",
        "admin",
        "ROOT",
        "Postmaster",
        "\0",
    ],
)
def test_other_handles_are_refused(handle: str) -> None:
    with pytest.raises(InvalidInput):
        handles.check(handle)


async def test_a_persona_is_an_actor_with_an_address_and_keys(database: Database) -> None:
    async with database.write() as tx:
        persona_id = await create(
            tx, "Alice", private_keys(), addresses=ADDRESSES, domain=DOMAIN, locked=True, name="Al", now=NOW
        )
        alice = await read.by_handle(tx, "aLICE")
        assert alice is not None
        assert alice.id == alice.actor.id == persona_id
        assert (alice.handle, alice.actor.name, alice.actor.locked) == ("Alice", "Al", True)
        assert (alice.actor.address, alice.actor.kind, alice.actor.local) == ("Alice@sut.test", "Person", True)
        assert alice.actor.url == "https://sut.test/@Alice"
        assert alice.actor.shared_inbox == "https://sut.test/inbox"
        for name in ("inbox", "outbox", "followers", "following"):
            assert getattr(alice.actor, name) == f"{alice.actor.uri}/{name}"
        assert not alice.shows_follows
        assert await read.by_id(tx, persona_id) == alice
        assert await read.by_uri(tx, alice.actor.uri) == alice
        assert [key.id for key in await actors.keys_of(tx, persona_id)] == [
            f"{alice.actor.uri}#main-key",
            f"{alice.actor.uri}#ed25519-key",
        ]
        assert await facts(tx) == []


async def test_nothing_in_an_id_tells_the_handle_or_another_persona(database: Database) -> None:
    async with database.write() as tx:
        alice, night = await make_persona(tx, "alice"), await make_persona(tx, "night")
    for persona in (alice, night):
        token = persona.actor.uri.removeprefix("https://sut.test/actors/")
        assert persona.handle not in persona.actor.uri
        assert str(persona.id) not in persona.actor.uri
        assert len(token) >= 22
    assert len({persona.actor.uri for persona in (alice, night)}) == 2


async def test_a_handle_is_given_once_in_any_case_also_to_two_at_once(database: Database) -> None:
    outcomes: list[str] = []

    async def make(handle: str) -> None:
        try:
            async with database.write() as tx:
                await make_persona(tx, handle)
        except Conflict:
            outcomes.append("taken")
        else:
            outcomes.append("made")

    async with anyio.create_task_group() as group:
        for handle in ("alice", "Alice", "ALICE"):
            group.start_soon(make, handle)
    assert sorted(outcomes) == ["made", "taken", "taken"]
    async with database.read() as tx:
        assert await read.count(tx) == 1
        alice = await read.by_handle(tx, "alice")
        assert alice is not None
        # Nothing is left of those who came too late.
        assert [tuple(row) for row in await tx.all(select(actor.c.id, actor.c.handle))] == [(alice.id, alice.handle)]


async def test_a_remote_actor_is_no_persona(database: Database) -> None:
    async with database.write() as tx:
        carol = await make_remote(tx)
        assert await read.by_id(tx, carol.id) is None
        assert await read.by_uri(tx, carol.uri) is None
        assert await read.by_handle(tx, "carol") is None
        with pytest.raises(NotFound):
            await edit(tx, carol.id, name="x", now=NOW)


async def test_all_are_found_in_the_order_of_their_handles(database: Database) -> None:
    async with database.write() as tx:
        for handle in ("night", "alice", "Bob"):
            await make_persona(tx, handle)
        assert [one.handle for one in await read.every(tx)] == ["alice", "Bob", "night"]
        assert await read.count(tx) == 3


async def test_an_edit_changes_what_is_given_and_tells_it_once(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        changes = {"name": "Al", "bio": "hi", "summary": "<p>hi</p>", "discoverable": True, "shows_follows": True}
        assert await edit(tx, alice.id, **changes, now=NOW)  # type: ignore[arg-type]  # each of its own type
        assert not await edit(tx, alice.id, **changes, now=NOW + 1)  # type: ignore[arg-type]  # the same
        assert await facts(tx) == [{"persona_id": alice.id}]
        edited = await read.by_id(tx, alice.id)
        assert edited is not None
        assert (edited.actor.name, edited.bio, edited.actor.summary) == ("Al", "hi", "<p>hi</p>")
        assert (edited.actor.discoverable, edited.shows_follows, edited.actor.indexable) == (True, True, False)
        assert edited.actor.updated_at == NOW


async def test_each_edit_is_later_than_the_last_whatever_the_clock_says(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        await edit(tx, alice.id, name="one", now=NOW)
        await edit(tx, alice.id, name="two", now=NOW - 60)
        edited = await read.by_id(tx, alice.id)
        assert edited is not None
        assert edited.actor.updated_at is not None
        assert edited.actor.updated_at > NOW


async def test_what_is_too_long_or_half_is_refused(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        with pytest.raises(InvalidInput):
            await edit(tx, alice.id, name="x" * 101, now=NOW)
        with pytest.raises(InvalidInput):
            await edit(tx, alice.id, bio="x" * 5001, summary="x", now=NOW)
        with pytest.raises(ValueError, match="together"):
            await edit(tx, alice.id, bio="x", now=NOW)
        assert await facts(tx) == []
