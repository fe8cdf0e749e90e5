"""A server and its peers, for the tests that are named after the lines of SECURITY.md."""

from collections.abc import AsyncIterator

import pytest

from fakes.certificates import Authority
from fakes.world import World
from makers import private_keys
from privapub.actors import keys
from privapub.database.connect import Database


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
