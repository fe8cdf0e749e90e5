"""A world with a cache of files elsewhere, and the programs that are looked for."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fakes.certificates import Authority
from fakes.elsewhere import (
    PICTURE,
    jpeg,
)
from fakes.world import World
from privapub.database.connect import Database
from privapub.media import ffmpeg


def absent(name: str) -> NoReturn:
    """Where all is tested a program must be there; elsewhere its tests are left out."""
    if os.environ.get("CI"):
        pytest.fail(f"there is no {name}")
    pytest.skip(f"needs {name}")


@pytest.fixture(scope="session")
def programs() -> ffmpeg.Programs:
    return ffmpeg.find("") or absent("ffmpeg")


@pytest.fixture(scope="session")
def exiftool() -> str:
    return shutil.which("exiftool") or absent("exiftool")


@pytest.fixture
async def opened(
    database: Database, authority: Authority, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[World]:
    """A world whose server keeps files elsewhere; a parameter is of its settings."""
    settings: dict[str, Any] = {"cache": str(tmp_path / "cache"), **getattr(request, "param", {})}
    async with World(database, authority, **settings) as world:
        world.serve(PICTURE, jpeg(), content_type="image/jpeg")
        yield world
