"""An internet, and a door to it."""

from collections.abc import AsyncIterator

import pytest

from fakes.internet import Internet, Noted
from privapub.outbound.client import Door


@pytest.fixture
async def internet() -> AsyncIterator[Internet]:
    async with Internet() as opened:
        yield opened


@pytest.fixture
def noted() -> Noted:
    return Noted()


@pytest.fixture
def door(internet: Internet, noted: Noted) -> Door:
    return internet.door(noted)
