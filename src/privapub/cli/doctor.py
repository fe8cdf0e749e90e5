"""`privapub doctor`."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import text as sql

from privapub import clock, scope
from privapub.app import check_ready, close_server, open_server
from privapub.backups.client_programs import find
from privapub.backups.postgresql import ask
from privapub.cli.opened import settings
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.errors import PrivaPubError, Unavailable
from privapub.federation.fetching.jrd import JRD_ACCEPT, JRD_TYPES
from privapub.markup.text import shortened
from privapub.media import ffmpeg, names
from privapub.media.process import MIB
from privapub.outbound.answers import FetchProblem
from privapub.proxy import cache
from privapub.server import Server

WRONG_CLOCK = 60.0  # seconds
_PROBE = b"PrivaPub looks whether files are kept."
_REASON = 200  # characters


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `state` is ok, warning or bad."""

    what: str
    state: str
    finding: str


def doctor(*, as_json: Json = False) -> None:
    """Look whether everything is as it must be: database, folder, backup, address, clock, media, cache, ffmpeg."""
    findings = asyncio.run(_examine())
    marks = {"ok": "✓", "warning": "!", "bad": "✗"}
    say(
        [asdict(finding) for finding in findings],
        "\n".join(f"{marks[f.state]} {f.what}: {f.finding}" for f in findings),
        as_json=as_json,
    )
    if any(finding.state == "bad" for finding in findings):
        sys.exit(1)


async def _examine() -> list[Finding]:
    try:
        server = open_server(settings())
    except PrivaPubError as error:
        return [Finding("folder", "bad", f"{error} {error.hint}")]
    try:
        return [Finding("folder", "ok", str(server.settings.data.resolve())), *[f async for f in _look(server)]]
    finally:
        await close_server(server)


async def _look(server: Server) -> AsyncIterator[Finding]:
    yield await _database(server)
    if not server.database.is_sqlite:
        yield await _backups(server)
    yield await _clock(server)
    yield await _address(server)
    if server.domain != urlsplit(server.base_url).netloc:
        yield await _handles(server)
    yield await _media(server)
    yield await _cache(server)
    yield await asyncio.to_thread(_ffmpeg, server.settings.ffmpeg)


async def _media(server: Server) -> Finding:
    """Whether the store of files takes one, tells its size and lets it go."""
    what, parts = "media", urlsplit(server.settings.storage)
    where = str(server.settings.storage_folder or f"s3://{parts.netloc}{parts.path}")  # without the keys
    name = names.place(names.new(None))
    try:
        await server.files.put(name, _PROBE)
        size = await server.files.size(name)
        await server.files.delete([name])
    except Unavailable as problem:
        reason = shortened(str(problem.__cause__).partition("\n")[0], _REASON)
        hint = "See what PRIVAPUB_STORAGE_URL names, and whether its keys and rights are right."
        return Finding(what, "bad", f"{where} takes no file: {reason}. Nobody can upload. {hint}")
    if size != len(_PROBE):
        return Finding(what, "bad", f"{where} did not keep what it was given. Nobody should upload.")
    return Finding(what, "ok", where)


async def _cache(server: Server) -> Finding:
    """Whether the folder for files elsewhere can be written, and whether the disk has the room that it may take."""
    what, bound = "cache", server.settings.cache_size * MIB
    folder = server.settings.cache_folder
    try:
        free = await asyncio.to_thread(_free, folder)
    except OSError as error:
        refused = "Pictures from elsewhere are not shown."
        hint = "Give the user who runs PrivaPub the right to write there, or choose another with PRIVAPUB_CACHE."
        return Finding(what, "bad", f"{folder} cannot be written: {error.strerror}. {refused} {hint}")
    try:
        async with server.database.read() as tx:
            taken = await cache.taken(tx)
    except Exception:  # noqa: BLE001 - what is wrong with the database is told above
        taken = 0
    told = f"{folder.resolve()}: {taken // MIB} MiB of at most {bound // MIB}, and the disk has {free // MIB} MiB free"
    if bound - taken > free:
        hint = "Lower PRIVAPUB_CACHE_SIZE, or choose a folder on a larger disk with PRIVAPUB_CACHE."
        return Finding(what, "warning", f"{told}: it will be full before the cache is. {hint}")
    return Finding(what, "ok", told)


def _free(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryFile(dir=folder):
        return shutil.disk_usage(folder).free


def _ffmpeg(setting: str) -> Finding:
    """Whether films and sounds can be processed."""
    refused = "Films and sounds are refused, and pictures are taken."
    try:
        programs = ffmpeg.find(setting)
    except PrivaPubError as error:
        return Finding("ffmpeg", "bad", f"{error} {refused} {error.hint}")
    if programs is None:
        return Finding("ffmpeg", "warning", f"not found. {refused} {ffmpeg.HINT}")
    return Finding("ffmpeg", "ok", f"{programs.ffmpeg} {programs.version}")


async def _database(server: Server) -> Finding:
    try:
        await check_ready(server)
    except PrivaPubError as error:
        return Finding("database", "bad", f"{error} {error.hint}")
    except Exception as error:  # noqa: BLE001 - drivers raise what they like when nobody answers
        return Finding("database", "bad", f"cannot be used: {error}")
    return Finding("database", "ok", "SQLite" if server.database.is_sqlite else "PostgreSQL")


async def _backups(server: Server) -> Finding:
    """Whether `privapub backup` and `restore` find the programs of PostgreSQL that they need."""
    what = "backup"
    try:
        version = (await ask(server.database)).version
    except PrivaPubError as error:
        return Finding(what, "warning", f"nothing can be said of it: {error}")
    try:
        found = [find(name, server.settings.pg_tools, version) for name in ("pg_dump", "pg_restore", "psql")]
    except PrivaPubError as error:
        return Finding(what, "warning", f"{error} {error.hint}")
    return Finding(what, "ok", str(found[0]))


async def _clock(server: Server) -> Finding:
    if server.database.is_sqlite:
        return Finding("clock", "ok", clock.iso(clock.now()))
    try:
        async with server.database.read() as tx:
            theirs = float(await tx.scalar(sql("SELECT extract(epoch FROM clock_timestamp())")))
    except Exception as error:  # noqa: BLE001 - the same
        return Finding("clock", "warning", f"cannot be compared with the database's: {error}")
    apart = abs(theirs - clock.now())
    if apart > WRONG_CLOCK:
        return Finding("clock", "bad", f"{apart:.0f} seconds apart from the database's: one of the two is wrong")
    return Finding("clock", "ok", clock.iso(clock.now()))


async def _address(server: Server) -> Finding:
    """Whether the base URL leads to a PrivaPub that knows its own application actor by webfinger."""
    url = f"{server.base_url}/.well-known/webfinger?resource=acct:{server.domain}@{server.domain}"
    try:
        with scope.purpose("webfinger"):
            await server.door.get(
                url, accept="application/jrd+json", content_types=frozenset({"application/jrd+json"}), fresh=True
            )
    except FetchProblem as problem:
        if problem.reason == "private-address":
            # Right for a trial on one's own machine; a name with a certificate was meant for others.
            state = "bad" if server.base_url.startswith("https:") else "warning"
            return Finding("base URL", state, f"{server.base_url} is a private address: nobody elsewhere can reach it")
        why = f"does not answer webfinger: {problem.reason}. Is the server running?"
        return Finding("base URL", "bad", f"{server.base_url} {why}")
    return Finding("base URL", "ok", f"{server.base_url} answers webfinger")


async def _handles(server: Server) -> Finding:
    """Whether the host in the handles, which is another one, leads to the same answer."""
    url = f"https://{server.domain}/.well-known/webfinger?resource=acct:{server.domain}@{server.domain}"
    try:
        with scope.purpose("webfinger"):
            await server.door.get(url, accept=JRD_ACCEPT, content_types=JRD_TYPES, fresh=True)
    except FetchProblem as problem:
        why = f"does not lead to {server.base_url}: {problem.reason}. Does it redirect /.well-known/webfinger?"
        return Finding("handles", "bad", f"end in @{server.domain}, which {why}")
    return Finding("handles", "ok", f"end in @{server.domain}, which leads here")
