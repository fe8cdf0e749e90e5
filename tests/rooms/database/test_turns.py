"""Those who write to SQLite at the same time are committed together, and fail apart."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from fakes.faults import Faults, faulty
from privapub.database.connect import Database

ADD = "INSERT INTO thing VALUES (?)"


def disk_full() -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise error


@pytest.fixture
async def broken(tmp_path: Path) -> AsyncIterator[tuple[Database, Faults]]:
    database, faults = faulty(f"sqlite:///{tmp_path / 'things.sqlite3'}")
    async with database.write() as tx:
        await tx.raw("CREATE TABLE thing (name TEXT PRIMARY KEY)")
    yield database, faults
    await database.close()


async def add(database: Database, *names: str, fails: bool = False) -> None:
    async with database.write() as tx:
        for name in names:
            await tx.raw(ADD, (name,))
        if fails:
            raise ZeroDivisionError


async def names(database: Database) -> list[str]:
    async with database.read() as tx:
        return [row.name for row in await tx.raw("SELECT name FROM thing ORDER BY name")]


async def ends(*adding: Any) -> list[Any]:
    async with asyncio.timeout(30):
        return await asyncio.gather(*adding, return_exceptions=True)


def commits(faults: Faults) -> int:
    return faults.statements.count("COMMIT")


async def test_those_who_wait_for_each_other_share_a_commit(broken: tuple[Database, Faults]) -> None:
    database, faults = broken
    with faults.armed(99):
        assert await ends(*(add(database, str(n)) for n in range(8))) == [None] * 8
    assert commits(faults) < 4
    assert len(await names(database)) == 8


async def test_one_that_fails_is_undone_alone(broken: tuple[Database, Faults]) -> None:
    database, _ = broken
    found = await ends(add(database, "a"), add(database, "b", fails=True), add(database, "c", "a"), add(database, "d"))
    assert [type(each) for each in found] == [type(None), ZeroDivisionError, found[2].__class__, type(None)]
    assert isinstance(found[2], DBAPIError)
    assert await names(database) == ["a", "d"]


async def test_a_commit_that_fails_has_failed_for_each_of_them(broken: tuple[Database, Faults]) -> None:
    database, faults = broken
    with faults.armed(1, act=disk_full, matches=lambda sql: sql == "COMMIT"):
        found = await ends(*(add(database, str(n)) for n in range(5)))
    failed = [n for n, each in enumerate(found) if each is not None]
    assert failed, "the first commit failed"
    assert all(isinstance(found[n], DBAPIError) for n in failed)
    assert await names(database) == [str(n) for n in range(5) if n not in failed]
    await add(database, "afterwards")
    assert "afterwards" in await names(database)


async def test_nobody_hears_of_success_where_the_transaction_is_lost_with_another(
    broken: tuple[Database, Faults],
) -> None:
    database, faults = broken
    with faults.armed(2, matches=lambda sql: sql == ADD):
        found = await ends(*(add(database, str(n)) for n in range(4)))
    there = await names(database)
    assert there == [str(n) for n, each in enumerate(found) if each is None]
    assert isinstance(found[1], DBAPIError)


async def test_who_is_cancelled_leaves_the_others_theirs(broken: tuple[Database, Faults]) -> None:
    database, _ = broken
    for steps in range(30):
        tasks = [asyncio.create_task(add(database, f"{steps} {n}")) for n in range(3)]
        for _ in range(steps):
            await asyncio.sleep(0)
        tasks[1].cancel()
        found = await ends(*tasks)
        assert found[0] is None
        assert found[2] is None
        there = await names(database)
        assert {f"{steps} 0", f"{steps} 2"} <= set(there)
        assert isinstance(found[1], asyncio.CancelledError) or f"{steps} 1" in there


async def test_a_reader_sees_none_of_a_group_before_its_commit(broken: tuple[Database, Faults]) -> None:
    database, _ = broken
    async with database.write() as tx:
        await tx.raw(ADD, ("a",))
        assert await names(database) == []
    assert await names(database) == ["a"]


async def test_who_is_cancelled_in_the_commit_of_others_keeps_its_failure_from_nobody(
    broken: tuple[Database, Faults],
) -> None:
    database, faults = broken
    in_commit, go_on = threading.Event(), threading.Event()

    def held_up() -> None:
        in_commit.set()
        assert go_on.wait(30)
        disk_full()

    added, done = asyncio.Event(), asyncio.Event()

    async def add_beside(name: str) -> None:
        async with database.write() as tx:
            await tx.raw(ADD, (name,))
            added.set()
            await done.wait()

    async def alone() -> None:
        async with database.turns.alone():
            pytest.fail("the commit before it fails")

    with faults.armed(1, act=held_up, matches=lambda sql: sql == "COMMIT"):
        adding = asyncio.create_task(add_beside("a"))
        await added.wait()
        looking = asyncio.create_task(alone())
        await asyncio.sleep(0)  # it waits for its turn
        done.set()
        assert await asyncio.to_thread(in_commit.wait, 30)
        looking.cancel()
        await asyncio.sleep(0)
        go_on.set()
        found = await ends(adding, looking)
    assert isinstance(found[0], DBAPIError)
    assert await names(database) == []


async def test_what_cannot_be_undone_alone_is_not_committed(broken: tuple[Database, Faults]) -> None:
    database, faults = broken
    with faults.armed(1, act=disk_full, matches=lambda sql: sql == "ROLLBACK TO one"):
        found = await ends(add(database, "a"), add(database, "b", fails=True), add(database, "c"))
    assert isinstance(found[1], ZeroDivisionError)
    there = await names(database)
    assert "b" not in there
    assert there == [name for name, each in zip("abc", found, strict=True) if each is None]
