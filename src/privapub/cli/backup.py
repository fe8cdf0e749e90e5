"""`privapub backup`."""

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from privapub import clock
from privapub.backups.back_up import back_up
from privapub.backups.place import Place
from privapub.backups.postgresql import Asked, ask
from privapub.cli.opened import check_there, settings
from privapub.cli.options import Json
from privapub.cli.output import Progress, say
from privapub.database.connect import Database
from privapub.settings import Settings, masked


def backup(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write. Absent: privapub-DATE.tar, here.")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Write the database and the media to one file, while the server runs."""
    what = settings()
    check_there(what)
    now = clock.now()
    target = file or Path(f"privapub-{clock.iso_day(now)}.tar")
    place, _ = stands(what)
    with Progress() as progress:
        made = back_up(place, target, version("privapub"), now, progress)
    size = target.stat().st_size
    elsewhere = None if what.storage_folder else masked(what.storage)
    holds = "the database and the media" if elsewhere is None else "the database"
    missing = f"The media are at {elsewhere}: copy them after it, by themselves. " if elsewhere else ""
    say(
        {"file": str(target), "bytes": size, "media_elsewhere": elsewhere, **msgspec.to_builtins(made)},
        f"{target} holds {holds} ({made.media.files} files, {size / 1e6:,.1f} MB in all). {missing}"
        "Whoever reads it can write in the names of all personas: keep it as you keep a password.",
        as_json=as_json,
    )


def stands(what: Settings) -> tuple[Place, bool]:
    """Where these settings say that everything is, and whether a PostgreSQL among it holds no tables."""
    asked = Asked(0, empty=True)
    if not what.database.startswith("sqlite:"):
        asked = asyncio.run(_asked(what.database))
    place = Place(
        what.data,
        what.database,
        what.base_url,
        what.handle_domain,
        what.pg_tools,
        asked.version,
        what.storage_folder,
    )
    return place, asked.empty


async def _asked(url: str) -> Asked:
    database = Database(url)
    try:
        return await ask(database)
    finally:
        await database.close()
