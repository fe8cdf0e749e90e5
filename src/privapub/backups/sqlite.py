"""SQLite: a copy of the database as it is at one moment, while others write, and a look whether a copy is sound."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from privapub.errors import OperatorError

PAGES = 1000  # copied at a time

Told = Callable[[int, int], None]  # pages copied, of how many


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def copy(source: Path, target: Path, told: Told = lambda _done, _total: None) -> None:
    """Copy a database in use to a file that is not there yet, and check the copy.

    Raises OperatorError where it cannot be read or is damaged.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with _opened(source) as from_, _opened(target) as to:
            # An open reading transaction keeps what is copied at one moment: without it each write of another
            # connection would make the copy begin anew, and on a busy server it would not end.
            from_.execute("PRAGMA query_only=ON")
            from_.execute("BEGIN")
            from_.execute("SELECT count(*) FROM sqlite_master").fetchone()
            from_.backup(to, pages=PAGES, progress=lambda _status, left, total: told(total - left, total), sleep=0.05)
            from_.execute("ROLLBACK")
            to.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        raise OperatorError(f"The database, {source}, cannot be copied: {error}.") from None
    look(target)


def look(path: Path) -> str:
    """The schema that a database has, found sound; raises OperatorError where it is damaged or none of ours."""
    try:
        with _opened(path) as connection:
            connection.execute("PRAGMA trusted_schema=OFF")
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise OperatorError(f"The database is damaged: {found}.", "Look at the disk, and for an older backup.")
            if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
                raise OperatorError("The database holds triggers or views, which PrivaPub never makes.")
            versions = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.Error as error:
        raise OperatorError(f"The database cannot be read: {error}.") from None
    if len(versions) != 1:
        raise OperatorError("The database has no tables yet.")
    return str(versions[0][0])


def change(path: Path, statements: Sequence[str]) -> int:
    """Run statements in one transaction, all of it on the disk in the one file; how many rows the first changed."""
    with _opened(path) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("BEGIN IMMEDIATE")
        changed = [connection.execute(statement).rowcount for statement in statements]
        connection.execute("COMMIT")
    return changed[0]
