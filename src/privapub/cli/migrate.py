"""`privapub migrate`."""

import asyncio

from privapub.cli.opened import settings
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.database.connect import Database
from privapub.migrations.run import HEAD, REVISIONS, check_current, current, upgrade


def migrate(*, as_json: Json = False) -> None:
    """Bring the database's tables up to this version."""
    what = settings()
    what.data.mkdir(parents=True, exist_ok=True)

    async def work() -> str | None:
        database = Database(what.database)
        try:
            before = await current(database)
            if before is not None and before not in REVISIONS:
                await check_current(database)
        finally:
            await database.close()
        await upgrade(what.database)
        return before

    before = asyncio.run(work())
    text = (
        f"The database is at {HEAD} already."
        if before == HEAD
        else f"The database went from {before or 'empty'} to {HEAD}."
    )
    say({"before": before, "now": HEAD}, text, as_json=as_json)
