"""Those who write to SQLite at the same time are committed together, and fail apart."""

import asyncio
import sqlite3
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
