"""Which schema a database has, and bringing it to the one that this program needs."""

import asyncio
import logging
import os
import sys
from pathlib import Path

from sqlalchemy import text

from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import OperatorError
from privapub.migrations.halves import before_half, half_way_back, serves

# Every step there is, oldest first; a test compares them with the files in `versions/`.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
HEAD = REVISIONS[-1]

SOURCE = Path(__file__).parents[2]
_log = logging.getLogger(__name__)


async def current(database: Database) -> str | None:
    """The last step that a database has taken, or None where it has taken none.

    Raises OperatorError where it cannot be used at all.
    """
    try:
        async with database.read() as tx:
            if not await _is_there(tx, "alembic_version"):
                return None
            revision: str | None = await tx.scalar(text("SELECT version_num FROM alembic_version"))
            return revision
    except (OSError, Exception) as error:  # noqa: BLE001 - drivers raise what they like when nobody answers
        where = database.path or f"the PostgreSQL at {database.url.host or 'this machine'}"
        raise OperatorError(
            f"The database, {where}, cannot be used: {sentence(error)}.",
            "Look at PRIVAPUB_DATABASE_URL and PRIVAPUB_DATA, and whether the database runs and is a database.",
        ) from None


def sentence(error: Exception) -> str:
    """The first line of what an error says: the rest is the statement and a link."""
    return (str(getattr(error, "orig", None) or error) or type(error).__name__).partition("\n")[0]


async def _is_there(tx: Transaction, table: str) -> bool:
    if tx.dialect == "sqlite":
        found = text("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :table")
    else:
        found = text("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = :table")
    return bool(await tx.scalar(found.bindparams(table=table)))


async def check_current(database: Database) -> None:
    """Make sure that a database has a schema that this program can use.

    That is its own, or one from which work is yet to be handed over: its own before half, or that of the next release.
    Raises OperatorError, with what to do about it, where it has none, an older or a newer one.
    """
    revision = await current(database)
    if revision is not None and serves(revision, HEAD):
        if revision in REVISIONS and revision != HEAD:
            _log.warning("an older version may have left work: once none of it runs, run `privapub migrate`")
        return
    if revision is None:
        raise OperatorError(
            "The database has no tables yet.",
            "Start the server, or run `privapub migrate`. If it was started already: in another folder, or with other "
            "settings (`privapub settings` shows those in force here).",
        )
    if revision in REVISIONS:
        raise OperatorError(
            f"The database has schema {revision}, and this program needs {HEAD}.",
            "Make a backup, stop every older PrivaPub that uses it, and run `privapub migrate`.",
        )
    raise OperatorError(
        f"The database has schema {revision}, which is newer than this program, whose last is {HEAD}.",
        "Install the newer PrivaPub again (its `privapub migrate --back` may undo its last step), or go back to a "
        "backup from before its migration.",
    )


async def upgrade(database_url: str) -> None:
    """Take every step that a database has not taken yet, all in one transaction.

    Two at once take turns. Raises OperatorError where the database is newer than the program or a step fails; nothing
    is changed then.
    """
    await _apply(database_url, "head")


async def upgrade_before(database_url: str, revision: str | None) -> str | None:
    """Take the step that may be taken while an older release still runs, if there is one; which it was.

    `revision` is the last step that the database has taken. Raises OperatorError as `upgrade` does.
    """
    step = before_half(revision, REVISIONS)
    if step is not None:
        await _apply(database_url, step)
    return step


async def go_back(database_url: str, revision: str | None) -> str:
    """Hand back what the after half of the last step took over; the step at which the database is then.

    `revision` is the last step that the database has taken. Raises OperatorError where that is no after half, where
    something is still at work, or as `upgrade` does.
    """
    step = half_way_back(revision, REVISIONS)
    if step is None:
        raise OperatorError(
            f"There is no way back from schema {revision or 'empty'}.", "Go back to a backup from before its migration."
        )
    await _apply(database_url, "--back", step)
    return step


async def _apply(database_url: str, *way: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "privapub.migrations.apply",
        *way,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    # By the standard input, since anyone on the machine may read a command line.
    sentence, errors = await process.communicate(database_url.encode())
    if process.returncode:
        last = (sentence or errors).decode(errors="replace").strip().rpartition("\n")[2]
        raise OperatorError(
            f"The database could not be migrated: {last}", "Nothing was changed. `privapub doctor` may tell more."
        )
