"""What is accepted at the same time is kept together, and each of it as if it were alone."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, text

from makers import make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.federation.asker import Signed
from privapub.federation.inbox import keep as room
from privapub.federation.inbox.keep import keep
from privapub.federation.inbox.store import Accepted
from privapub.federation.inbox.tables import incoming

NOW = 1_772_366_400.0
NO_NUMBER = 1 << 70  # more than a column holds


@pytest.fixture
async def signed(database: Database) -> Signed:
    async with database.write() as tx:
        carol = await make_remote(tx, "carol@peer.test")
    return Signed(carol, "https://peer.test/u/carol#main-key")


def accepted(actor: Actor, number: int, kind: str = "Create", **more: Any) -> Accepted:
    uri = f"https://peer.test/a/{number}"
    values = {"owner": "", "digest": f"d{number}", "actor_id": actor.id, "actor_uri": actor.uri} | more
    return Accepted(activity_id=uri, kind=kind, document={"type": kind, "id": uri}, now=NOW, whole=True, **values)


async def kept(database: Database) -> tuple[list[str], int]:
    """The ids of what is kept, and how many jobs wait for it."""
    async with database.read() as tx:
        rows = await tx.all(select(incoming.c.activity_id).order_by(incoming.c.activity_id))
        jobs = await tx.scalar(text("SELECT count(*) FROM job WHERE kind = 'inbox'"))
    return [row.activity_id for row in rows], jobs


async def test_what_comes_at_once_is_kept_once_each(database: Database, signed: Signed) -> None:
    numbers = [*range(1, 6), 3, 3, 5]
    said = await asyncio.gather(*(keep(database, accepted(signed.actor, number), signed) for number in numbers))
    assert sorted(said) == ["copy"] * 3 + ["queued"] * 5
    assert await kept(database) == ([f"https://peer.test/a/{number}" for number in range(1, 6)], 5)
    assert await keep(database, accepted(signed.actor, 5), signed) == "copy"


async def test_it_takes_one_transaction(database: Database, signed: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    whole = room.store_events

    async def counted(tx: Any, several: Any) -> Any:
        sizes.append(len(several))
        return await whole(tx, several)

    monkeypatch.setattr(room, "store_events", counted)
    await asyncio.gather(*(keep(database, accepted(signed.actor, number), signed) for number in range(40)))
    assert sizes == [32, 8]


async def test_one_that_cannot_be_kept_is_the_only_one(database: Database, signed: Signed) -> None:
    bad = accepted(signed.actor, 2, actor_id=NO_NUMBER)
    good = [accepted(signed.actor, number) for number in (1, 3)]
    said = await asyncio.gather(
        *(keep(database, new, signed) for new in (good[0], bad, good[1])), return_exceptions=True
    )
    assert [said[0], said[2]] == ["queued", "queued"]
    assert isinstance(said[1], Exception)
    assert await kept(database) == (["https://peer.test/a/1", "https://peer.test/a/3"], 2)


async def test_whoever_hangs_up_takes_nothing_from_the_others(database: Database, signed: Signed) -> None:
    first, second = (asyncio.create_task(keep(database, accepted(signed.actor, n), signed)) for n in (1, 2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "queued"
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await kept(database) == (["https://peer.test/a/1", "https://peer.test/a/2"], 2)


@pytest.mark.parametrize("kind", ["Follow", "Undo"])
async def test_what_tells_of_a_relationship_keeps_its_order(database: Database, signed: Signed, kind: str) -> None:
    numbers = range(9, 0, -1)
    await asyncio.gather(*(keep(database, accepted(signed.actor, number, kind), signed) for number in numbers))
    async with database.read() as tx:
        rows = await tx.all(text("SELECT ordering_key FROM job WHERE kind = 'inbox'"))
    assert [row.ordering_key for row in rows] == [f"inbox {signed.actor.uri}"] * len(numbers)
