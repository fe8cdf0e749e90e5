"""A statement of SQLAlchemy's visits the thread of SQLite once, and tells all that it tells otherwise."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from privapub.database.connect import Database
from privapub.database.transaction import Transaction

thing = Table("thing", MetaData(), Column("id", Integer, primary_key=True), Column("name", Text, unique=True))


class Visits:
    """Counts what is handed to the thread of a transaction's connection."""

    def __init__(self, tx: Transaction) -> None:
        self._tx, self.count = tx, 0

    async def counting(self) -> None:
        driver: Any = (await self._tx.connection.get_raw_connection()).driver_connection
        execute = driver._execute

        async def counted(*given: Any) -> Any:
            self.count += 1
            return await execute(*given)

        driver._execute = counted


@pytest.fixture
async def things(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'things.sqlite3'}")
    async with database.write() as tx:
        await tx.raw("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
        await tx.execute(insert(thing), [{"id": n, "name": f"thing {n}"} for n in range(5)])
    yield database
    await database.close()


async def test_each_statement_is_one_visit(things: Database) -> None:
    async with things.write() as tx:
        visits = Visits(tx)
        await visits.counting()
        assert len(await tx.all(select(thing))) == 5
        assert visits.count == 1
        assert await tx.scalar(select(func.count()).select_from(thing)) == 5
        await tx.execute(update(thing).where(thing.c.id == 1).values(name="another"))
        await tx.execute(insert(thing), [{"id": 10, "name": "ten"}, {"id": 11, "name": "eleven"}])
        assert visits.count == 4


async def test_it_tells_how_many_rows_it_changed_and_what_it_returns(things: Database) -> None:
    async with things.write() as tx:
        assert (await tx.execute(delete(thing).where(thing.c.id < 2))).rowcount == 2
        assert (await tx.execute(update(thing).where(thing.c.id == 99).values(name="none"))).rowcount == 0
        rows = await tx.all(insert(thing).values(name="new").returning(thing.c.id, thing.c.name))
        assert [(row.id, row.name) for row in rows] == [(5, "new")]
        assert (await tx.execute(insert(thing).values(name="newer"))).inserted_primary_key == (6,)
        assert await tx.all(select(thing).where(thing.c.id == 99)) == []


async def test_a_statement_that_is_made_once_takes_its_values_each_time(things: Database) -> None:
    named = select(thing.c.name).where(thing.c.id == bindparam("id"))
    several = select(thing.c.id).where(thing.c.id.in_(bindparam("ids", expanding=True))).order_by(thing.c.id)
    async with things.read() as tx:
        assert [await tx.scalar(named, id=number) for number in (3, 4, 99)] == ["thing 3", "thing 4", None]
        assert [row.id for row in await tx.all(several, ids=[1, 3, 99])] == [1, 3]
        assert await tx.first(several, ids=[]) is None


async def test_what_sqlite_refuses_is_raised_as_sqlalchemy_does_and_the_transaction_is_usable(things: Database) -> None:
    async with things.write() as tx:
        with pytest.raises(IntegrityError):
            await tx.execute(insert(thing).values(id=1, name="again"))
        with pytest.raises(IntegrityError):
            await tx.execute(insert(thing), [{"id": 20, "name": "a"}, {"id": 20, "name": "b"}])
        assert await tx.scalar(select(thing.c.name).where(thing.c.id == 1)) == "thing 1"
    async with things.read() as tx:
        with pytest.raises(OperationalError):
            await tx.execute(insert(thing).values(name="from a reader"))
