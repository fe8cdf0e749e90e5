"""When the database cannot take anything, the door says so, and what it has taken stays."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import func, select

from fakes import postgresql
from fakes.activities import create, note
from fakes.world import Answered, Person, World
from privapub.database import sqlite
from privapub.database.connect import Database
from privapub.federation.inbox.tables import incoming

BODY = "x" * 20_000
ROOM = 40  # pages


@pytest.fixture
async def database(sqlite_url: str) -> AsyncIterator[Database]:
    """SQLite: what a disk refuses, it refuses here."""
    opened = Database(sqlite_url)
    yield opened
    await opened.close()


async def pragma(database: Database, text: str) -> int:
    """Set or ask something of the one connection that writes."""
    async with database.turns.alone() as driver:
        rows = await driver.execute_fetchall(f"PRAGMA {text}")
    return int(next(iter(rows), [0])[0])


async def carol_of(world: World) -> Person:
    """Somebody whose key is known already."""
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    return carol


async def write(world: World, carol: Person, number: int) -> Answered:
    """Post number so and so arrives."""
    post = note(carol, f"https://peer.test/n/{number}", content=f"<p>{BODY}</p>")
    return await world.post("https://sut.test/inbox", create(carol, post, f"https://peer.test/a/{number}"), by=carol)


async def kept(world: World) -> int:
    async with world.database.read() as tx:
        return int(await tx.scalar(select(func.count()).select_from(incoming)))


async def test_a_full_disk_is_answered_503_and_loses_nothing_that_was_taken(world: World) -> None:
    carol = await carol_of(world)
    pages = await pragma(world.database, "page_count")
    await pragma(world.database, f"max_page_count = {pages + ROOM}")
    answers = [await write(world, carol, number) for number in range(ROOM)]
    taken = [number for number, answer in enumerate(answers) if answer.status == 202]
    refused = [number for number, answer in enumerate(answers) if answer.status == 503]
    assert taken
    assert refused
    assert len(taken) + len(refused) == ROOM
    assert {answers[number].headers.get("retry-after") for number in refused} == {"300"}
    assert await kept(world) == len(taken), "what was refused left nothing behind"

    await pragma(world.database, "max_page_count = 1000000")
    again = [await write(world, carol, number) for number in refused]
    assert {answer.status for answer in again} == {202}
    assert await kept(world) == ROOM


@contextlib.asynccontextmanager
async def locked(world: World) -> AsyncIterator[None]:
    """Another program holds the one lock."""
    other = sqlite3.connect(str(world.database.path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr(sqlite, "BUSY", 0.02)
        yield
    other.execute("ROLLBACK")
    other.close()


@contextlib.asynccontextmanager
async def read_only(world: World) -> AsyncIterator[None]:
    """The file cannot be written."""
    await pragma(world.database, "query_only = ON")
    yield
    await pragma(world.database, "query_only = OFF")


@pytest.mark.parametrize("trouble", [locked, read_only])
async def test_a_database_that_cannot_be_written_is_answered_503(
    world: World, trouble: "type[contextlib.AbstractAsyncContextManager[None]]"
) -> None:
    carol = await carol_of(world)
    async with trouble(world):
        answer = await write(world, carol, 1)
    assert (answer.status, answer.headers.get("retry-after")) == (503, "300")
    assert await kept(world) == 0
    assert (await write(world, carol, 1)).status == 202


class TestPostgreSQL:
    """The same where the database is a server that is away."""

    @pytest.fixture
    async def database(self, postgresql_url: str) -> AsyncIterator[Database]:
        async with postgresql.durable(postgresql_url):
            opened = Database(postgresql_url)
            yield opened
            await opened.close()

    async def test_a_database_that_is_away_is_answered_503_until_it_is_back(
        self, world: World, postgresql_url: str
    ) -> None:
        carol = await carol_of(world)
        assert (await write(world, carol, 1)).status == 202
        await postgresql.stop(postgresql_url)
        try:
            # The first finds its connections cut off, the next ones find nobody at all.
            away = [await write(world, carol, number) for number in (2, 3, 4)]
        finally:
            await postgresql.start(postgresql_url)
        assert {(answer.status, answer.headers.get("retry-after")) for answer in away} == {(503, "300")}
        for number in (2, 3, 4):
            assert (await write(world, carol, number)).status == 202
        await world.drain()
        assert await kept(world) == 4
        async with world.database.read() as tx:
            waits = select(func.count()).where(incoming.c.handled_at.is_(None))
            assert await tx.scalar(waits.select_from(incoming)) == 0
