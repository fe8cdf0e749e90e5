"""The server that the cases are replayed against, and the file of worker processes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cases import worlds as fresh
from cases.worlds import Worlds
from fakes.certificates import Authority
from fakes.crew import Log
from fakes.world import World
from makers import private_keys
from privapub.actors import keys
from privapub.database.connect import Database


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def _of_case(request: pytest.FixtureRequest) -> None:
    """The table at the end knows which case this test is of."""
    if marker := request.node.get_closest_marker("case"):
        request.node.user_properties.append(("case", marker.args[0]))


@pytest.fixture
async def world(database: Database, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """`https://sut.test`, with `peer.test` and `other.test`, once on each database."""
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)  # making keys for each test takes longer than the test
    async with World(database, authority) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def worlds(
    request: pytest.FixtureRequest, anyio_backend: str, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> Worlds:
    """Worlds from a fresh state, one after the other, on each kind of database."""
    del anyio_backend
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)
    if request.param == "sqlite":
        folder: Path = request.getfixturevalue("tmp_path")
        return fresh.of_files(request.getfixturevalue("sqlite_template"), folder, authority)
    return fresh.of_one(request.getfixturevalue("postgresql_emptied"), authority)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """What the worker processes of a test write to."""
    return Log(tmp_path / "log")
