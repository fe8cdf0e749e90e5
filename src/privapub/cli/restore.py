"""`privapub restore`."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from privapub.backups.restore import restore as put_back
from privapub.cli.backup import stands
from privapub.cli.opened import settings
from privapub.cli.options import Json
from privapub.cli.output import Progress, say
from privapub.database.connect import Database
from privapub.effects.prune import PRUNE
from privapub.jobs.pause import count
from privapub.migrations.run import HEAD, REVISIONS

# What keeps the house in order speaks to nobody outside, and goes on.
STAY = frozenset({PRUNE})


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `privapub backup` made.")],
    *,
    other_domain: Annotated[
        bool,
        typer.Option("--other-domain", help="Although the settings name another address than the backup's."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Put a backup back where nothing is; what it had yet to send is paused until `privapub jobs resume`."""
    what = settings()
    place, empty = stands(what)
    with Progress() as progress:
        made = put_back(
            file, place, revisions=REVISIONS, stay=STAY, empty=empty, other_domain=other_domain, progress=progress
        )
    paused = asyncio.run(_paused(what.database))
    lines = [f"The backup of {made.made_at} is restored: the database and the media ({made.media.files} files)."]
    if made.database.schema != HEAD:
        lines.append(f"It has schema {made.database.schema}: run `privapub migrate` before the server is started.")
    if paused:
        lines.append(
            f"Paused, so that this copy sends nothing unasked: {paused} of its jobs. Once the server that the backup "
            "was made of runs no more, `privapub jobs resume` lets them go out."
        )
    say(
        {"file": str(file), "paused": paused, "migrate": made.database.schema != HEAD, **msgspec.to_builtins(made)},
        "\n".join(lines),
        as_json=as_json,
    )


async def _paused(url: str) -> int:
    database = Database(url)
    try:
        async with database.read() as tx:
            return await count(tx)
    finally:
        await database.close()
