"""Processes that the tests kill: workers of both releases, and steps that die at a statement of their own choice."""

import asyncio
import os
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from privapub.database.connect import Database
from privapub.migrations import apply
from privapub.migrations.run import HEAD
from rooms.migrations import newer, older

RELEASES = Path(__file__).parent / "releases"
REAL = apply.VERSIONS
REAL_HEAD = HEAD  # whatever a test says that it is


def take_step(url: str, upto: str, back: bool, dies_at: int) -> None:
    """Take a step, and die just before the statement of this number, or just before the commit (0: never)."""
    apply.VERSIONS = (*REAL, RELEASES)
    count = 0

    def before(*_args: Any) -> None:
        nonlocal count
        count += 1
        if count == dies_at:
            os._exit(9)

    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "commit", before)
    asyncio.run(apply.apply(url, upto, back=back))
    os._exit(0)


def work(release: str, url: str, port: int) -> None:
    """Send until killed, as this release does."""

    async def run() -> None:
        await {"older": older.work, "newer": newer.work}[release](Database(url, pool_size=2), port)

    asyncio.run(run())
