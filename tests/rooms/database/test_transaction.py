"""What a transaction promises, on both databases."""

import contextlib

import anyio
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from fakes.at_once import Verb, at_once
from privapub.database.connect import Database
from privapub.database.transaction import Transaction, is_open_here


async def test_what_is_written_is_there_after_the_commit_and_not_after_an_error(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(name TEXT)"))
        await tx.execute(text("INSERT INTO made_by_test VALUES('kept')"))
    with pytest.raises(ZeroDivisionError):
        async with database.write() as tx:
            await tx.execute(text("INSERT INTO made_by_test VALUES('lost')"))
            raise ZeroDivisionError
    async with database.read() as tx:
        assert [row.name for row in await tx.all(text("SELECT name FROM made_by_test"))] == ["kept"]


async def test_raw_statements_are_undone_by_an_error_though_they_are_the_first(database: Database) -> None:
    async with database.write() as tx:
        await tx.raw("CREATE TABLE made_by_test(name TEXT)")
        await tx.raw("INSERT INTO made_by_test VALUES('kept')")
    with pytest.raises(ZeroDivisionError):
        async with database.write() as tx:
            await tx.raw("INSERT INTO made_by_test VALUES('lost')")
            await tx.raw("INSERT INTO made_by_test VALUES('lost too')")
            raise ZeroDivisionError
    async with database.read() as tx:
        assert [row.name for row in await tx.raw("SELECT name FROM made_by_test")] == ["kept"]


async def test_a_reader_cannot_write(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(name TEXT)"))
    with pytest.raises(Exception, match=r"readonly|read-only"):
        async with database.read() as tx:
            await tx.execute(text("INSERT INTO made_by_test VALUES('no')"))


async def test_statements_of_a_look_stand_alone(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(n INTEGER)"))
    async with database.look() as looking:
        assert not await looking.raw("SELECT n FROM made_by_test")
        async with database.write() as tx:
            await tx.execute(text("INSERT INTO made_by_test VALUES(1)"))
        assert [row.n for row in await looking.raw("SELECT n FROM made_by_test")] == [1]


async def test_a_commit_that_keeps_nothing_since_a_statement_failed_says_so(database: Database) -> None:
    heard: list[str] = []
    async with database.write() as tx:
        await tx.raw("CREATE TABLE made_by_test(n INTEGER)")

    async def add() -> None:
        async with database.write() as tx:
            tx.after_commit(lambda: heard.append("kept"))
            await tx.raw("INSERT INTO made_by_test VALUES(1)")
            with contextlib.suppress(DBAPIError):
                await tx.raw("INSERT INTO no_such_table VALUES(1)")

    if database.is_sqlite:  # where a statement that fails undoes itself alone
        await add()
    else:
        with pytest.raises(DBAPIError, match="had failed"):
            await add()
    async with database.read() as tx:
        assert len(await tx.raw("SELECT n FROM made_by_test")) == len(heard) == int(database.is_sqlite)


async def test_listeners_hear_of_a_commit_and_never_of_a_rollback(database: Database) -> None:
    heard: list[str] = []
    database.listen("topic", lambda: heard.append("topic"))
    async with database.write() as tx:
        tx.announce("topic")
        tx.after_commit(lambda: heard.append("after"))
        await tx.scalar(text("SELECT 1"))
        assert heard == []
    assert heard == ["after", "topic"]
    with pytest.raises(ZeroDivisionError):
        async with database.write() as tx:
            tx.announce("topic")
            raise ZeroDivisionError
    assert heard == ["after", "topic"]


async def test_a_task_knows_whether_it_is_inside_a_transaction(database: Database) -> None:
    assert not is_open_here()
    async with database.read() as tx:
        await tx.scalar(text("SELECT 1"))
        assert is_open_here()
    assert not is_open_here()


async def test_many_writers_take_turns(database: Database) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(n INTEGER)"))
        await tx.execute(text("INSERT INTO made_by_test VALUES(0)"))

    async def add() -> None:
        async with database.write() as tx:
            await tx.execute(text("UPDATE made_by_test SET n = n + 1"))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(add)
    async with database.read() as tx:
        assert await tx.scalar(text("SELECT n FROM made_by_test")) == 50


async def test_who_holds_a_key_holds_it_alone(database: Database) -> None:
    """Who gets a key after another sees what the other committed; who takes another key does not wait for it."""
    saw: list[int] = []
    async with database.write() as tx:
        await tx.raw("CREATE TABLE made_by_test(n INTEGER)")

    def holding(key: str) -> Verb:
        async def hold(tx: Transaction) -> None:
            await tx.alone(key)
            saw.append(len(await tx.raw("SELECT n FROM made_by_test")))
            await tx.raw("INSERT INTO made_by_test VALUES(1)")

        return hold

    await at_once(database, holding("one"), holding("one"))
    assert saw == [0, 1]
    if not database.is_sqlite:
        await at_once(database, holding("one"), holding("other"))
        assert saw == [0, 1, 2, 2]
