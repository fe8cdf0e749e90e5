"""Taking the steps: run as a process of its own, which reads the database's URL from its standard input.

What it writes to the standard output is the sentence that says what went wrong.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import SQLAlchemyError

from privapub.database.connect import Database
from privapub.migrations.run import sentence

LOCK = 0x707269766170  # of PostgreSQL, so that two who migrate take turns


def config(connection: Connection | None = None, **attributes: Any) -> Config:
    """Alembic's configuration: where the steps are, and the connection to take them on."""
    made = Config()
    made.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    made.attributes.update(attributes, connection=connection)
    return made


def take_steps(connection: Connection, upto: str = "head") -> None:
    """Take the steps on a connection whose transaction has begun."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    command.upgrade(config(connection), upto)
    if connection.dialect.name == "sqlite" and (broken := connection.execute(text("PRAGMA foreign_key_check")).first()):
        raise CommandError(f"a row of {broken[0]} refers to one that is not there")


async def apply(database_url: str, upto: str = "head") -> None:
    """Take the steps up to one of them, in one transaction."""
    database = Database(database_url)
    if database.is_sqlite:
        # A step that rebuilds a table drops the old one, which would take the rows that refer to it along.
        event.listen(database.engine.sync_engine, "connect", _without_foreign_keys)
    try:
        async with database.engine.begin() as connection:
            await connection.run_sync(take_steps, upto)
    finally:
        await database.close()


def _without_foreign_keys(connection: Any, _record: Any) -> None:
    connection.cursor().execute("PRAGMA foreign_keys=OFF")


def main() -> int:
    """Read the URL, take the steps; 1 if that failed."""
    try:
        asyncio.run(apply(sys.stdin.read().strip()))
    except (CommandError, SQLAlchemyError, OSError) as error:
        sys.stdout.write(f"{sentence(error)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
