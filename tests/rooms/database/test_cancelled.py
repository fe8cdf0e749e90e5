"""Work that is given up in the middle leaves no transaction open behind it."""

import asyncio
import contextlib

import anyio
import pytest
from sqlalchemy import text

from privapub.database.connect import Database


@pytest.mark.parametrize("writes", [False, True])
async def test_a_transaction_that_is_cancelled_at_any_step_is_over(database: Database, writes: bool) -> None:
    async def use() -> None:
        async with database.write() if writes else database.read() as tx:
            await tx.scalar(text("SELECT 1"))

    with anyio.fail_after(60):
        for steps in range(40):
            task = asyncio.create_task(use())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await use()
        async with database.write() as tx:
            assert await tx.scalar(text("SELECT 2")) == 2
