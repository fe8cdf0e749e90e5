"""usage: ours_prepare.py upgrade URL | sql URL STATEMENT."""

import asyncio
import sys

import asyncpg

from privapub.migrations.run import upgrade


async def statement(url: str, sql: str) -> None:
    """Run one statement outside of any transaction."""
    connection = await asyncpg.connect(url)
    await connection.execute(sql)
    await connection.close()


if __name__ == "__main__":
    asyncio.run(upgrade(sys.argv[2]) if sys.argv[1] == "upgrade" else statement(*sys.argv[2:]))
