"""Taking the steps: run as a process of its own, which reads the database's URL from its standard input.

    python -m privapub.migrations.apply head        # every step
    python -m privapub.migrations.apply --back 0007a

What it writes to the standard output is the sentence that says what went wrong.
"""

import asyncio
import sys
from functools import partial
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
# A step that must wait for somebody's lock has everybody else wait behind it: it rather gives up.
PATIENCE = "SET LOCAL lock_timeout = '10s'"
VERSIONS = (Path(__file__).parent / "versions",)


def config(connection: Connection | None = None, **attributes: Any) -> Config:
    """Alembic's configuration: where the steps are, and the connection to take them on."""
    made = Config()
    made.set_main_option("script_location", _escaped(Path(__file__).parent))
    made.set_main_option("path_separator", "newline")
    made.set_main_option("version_locations", "\n".join(map(_escaped, VERSIONS)))
    made.attributes.update(attributes, connection=connection)
    return made


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def take_steps(connection: Connection, upto: str = "head", *, back: bool = False) -> None:
    """Take the steps on a connection whose transaction has begun; `back` from an after half to its before half."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        connection.execute(text(PATIENCE))
    else:
        connection.execute(text("SELECT 1"))  # with the first statement it has SQLite's one lock, or waits for it
    (command.downgrade if back else command.upgrade)(config(connection), upto)
    if connection.dialect.name == "sqlite" and (broken := connection.execute(text("PRAGMA foreign_key_check")).first()):
        raise CommandError(f"a row of {broken[0]} refers to one that is not there")


async def apply(database_url: str, upto: str = "head", *, back: bool = False) -> None:
    """Take the steps up to one of them, or back to one, in one transaction."""
    database = Database(database_url)
    if database.is_sqlite:
        # A step that rebuilds a table drops the old one, which would take the rows that refer to it along.
        event.listen(database.engine.sync_engine, "connect", _without_foreign_keys)
    try:
        async with database.engine.begin() as connection:
            await connection.run_sync(partial(take_steps, upto=upto, back=back))
    finally:
        await database.close()


def _without_foreign_keys(connection: Any, _record: Any) -> None:
    connection.cursor().execute("PRAGMA foreign_keys=OFF")


def main() -> int:
    """Read the URL, take the steps; 1 if that failed."""
    *way, upto = sys.argv[1:] or ["head"]
    try:
        asyncio.run(apply(sys.stdin.read().strip(), upto, back=way == ["--back"]))
    except (CommandError, SQLAlchemyError, OSError) as error:
        sys.stdout.write(f"{sentence(error)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
