"""Mutes: how long, of what, and of whom."""

import pytest

from makers import facts, make_persona, make_remote
from privapub.actors import mutes
from privapub.actors.mutes import Mute
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.errors import InvalidInput, NotFound

NOW = 1_800_000_000.0


async def test_a_mute_is_made_changed_and_taken_back_and_told_to_nobody(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        await mutes.add(tx, alice.id, carol.id, now=NOW)
        assert await mutes.between(tx, alice.id, carol.id, NOW) == Mute(notifications=True, ends_at=None)
        await mutes.add(tx, alice.id, carol.id, notifications=False, ends_at=NOW + 60, now=NOW)
        assert await mutes.between(tx, alice.id, carol.id, NOW) == Mute(notifications=False, ends_at=NOW + 60)
        assert await mutes.between(tx, carol.id, alice.id, NOW) is None
        assert await mutes.between(tx, bob.id, carol.id, NOW) is None
        assert [actor.id for actor, _ in (await mutes.of(tx, alice.id, Window(), NOW)).items] == [carol.id]
        assert await mutes.remove(tx, alice.id, carol.id, NOW)
        assert not await mutes.remove(tx, alice.id, carol.id, NOW)
        assert await facts(tx) == []


async def test_a_mute_ends_by_itself_and_its_row_goes(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await mutes.add(tx, alice.id, carol.id, ends_at=NOW + 60, now=NOW)
        assert await mutes.prune(tx, NOW + 59) == 0
        assert await mutes.between(tx, alice.id, carol.id, NOW + 60) is None
        assert (await mutes.of(tx, alice.id, Window(), NOW + 60)).items == ()
        assert await mutes.prune(tx, NOW + 60) == 1


async def test_what_cannot_be_muted_is_refused(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        with pytest.raises(InvalidInput):
            await mutes.add(tx, alice.id, alice.id, now=NOW)
        with pytest.raises(InvalidInput):
            await mutes.add(tx, alice.id, carol.id, ends_at=NOW, now=NOW)
        with pytest.raises(NotFound):
            await mutes.add(tx, alice.id, 7, now=NOW)
