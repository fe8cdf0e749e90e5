"""Fresh worlds, one after the other, within one test: each run of a case has a database and a store with nothing."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from fakes.certificates import Authority
from fakes.postgresql import emptied
from fakes.world import World
from privapub import clock
from privapub.database.connect import Database

Worlds = Callable[..., AbstractAsyncContextManager[World]]


def of_files(template: Path, folder: Path, authority: Authority) -> Worlds:
    """On SQLite: each a copy of the template."""
    count = 0

    @asynccontextmanager
    async def world(**settings: Any) -> AsyncIterator[World]:
        nonlocal count
        count += 1
        shutil.copy(template, folder / f"{count}.sqlite3")
        async with _open(f"sqlite:///{folder / f'{count}.sqlite3'}", authority, settings) as opened:
            yield opened

    return world


def of_one(url: str, authority: Authority) -> Worlds:
    """On PostgreSQL: the one database, emptied after each."""

    @asynccontextmanager
    async def world(**settings: Any) -> AsyncIterator[World]:
        try:
            async with _open(url, authority, settings) as opened:
                yield opened
        finally:
            await emptied(url)

    return world


@asynccontextmanager
async def _open(url: str, authority: Authority, settings: dict[str, Any]) -> AsyncIterator[World]:
    database = Database(url)
    try:
        with tempfile.TemporaryDirectory() as kept:
            folders = {"storage_url": (Path(kept) / "media").as_uri(), "cache": str(Path(kept) / "cache")}
            async with World(database, authority, **{**folders, **settings}) as opened:
                yield opened
    finally:
        clock.reset()
        await database.close()
