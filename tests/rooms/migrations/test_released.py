"""A database of every schema there ever was, with rows in every table, comes to the head and keeps them."""

from typing import Any

import anyio
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from privapub.database.connect import Database
from privapub.jobs.job import Done, Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker
from privapub.migrations import apply
from privapub.migrations.run import HEAD, REVISIONS, check_current, current

ROWS = 6
# What a column holds where any value will not do.
SAID: dict[tuple[str, str], tuple[Any, ...]] = {
    ("job", "scope"): ("",),
    ("job", "kind"): ("work",),
    ("job", "lane"): ("host:a.example",),
    ("job", "args"): ("{}",),
    ("job", "state"): ("waiting", "leased", "blocked", "done", "failed", "cancelled"),
    ("job", "alone"): (False,),
    ("job", "twin"): (False,),
    ("job", "part"): (None,),
    ("job", "attempt"): (1,),
    ("job", "finished_at"): (None, None, None, 1.0, 1.0, 1.0),
    ("lane", "scope"): ("",),
    ("lane", "kind"): ("work", "a", "b", "c", "d", "e"),
    ("lane", "lane"): ("host:a.example",),
    ("lane", "cap"): (None,),
    ("lane", "fails"): (0,),
    ("lane", "open_until"): (0.0,),
    ("lane", "quarantine"): (0.0,),
}


def value(column: sa.Column[Any], n: int) -> Any:
    """What the column holds in the n-th row: as many different values as there are rows, where it may."""
    said = SAID.get((column.table.name, column.name))
    if said is not None:
        return said[n % len(said)]
    if isinstance(column.type, sa.Boolean):
        return bool(n % 2)
    if isinstance(column.type, sa.Integer | sa.Numeric | sa.Float):
        return n + 1
    if isinstance(column.type, sa.JSON):
        return {"n": n}
    if isinstance(column.type, sa.LargeBinary):
        return bytes([n])
    return f"{column.table.name}.{column.name} {n}"


def fill(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Put rows into every table there is; a column that refers to another table's n-th row has its value."""
    there = sa.MetaData()
    there.reflect(connection)
    made: dict[str, list[dict[str, Any]]] = {}
    for table in there.sorted_tables:
        if table.name == "alembic_version" or _is_of_an_index(connection, table):
            continue
        rows = []
        for n in range(ROWS):
            row = {column.name: value(column, n) for column in table.columns}
            for constraint in table.foreign_key_constraints:
                for element in constraint.elements:
                    of = element.column
                    row[element.parent.name] = made[of.table.name][n][of.name] if of.table is not table else None
            rows.append(row)
        connection.execute(table.insert(), rows)
        made[table.name] = contents(connection, table)
    return made


def _is_of_an_index(connection: Connection, table: sa.Table) -> bool:
    """SQLite keeps its index of words in tables that it alone may fill."""
    return connection.dialect.name == "sqlite" and table.name.startswith("post_text")


def contents(connection: Connection, table: sa.Table) -> list[dict[str, Any]]:
    """The rows of a table, in the order of its key."""
    return [dict(row._mapping) for row in connection.execute(table.select().order_by(*table.primary_key.columns))]


def kept(connection: Connection, made: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The same tables and columns now."""
    there = sa.MetaData()
    there.reflect(connection)
    return {
        name: [{column: row[column] for column in rows[0]} for row in contents(connection, there.tables[name])]
        for name, rows in made.items()
    }


@pytest.mark.parametrize("revision", REVISIONS)
async def test_every_row_is_kept_from_every_released_schema(bare: Database, revision: str) -> None:
    url = bare.url.render_as_string(hide_password=False)
    with anyio.fail_after(120):
        await apply.apply(url, revision)
        assert await current(bare) == revision
        async with bare.engine.begin() as connection:
            made = await connection.run_sync(fill)
        assert len(made) > 15
        assert {len(rows) for rows in made.values()} == {ROWS}
        await apply.apply(url)
        assert await current(bare) == HEAD
        await check_current(bare)
        async with bare.engine.connect() as connection:
            assert await connection.run_sync(kept, made) == made


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_job_that_waited_at_every_released_schema_is_done_at_the_head(bare: Database, revision: str) -> None:
    url = bare.url.render_as_string(hide_password=False)
    ran: list[int] = []

    async def work(job: Job) -> Outcome:
        ran.append(job.id)
        return Done()

    with anyio.fail_after(120):
        await apply.apply(url, revision)
        async with bare.engine.begin() as connection:
            made = await connection.run_sync(fill)
        await apply.apply(url)
        assert await Worker(bare, {"work": JobKind("work", fetch=work, per_lane=2)}).drain() == 1
    assert ran == [row["id"] for row in made["job"] if row["state"] == "waiting"]
