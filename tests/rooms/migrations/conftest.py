"""What takes the steps of the schema, and drops tables, has a database of its own."""

import uuid
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy import text

from privapub.database.connect import Database
from privapub.database.tables import metadata


@pytest.fixture
async def postgresql_url(postgresql_server: str, postgresql_template: str) -> AsyncIterator[str]:
    """A PostgreSQL database with the whole schema, that goes with the test."""
    name = f"test_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(postgresql_server)
    await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{postgresql_template}"')
    yield postgresql_server.replace("/postgres?", f"/{name}?")
    await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await connection.close()


@pytest.fixture
async def bare(database: Database) -> Database:
    """A database without any table, once of each kind."""
    async with database.engine.begin() as connection:
        if database.is_sqlite:
            await connection.run_sync(metadata.drop_all)
            await connection.execute(text("DROP TABLE IF EXISTS alembic_version"))
        else:
            await connection.execute(text("DROP SCHEMA public CASCADE"))
            await connection.execute(text("CREATE SCHEMA public"))
    return database
