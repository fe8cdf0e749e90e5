"""A statement that is made once gives what SQLAlchemy gives, and on SQLite waits for the lock like any other."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, MetaData, Table, Text, bindparam, delete, select, update
from sqlalchemy.exc import DBAPIError

from privapub.database import prepared as module
from privapub.database.connect import Database
from privapub.database.prepared import prepared

thing = Table(
    "thing",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("name", Text, unique=True),
    Column("good", Boolean),
    Column("weight", Float),
    Column("tags", JSON),
)
_BY_ID = select(thing).where(thing.c.id == bindparam("id"))
_BY_IDS = select(thing.c.name).where(thing.c.id.in_(bindparam("ids", expanding=True))).order_by(thing.c.id).limit(2)
_RENAME = update(thing).where(thing.c.id > bindparam("above")).values(name=thing.c.name + bindparam("more"))
_REMOVE = delete(thing).where(thing.c.name == bindparam("name"), thing.c.good.is_(True))


@pytest.fixture
async def things(database: Database) -> AsyncIterator[Database]:
    async with database.write() as tx:
        await tx.connection.run_sync(thing.metadata.create_all)
        insert = tx.insert(thing)
        for number in range(4):
            values = {"name": f"thing {number}", "good": number % 2 == 0, "weight": 0.5, "tags": ["a", {"b": number}]}
            assert await tx.change(insert, id=number, **values) == 1
    yield database
    async with database.write() as tx:
        await tx.connection.run_sync(thing.metadata.drop_all)


async def test_rows_are_those_of_sqlalchemy(things: Database) -> None:
    async with things.read() as tx:
        row = await tx.first(_BY_ID, id=2)
        assert row is not None
        assert row == (await tx.execute(select(thing).where(thing.c.id == 2))).first()
        assert row.good is True
        assert row.tags == ["a", {"b": 2}]
        assert row._asdict()["weight"] == 0.5
        assert await tx.first(_BY_ID, id=9) is None
        assert await tx.scalar(_BY_ID, id=9) is None
        assert await tx.scalar(_BY_IDS, ids=[3]) == "thing 3"


async def test_what_is_made_of_a_row_is_made_once_while_the_row_stays_as_it_is(things: Database) -> None:
    made = []

    def make(row: Any) -> tuple[str, Any]:
        made.append(row.id)
        return row.name, row.tags

    async with things.write() as tx:
        first = await tx.first_as(_BY_ID, make, id=1)
        assert first == ("thing 1", ["a", {"b": 1}])
        assert await tx.first_as(_BY_ID, make, id=2) != first
        assert await tx.first_as(_BY_ID, make, id=1) is first
        assert await tx.first_as(_BY_ID, make, id=9) is None
        await tx.change(_RENAME, above=0, more="!")
        assert await tx.first_as(_BY_ID, make, id=1) == ("thing 1!", ["a", {"b": 1}])
    assert made == [1, 2, 1]


async def test_a_list_of_values_may_be_long_short_or_empty(things: Database) -> None:
    async with things.read() as tx:
        assert [row.name for row in await tx.all(_BY_IDS, ids=[3, 0, 1])] == ["thing 0", "thing 1"]
        assert [row.name for row in await tx.all(_BY_IDS, ids=[2])] == ["thing 2"]
        assert list(await tx.all(_BY_IDS, ids=[])) == []


async def test_a_change_says_how_many_rows(things: Database) -> None:
    async with things.write() as tx:
        assert await tx.change(_RENAME, above=0, more="!") == 3
        assert await tx.change(_REMOVE, name="thing 1!") == 0
        assert await tx.change(_REMOVE, name="thing 2!") == 1


async def test_a_value_that_is_missing_is_named(things: Database) -> None:
    async with things.write() as tx:
        with pytest.raises(KeyError, match="above"):
            await tx.change(_RENAME, more="!")


async def test_what_the_database_refuses_is_undone_with_the_rest(things: Database) -> None:
    async def twice() -> None:
        async with things.write() as tx:
            insert = tx.insert(thing)
            await tx.change(insert, id=7, name="seven")
            await tx.change(insert, id=8, name="seven")

    with pytest.raises(DBAPIError):
        await twice()
    async with things.read() as tx:
        assert await tx.first(_BY_ID, id=7) is None


async def test_a_column_with_a_default_in_python_is_refused() -> None:
    table = Table("with_default", MetaData(), Column("id", Integer, primary_key=True), Column("n", Integer, default=7))
    with pytest.raises(TypeError, match="default"):
        prepared(table.insert(), Database("sqlite:///unused")._writer.dialect, {"id": 1})


async def test_a_value_that_is_written_into_the_text_is_refused() -> None:
    number = bindparam("n", 7, literal_execute=True)
    with pytest.raises(TypeError, match="written into its text"):
        prepared(select(number), Database("sqlite:///unused")._writer.dialect, {})


async def test_a_lock_of_another_process_is_waited_for_while_others_go_on(things: Database) -> None:
    if not things.is_sqlite:
        pytest.skip("PostgreSQL has no one lock")
    other = sqlite3.connect(str(things.path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def rename() -> int:
        async with things.write() as tx:
            return await tx.change(_RENAME, above=2, more="!")

    waiting = asyncio.create_task(rename())
    async with things.read() as tx:  # the loop is free meanwhile
        assert await tx.scalar(_BY_IDS, ids=[3]) == "thing 3"
    assert not waiting.done()
    other.execute("COMMIT")
    other.close()
    async with asyncio.timeout(30):
        assert await waiting == 1


async def test_statements_that_are_made_for_each_call_fill_no_memory(things: Database, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "MOST", 5)
    async with things.read() as tx:
        for _ in range(20):
            assert await tx.scalar(select(thing.c.name).where(thing.c.id == bindparam("id")), id=3) == "thing 3"
    assert len(module._known) <= 5
