"""What the store and the database do not agree on: files that nothing names, and names that have no file.

A kill while a file is stored, or before the row is written that names it, leaves the first; a store that lost something
leaves the second. One takes room, and may be an upload as it came; the other shows nothing. What is not ours in the
store is left alone.

In the cache of files elsewhere it is the same, but that rows come before files there: what no row names may go at once.
After a backup was restored there may be much of both.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select

from privapub.media import names
from privapub.media.tables import medium
from privapub.proxy import cache
from privapub.server import Server

YOUNG = 6 * 3600.0  # seconds: what is no older may belong to a job that still runs
_ROWS = 1000
_AT_ONCE = 500


@dataclass(frozen=True)
class Swept:
    """Places in the store of files that nothing names, their bytes, and names of files that are not there."""

    orphans: tuple[str, ...]
    bytes: int
    missing: tuple[str, ...]
    cache: "SweptCache"


@dataclass(frozen=True)
class SweptCache:
    """How many files in the cache nothing names, their bytes, and how many that are named are not there."""

    orphans: int
    bytes: int
    missing: int


async def sweep(server: Server, now: float, *, also: Collection[str] = (), dry_run: bool = False) -> Swept:
    """Compare the two, and delete the files that nothing names and that are no longer young, unless it is a dry run.

    `also` are names of files that other rooms keep.
    """
    stored = {place: (size, at) async for place, size, at in server.files.list()}
    named = {names.place(name) for name in {*await _named(server), *also}}
    missing = tuple(sorted(named - set(stored)))
    stored |= {place: (size, at) for place, size, at in await server.files.begun()}
    unnamed = {place for place in stored if place not in named and names.is_place(place.partition("#")[0])}
    orphans = sorted(place for place in unnamed if stored[place][1] < now - YOUNG)
    if not dry_run:
        await server.files.delete(orphans)
    taken = sum(stored[place][0] for place in orphans)
    return Swept(tuple(orphans), taken, missing, await _sweep_cache(server, dry_run=dry_run))


async def _sweep_cache(server: Server, *, dry_run: bool) -> SweptCache:
    folder = server.proxy.folder
    # The folder is read before the rows: whatever is in it had its row by then, if it ever has one.
    there = await asyncio.to_thread(lambda: dict(folder.walk()))
    orphans: list[str] = []
    stored = sorted(there)
    for at in range(0, len(stored), _AT_ONCE):
        some = stored[at : at + _AT_ONCE]
        async with server.database.read() as tx:
            named = await cache.named(tx, some)
        orphans += [name for name in some if name not in named]
    lost, after = 0, ""
    while True:
        async with server.database.read() as tx:
            ready = await cache.ready(tx, after, _AT_ONCE)
        if not ready:
            break
        after = ready[-1][0]
        for key, files in ready:
            if await asyncio.to_thread(folder.has, files):
                continue
            lost += 1
            if not dry_run:
                async with server.database.write() as tx:
                    await cache.forget(tx, key, files)
    if not dry_run:
        await folder.delete(orphans)
        await cache.sweep(server.database, folder)
    return SweptCache(len(orphans), sum(there[name] for name in orphans), lost)


async def _named(server: Server) -> set[str]:
    """The names of all files that a row names."""
    found: set[str] = set()
    last = 0
    while True:
        some = select(medium.c.id, medium.c.files, medium.c.source, medium.c.poster_source).where(medium.c.id > last)
        async with server.database.read() as tx:
            rows = await tx.all(some.order_by(medium.c.id).limit(_ROWS))
        for row in rows:
            found.update(str(file["name"]) for file in row.files)
            found.update(name for name in (row.source, row.poster_source) if name is not None)
        if len(rows) < _ROWS:
            return found
        last = rows[-1].id
