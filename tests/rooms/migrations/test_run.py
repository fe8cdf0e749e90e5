"""The steps of the schema: they make what the rooms' tables say, on both databases, and know what they find."""

import asyncio
import importlib
import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.errors import OperatorError
from privapub.migrations import apply
from privapub.migrations.run import HEAD, REVISIONS, check_current, current, upgrade
from rules.house import SOURCE

for tables in sorted(SOURCE.rglob("tables.py")):
    importlib.import_module(".".join(tables.relative_to(SOURCE).with_suffix("").parts))


def url(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


async def set_revision(database: Database, revision: str) -> None:
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE IF NOT EXISTS alembic_version(version_num TEXT)"))
        await tx.execute(text("DELETE FROM alembic_version"))
        await tx.execute(text("INSERT INTO alembic_version VALUES(:revision)").bindparams(revision=revision))


SQLITE_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
POSTGRESQL_SCHEMA = (
    "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
     a.attidentity FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0""",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace""",
    "SELECT relname, reloptions::text FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)


async def schema(database: Database) -> set[tuple[Any, ...]]:
    """Everything there is in a database, as it tells it itself, Alembic's own table left out."""
    found: set[tuple[Any, ...]] = set()
    async with database.read() as tx:
        if database.is_sqlite:
            for kind, name, sql in await tx.all(text(SQLITE_SCHEMA)):
                found.add((kind, name, frozenset(_parts(sql or ""))))
        else:
            for query in POSTGRESQL_SCHEMA:
                found.update(tuple(row) for row in await tx.all(text(query)))
    return {row for row in found if "alembic_version" not in str(row)}


def _parts(sql: str) -> list[str]:
    """A CREATE statement in pieces, columns and constraints: their order says nothing of what the table is."""
    pieces, depth = [""], 0
    for character in re.sub(r"\s+", " ", sql):
        depth += (character == "(") - (character == ")")
        if (character == "(" and depth == 1) or (character == ")" and depth == 0) or (character == "," and depth == 1):
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece.strip() for piece in pieces]


async def test_the_steps_make_the_tables_that_the_rooms_describe(bare: Database) -> None:
    async with bare.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    described = await schema(bare)
    assert len(described) > 10
    async with bare.engine.begin() as connection:
        if bare.is_sqlite:
            await connection.run_sync(metadata.drop_all)
        else:
            await connection.execute(text("DROP SCHEMA public CASCADE"))
            await connection.execute(text("CREATE SCHEMA public"))
    await apply.apply(url(bare))
    made = await schema(bare)
    assert made - described == set(), "the steps make what no room describes: draft the step anew"
    assert described - made == set(), "a room describes what no step makes: draft a step (make migration NAME=…)"


# What may differ, and would do harm.
PARTIAL = "CREATE INDEX ix_job_alone ON job(scope, run_at, id)"
HARM = {
    "nothing": ("SELECT 1",),
    "an index is missing": ("DROP INDEX ix_job_alone",),
    "an index holds every row": ("DROP INDEX ix_job_alone", PARTIAL + " WHERE alone"),
    "an index is partial no more": ("DROP INDEX ix_job_alone", PARTIAL),
    "a column is left over": ("ALTER TABLE job ADD COLUMN left_over TEXT",),
    "a default is another": (
        "ALTER TABLE lane DROP COLUMN quarantine",
        "ALTER TABLE lane ADD COLUMN quarantine DOUBLE PRECISION DEFAULT 1 NOT NULL",
    ),
    "a table is left over": ("CREATE TABLE left_over(n INTEGER)",),
}
HARM_ON_POSTGRESQL = {
    "a function is missing": ("DROP FUNCTION privapub_lease",),
    "a function is left over": ("CREATE FUNCTION privapub_lease() RETURNS int LANGUAGE sql AS 'SELECT 1'",),
    "a table is filled to the brim": ("ALTER TABLE lane RESET (fillfactor)",),
    "a constraint is missing": ("ALTER TABLE follow DROP CONSTRAINT uq_follow_follower_id_followed_id",),
}


async def harmed(database: Database, statements: tuple[str, ...]) -> bool:
    """Whether the comparison sees a difference after these statements."""
    before = await schema(database)
    async with database.engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    return await schema(database) != before


@pytest.mark.parametrize("harm", HARM)
async def test_the_comparison_sees_every_difference_that_matters(database: Database, harm: str) -> None:
    assert await harmed(database, HARM[harm]) is (harm != "nothing")


@pytest.mark.parametrize("harm", HARM_ON_POSTGRESQL)
async def test_the_comparison_sees_what_only_postgresql_has(postgresql_url: str, harm: str) -> None:
    database = Database(postgresql_url)
    assert await harmed(database, HARM_ON_POSTGRESQL[harm])
    await database.close()


async def test_alembic_finds_nothing_to_add(bare: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        def ours(_object: object, name: str | None, kind: str, _reflected: bool, _to: object) -> bool:
            # No table of SQLAlchemy is one of FTS5, and each database has an index for how something begins.
            return not (kind in {"table", "index"} and str(name).startswith(("post_text", "ix_post_tag_begins")))

        context = MigrationContext.configure(connection, opts={"include_object": ours})
        return list(compare_metadata(context, metadata))

    await apply.apply(url(bare))
    async with bare.engine.begin() as connection:
        assert await connection.run_sync(differences) == []


async def test_an_empty_database_is_brought_to_the_head(bare: Database) -> None:
    assert await current(bare) is None
    with pytest.raises(OperatorError, match="no tables yet"):
        await check_current(bare)
    with anyio.fail_after(60):
        await upgrade(url(bare))
        assert await current(bare) == HEAD
        await check_current(bare)
    before = await schema(bare)
    await apply.apply(url(bare))  # once more changes nothing
    assert await schema(bare) == before


async def test_two_who_migrate_at_once_take_turns(bare: Database) -> None:
    with anyio.fail_after(120):
        await asyncio.gather(apply.apply(url(bare)), apply.apply(url(bare)))
    assert await current(bare) == HEAD


async def test_a_newer_schema_is_refused_and_stays_as_it_is(bare: Database) -> None:
    await set_revision(bare, "9999")
    with pytest.raises(OperatorError, match="newer than this program") as caught:
        await check_current(bare)
    assert "backup" in caught.value.hint
    with pytest.raises(CommandError, match="9999"):
        await apply.apply(url(bare))
    assert await current(bare) == "9999"


async def test_an_older_schema_is_told_the_command(bare: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privapub.migrations.run.REVISIONS", ("0000", HEAD))
    await set_revision(bare, "0000")
    with pytest.raises(OperatorError, match=f"has schema 0000, and this program needs {HEAD}") as caught:
        await check_current(bare)
    assert "privapub migrate" in caught.value.hint


async def test_a_step_that_fails_changes_nothing(bare: Database) -> None:
    async with bare.write() as tx:
        await tx.execute(text("CREATE TABLE timeline_entry(in_the_way INTEGER)"))
    before = await schema(bare)
    with pytest.raises(DBAPIError, match="already exists"):
        await apply.apply(url(bare))
    assert await schema(bare) == before
    assert await current(bare) is None


async def test_a_database_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    with anyio.fail_after(60), pytest.raises(OperatorError, match="could not be migrated: unable to open"):
        await upgrade(f"sqlite:///{tmp_path}/no/such/folder.sqlite3")


def test_the_known_steps_are_the_files_in_their_order() -> None:
    scripts = ScriptDirectory.from_config(apply.config())
    assert scripts.get_heads() == [HEAD]
    steps = [step.revision for step in scripts.walk_revisions()]
    assert tuple(reversed(steps)) == REVISIONS


def test_a_server_whose_schema_is_right_need_not_load_alembic() -> None:
    assert "alembic" not in (SOURCE / "privapub/migrations/run.py").read_text().replace("alembic_version", "")


async def test_steps_are_never_taken_on_the_database_that_other_tests_use(
    postgresql_url: str, postgresql_emptied: str
) -> None:
    assert postgresql_url != postgresql_emptied
