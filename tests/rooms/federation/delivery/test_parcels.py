"""What tries need is read together, each as it is now."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import delete, insert, update

from makers import make_persona
from privapub import clock
from privapub.actors.tables import actor_key
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.delivery.parcels import AT_A_TIME, Parcels
from privapub.federation.delivery.tables import rendering
from privapub.federation.fetching import scheme


class Counted(Parcels):
    """Parcels that say how often they looked."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.looks = 0
        look = database.look

        @asynccontextmanager
        async def counted() -> AsyncIterator[Transaction]:
            self.looks += 1
            async with look() as tx:
                yield tx

        database.look = counted  # type: ignore[method-assign]  # it is counted, and as it was besides


@pytest.fixture
async def parcels(database: Database) -> Counted:
    async with database.write() as tx:
        for handle in ("alice", "bob"):
            persona = await make_persona(tx, handle)
            values = {"actor_id": persona.id, "body": handle.encode(), "digest": "", "created_at": clock.now()}
            await tx.execute(insert(rendering).values(id=handle, **values))
    return Counted(database)


async def test_those_that_ask_together_share_one_look(parcels: Counted) -> None:
    inboxes = [f"https://h{n}.test/inbox" for n in range(20)]
    found = await asyncio.gather(*(parcels.of(name, inbox) for inbox in inboxes for name in ("alice", "bob")))
    assert parcels.looks == 1
    assert [(one.inbox, one.body) for one in found if one] == [
        (inbox, name) for inbox in inboxes for name in (b"alice", b"bob")
    ]


async def test_more_than_go_into_one_statement_are_read_in_several(parcels: Counted) -> None:
    found = await asyncio.gather(*(parcels.of("alice", f"https://h{n}.test/inbox") for n in range(AT_A_TIME + 1)))
    assert parcels.looks == 2
    assert None not in found


async def test_a_rendering_that_is_no_more_is_none_and_the_others_are_there(
    parcels: Counted, database: Database
) -> None:
    assert await parcels.of("alice", "https://h.test/inbox") is not None
    async with database.write() as tx:
        await tx.execute(delete(rendering).where(rendering.c.id == "alice"))
    gone, there = await asyncio.gather(*(parcels.of(name, "https://h.test/inbox") for name in ("alice", "bob")))
    assert gone is None
    assert there is not None


async def test_who_lost_the_key_fails_alone(parcels: Counted, database: Database) -> None:
    async with database.write() as tx:
        row = await tx.first(rendering.select().where(rendering.c.id == "alice"))
        assert row is not None
        await tx.execute(update(actor_key).where(actor_key.c.actor_id == row.actor_id).values(private=None))
    asked = (parcels.of(name, "https://h.test/inbox") for name in ("alice", "bob"))
    without, there = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(without, NotFound)
    assert not isinstance(there, BaseException)


async def test_an_inbox_that_is_no_address_harms_no_other(parcels: Counted) -> None:
    asked = (parcels.of("alice", inbox) for inbox in ("http://[", "https://h.test/inbox"))
    _, there = await asyncio.gather(*asked, return_exceptions=True)
    assert there is not None
    assert not isinstance(there, BaseException)


async def test_each_host_gets_the_scheme_that_worked_there_last(parcels: Counted, database: Database) -> None:
    inboxes = [f"https://{name}.test/inbox" for name in ("new", "standard", "draft", "old")]
    async with database.write() as tx:
        await scheme.remember(tx, "standard.test", "rfc9421", clock.now())
        await scheme.remember(tx, "draft.test", "cavage", clock.now())
        await scheme.remember(tx, "old.test", "rfc9421", clock.now() - scheme.REMEMBERED)
    found = await asyncio.gather(*(parcels.of("alice", inbox) for inbox in inboxes))
    assert [one.scheme for one in found if one] == ["cavage", "rfc9421", "cavage", "cavage"]


async def test_a_database_that_fails_is_said_to_all_who_asked_and_to_nobody_after(
    parcels: Counted, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(database, "look", lambda: asyncio.timeout("never"))
        asked = (parcels.of(name, "https://h.test/inbox") for name in ("alice", "bob"))
        found = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(one, BaseException) for one in found] == [True, True]
    assert await parcels.of("alice", "https://h.test/inbox") is not None


async def test_one_that_asks_no_more_holds_up_nobody(parcels: Counted) -> None:
    left = asyncio.create_task(parcels.of("alice", "https://h.test/inbox"))
    stays = asyncio.create_task(parcels.of("bob", "https://h.test/inbox"))
    await asyncio.sleep(0)
    left.cancel()
    assert await stays is not None
    assert left.cancelled()
