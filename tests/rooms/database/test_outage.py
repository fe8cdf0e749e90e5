"""Which errors say that another try may go right."""

import errno
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from privapub.database.connect import Database
from privapub.database.outage import is_outage


class Said(Exception):
    """What a driver of PostgreSQL raises: it has a SQLSTATE."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


@pytest.mark.parametrize("state", ["08006", "53100", "53300", "57P01", "57P03", "58030", "25006", "40P01"])
def test_a_server_that_is_away_or_full_is_an_outage(state: str) -> None:
    assert is_outage(DBAPIError("SELECT 1", None, Said(state)))
    assert is_outage(Said(state))


@pytest.mark.parametrize("state", ["42P01", "23505", "22001", "3D000"])
def test_a_wrong_statement_is_none(state: str) -> None:
    assert not is_outage(DBAPIError("SELECT 1", None, Said(state)))


@pytest.mark.parametrize(
    "error", [NoConnectionFree(), ConnectionRefusedError(), TimeoutError(), OSError(errno.ENOSPC, "full")]
)
def test_no_way_to_the_database_is_an_outage(error: Exception) -> None:
    assert is_outage(error)


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), OSError(errno.EINVAL, "odd")])
def test_a_fault_of_ours_is_none(error: Exception) -> None:
    assert not is_outage(error)


async def test_a_missing_table_is_a_fault_and_a_missing_folder_an_outage(database: Database, tmp_path: Path) -> None:
    with pytest.raises(DBAPIError) as wrong:
        async with database.read() as tx:
            await tx.execute(text("SELECT * FROM no_such_table"))
    assert not is_outage(wrong.value)
    nowhere = Database(f"sqlite:///{tmp_path}/none/privapub.sqlite3")
    with pytest.raises(DBAPIError) as away:
        async with nowhere.read() as tx:
            await tx.execute(text("SELECT 1"))
    assert is_outage(away.value)
    await nowhere.close()


def test_what_sqlite_says_is_told_by_its_code(tmp_path: Path) -> None:
    first, second = (sqlite3.connect(tmp_path / "x", isolation_level=None, timeout=0) for _ in range(2))
    first.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError) as locked:
        second.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError) as wrong:
        first.execute("SELEKT")
    first.close()
    second.close()
    assert is_outage(locked.value)
    assert not is_outage(wrong.value)
