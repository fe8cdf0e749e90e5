"""What takes the steps of the schema, and drops tables, has a database of its own."""

import uuid
from collections.abc import AsyncIterator

import asyncpg
import pytest


@pytest.fixture
async def postgresql_url(postgresql_server: str, postgresql_template: str) -> AsyncIterator[str]:
    """A PostgreSQL database with the whole schema, that goes with the test."""
    name = f"test_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(postgresql_server)
    await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{postgresql_template}"')
    yield postgresql_server.replace("/postgres?", f"/{name}?")
    await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await connection.close()
