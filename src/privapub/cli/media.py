"""`privapub media …`: what becomes of pictures, films and sounds."""

import asyncio
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import settings, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.emojis import keep as emojis
from privapub.errors import InvalidInput
from privapub.media import ffmpeg
from privapub.media import sweep as sweep_
from privapub.media.process import Made, Want, bounds_of, process
from privapub.media.sweep import Swept
from privapub.server import Server

app = typer.Typer(name="media", help="Pictures, films and sounds.", no_args_is_help=True)


@app.callback()
def media() -> None:
    """Pictures, films and sounds."""


@app.command(name="process")
def process_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A picture, a film or a sound.")],
    *,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where what is made of it is laid. Absent: it is only told.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make of a file what an upload of it would become, and tell what was taken out of it."""
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}.")
    what = settings()
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="privapub-") as folder:
        work = process(file, Path(folder), Want("post"), bounds_of(what), programs=ffmpeg.find(what.ffmpeg))
        made = asyncio.run(work)
        laid = [_laid(each.path, into, f"{each.role}{each.path.suffix}") for each in made.files]
    say(shown(made, laid), "\n".join(_lines(made, laid)), as_json=as_json)


@app.command()
def sweep(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Delete nothing, only tell.")] = False,
    as_json: Json = False,
) -> None:
    """Delete stored files older than 6 hours that nothing names, and tell which are missing; in the cache too."""

    async def work(server: Server) -> Swept:
        async with server.database.read() as tx:
            kept = [each.file for each in await emojis.listed(tx)]
        return await sweep_.sweep(server, clock.now(), also=kept, dry_run=dry_run)

    found = with_server(work)
    told: dict[str, Any] = {
        "deleted": not dry_run,
        "orphans": found.orphans,
        "bytes": found.bytes,
        "missing": found.missing,
    }
    told["cache"] = asdict(found.cache)
    verb = "would be deleted" if dry_run else "are deleted"
    lines = [f"{len(found.orphans)} files that nothing names ({found.bytes} bytes) {verb}."]
    if found.missing:
        lines.append(f"{len(found.missing)} files are missing: " + ", ".join(found.missing[:20]))
    lines.append(f"{found.cache.orphans} files in the cache that nothing names ({found.cache.bytes} bytes) {verb}.")
    if found.cache.missing:
        lines.append(
            f"{found.cache.missing} files are missing in the cache. They are fetched again when somebody looks."
        )
    say(told, "\n".join(lines), as_json=as_json)


def shown(made: Made, laid: list[Path | None]) -> dict[str, Any]:
    """What was made, as JSON shows it (pure)."""
    return {
        "kind": made.kind,
        "width": made.width,
        "height": made.height,
        "duration": made.duration,
        "animated": made.animated,
        "blurhash": made.blurhash,
        "colour": made.colour,
        "removed": list(made.removed),
        "files": [
            {
                "role": each.role,
                "media_type": each.media_type,
                "width": each.width,
                "height": each.height,
                "bytes": each.bytes,
                "path": None if path is None else str(path),
            }
            for each, path in zip(made.files, laid, strict=True)
        ],
    }


def _laid(path: Path, into: Path | None, name: str) -> Path | None:
    return None if into is None else Path(shutil.copyfile(path, into / name))


def _lines(made: Made, laid: list[Path | None]) -> list[str]:
    lines = []
    for each, path in zip(made.files, laid, strict=True):
        size = f", {each.width} by {each.height}" if each.width and each.height else ""
        lines.append(f"{each.role}: {each.media_type}{size}, {each.bytes} bytes{f': {path}' if path else ''}")
    taken = ", ".join(made.removed) or "there was nothing besides what is seen and heard"
    return [*lines, f"taken out: {taken}"]
