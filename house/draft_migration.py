"""Draft the next step of the schema: what the rooms' tables say that the steps so far do not.

    make migration NAME=what_changes

Read what it wrote before it is kept: what is in the tables' rows is moved by hand, functions too, and both databases
must take the step. Then add its number to REVISIONS in `src/privapub/migrations/run.py`. Until the first release,
`make migration NAME=first` writes the first step anew from the tables as they are.
"""

import asyncio
import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from alembic import command
from sqlalchemy import Connection, MetaData

from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.jobs.lease_function import LEASE_FUNCTION
from privapub.migrations import apply

SOURCE = Path(__file__).parents[1] / "src"
STEPS = SOURCE / "privapub/migrations/versions"
FIRST = "first"


def every_table() -> MetaData:
    """The tables of every room."""
    for path in sorted(SOURCE.rglob("tables.py")):
        importlib.import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts))
    return metadata


def next_number(name: str) -> str:
    """The number of the step that is drafted."""
    there = [] if name == FIRST else [int(path.name[:4]) for path in STEPS.glob("[0-9]*.py")]
    return f"{max(there, default=0) + 1:04}"


def draft(connection: Connection, name: str) -> None:
    """Write the step, seen from a database that has taken all the others."""
    first = name == FIRST
    if first:
        (STEPS / "0001_first.py").unlink(missing_ok=True)
    else:
        apply.take_steps(connection)
    configuration = apply.config(connection, metadata=every_table(), batch=not first)
    configuration.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    command.revision(configuration, message=name, autogenerate=True, rev_id=next_number(name))


def with_function(step: str) -> str:
    """The first step with the function that leases on PostgreSQL, which no comparison of tables finds."""
    step = re.sub(r"""sa\.text\(['"]0['"]\)""", "sa.false()", step)  # as SQLite says it
    step = re.sub(r"\n *# ### .*", "", step).replace('"""first."""', '"""The first tables."""')
    return (
        step.replace("\n\n\ndef upgrade", f'\n\nLEASE_FUNCTION = """{LEASE_FUNCTION}"""\n\n\ndef upgrade').rstrip()
        + '\n    if op.get_bind().dialect.name == "postgresql":\n        op.execute(LEASE_FUNCTION)\n'
    )


async def main(name: str) -> None:
    """Draft a step of this name."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/draft.sqlite3")
        async with database.engine.begin() as connection:
            await connection.run_sync(draft, name)
        await database.close()
    if name == FIRST:
        path = STEPS / "0001_first.py"
        path.write_text(with_function(path.read_text()))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not re.fullmatch(r"[a-z0-9_]+", sys.argv[1]):
        sys.exit("Name the step in small letters: make migration NAME=what_changes")
    asyncio.run(main(sys.argv[1]))
    subprocess.run([Path(sys.executable).with_name("ruff"), "format", "--quiet", STEPS], check=True)
