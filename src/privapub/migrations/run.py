"""Which schema a database has, and bringing it to the one that this program needs."""

import asyncio
import os
import sys
from pathlib import Path

from sqlalchemy import text

from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import OperatorError

# Every step there is, oldest first; a test compares them with the files in `versions/`.
REVISIONS = ("0001",)
HEAD = REVISIONS[-1]

SOURCE = Path(__file__).parents[2]


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
    """Make sure that a database has the schema of this program.

    Raises OperatorError, with what to do about it, where it has none, an older or a newer one.
    """
    revision = await current(database)
    if revision == HEAD:
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
        "Install the newer PrivaPub again, or go back to a backup from before its migration.",
    )


async def upgrade(database_url: str) -> None:
    """Take every step that a database has not taken yet, all in one transaction.

    Two at once take turns. Raises OperatorError where the database is newer than the program or a step fails; nothing
    is changed then.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "privapub.migrations.apply",
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
