"""`privapub migrate`."""

import asyncio
from typing import Annotated

import typer

from privapub.cli.opened import settings
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.database.connect import Database
from privapub.errors import InvalidInput
from privapub.migrations.run import HEAD, REVISIONS, check_current, current, go_back, upgrade, upgrade_before

Before = Annotated[bool, typer.Option("--before", help="Only what may be done while an older version still runs.")]
Back = Annotated[bool, typer.Option("--back", help="Hand back what the last step took over from an older version.")]


def migrate(*, before: Before = False, back: Back = False, as_json: Json = False) -> None:
    """Bring the database's tables up to this version."""
    if before and back:
        raise InvalidInput("It is either --before or --back.")
    what = settings()
    what.data.mkdir(parents=True, exist_ok=True)

    async def work() -> tuple[str | None, str | None]:
        database = Database(what.database)
        try:
            was = await current(database)
            if was is not None and was not in REVISIONS:
                await check_current(database)
                return was, was  # of a newer version, and of use to this one too
        finally:
            await database.close()
        if back:
            return was, await go_back(what.database, was)
        if before:
            return was, await upgrade_before(what.database, was) or was
        await upgrade(what.database)
        return was, HEAD

    was, now = asyncio.run(work())
    if was != now:
        text = f"The database went from {was or 'empty'} to {now}."
    elif before and now != HEAD:
        text = f"Nothing can be done before an older version is stopped; the database stays at {now or 'empty'}."
    else:
        text = f"The database is at {now} already."
    say({"before": was, "now": now}, text, as_json=as_json)
