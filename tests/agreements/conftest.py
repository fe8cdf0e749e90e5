"""One PostgreSQL database for all agreements: each test takes a scope of its own in it."""

import asyncpg
import pytest


@pytest.fixture(scope="session")
async def agreements_postgresql_url(postgresql_server: str, postgresql_template: str) -> str:
    connection = await asyncpg.connect(postgresql_server)
    await connection.execute(f'CREATE DATABASE "agreements" TEMPLATE "{postgresql_template}"')
    await connection.close()
    return postgresql_server.replace("/postgres?", "/agreements?")
