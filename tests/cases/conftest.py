"""The server that the cases are replayed against."""

from collections.abc import AsyncIterator

import pytest
from fakes.certificates import Authority
from fakes.world import World

from privapub.database.connect import Database


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def world(database: Database, authority: Authority) -> AsyncIterator[World]:
    """`https://sut.test`, with `peer.test` and `other.test`, once on each database."""
    async with World(database, authority) as opened:
        yield opened
