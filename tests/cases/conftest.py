"""The server that the cases are replayed against, and the file of worker processes."""

from pathlib import Path

import pytest

from cases import worlds as fresh
from cases.worlds import Worlds
from fakes.certificates import Authority
from fakes.crew import Log
from makers import private_keys
from privapub.actors import keys


@pytest.fixture(autouse=True)
def _of_case(request: pytest.FixtureRequest) -> None:
    """The table at the end knows which case this test is of."""
    if marker := request.node.get_closest_marker("case"):
        request.node.user_properties.append(("case", marker.args[0]))


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
