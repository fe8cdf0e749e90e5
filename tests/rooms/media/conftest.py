"""A world with a cache of files elsewhere."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fakes.certificates import Authority
from fakes.elsewhere import (
    PICTURE,
    jpeg,
)
from fakes.world import World
from privapub.database.connect import Database


@pytest.fixture
async def opened(
    database: Database, authority: Authority, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A world whose server keeps files elsewhere; a parameter is of its settings."""
    settings: dict[str, Any] = {"cache": str(tmp_path / "cache"), **getattr(request, "param", {})}
    async with World(database, authority, **settings) as world:
        world.serve(PICTURE, jpeg(), content_type="image/jpeg")
        yield world
