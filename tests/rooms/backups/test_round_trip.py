"""What is restored is what was backed up, but for the jobs, which are paused."""

import asyncio
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import inspect, select, table

from makers import make_persona, make_post
from privapub.backups.back_up import back_up
from privapub.backups.manifest import Manifest
from privapub.backups.place import Place
from privapub.backups.restore import restore
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job
from privapub.migrations.run import HEAD, REVISIONS, check_current

NOW = 1_800_000_000.0


def saved(place: Place, target: Path) -> Manifest:
    return back_up(place, target, "9.9", NOW)


def put_back(source: Path, place: Place, **changes: Any) -> Manifest:
    return restore(source, place, **{"revisions": REVISIONS, "stay": {"prune"}, "empty": True, **changes})


async def whole(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table but those of the queue."""
    database = Database(url)
    async with database.read() as tx:
        names = await tx.connection.run_sync(lambda connection: inspect(connection).get_table_names())
        rows = {
            name: sorted(map(tuple, await tx.all(select("*").select_from(table(name)))), key=repr) for name in names
        }
    await database.close()
    return {name: found for name, found in rows.items() if name not in {"job", "lane"}}


async def jobs(url: str) -> Sequence[Any]:
    database = Database(url)
    async with database.read() as tx:
        rows = await tx.all(select(job.c.kind, job.c.lane, job.c.state, job.c.attempt).order_by(job.c.id))
    await database.close()
    return [tuple(row) for row in rows]


def media(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


async def test_a_restored_place_is_the_one_that_was_backed_up(
    database: Database, place: Place, elsewhere: Place, tmp_path: Path
) -> None:
    async with database.write() as tx:
        persona = await make_persona(tx)
        await make_post(tx, persona.id)
        await put(tx, [NewJob("delivery", "host:a.test"), NewJob("prune", "prune")])
    (place.media / "ab").mkdir(parents=True)
    (place.media / "ab" / "picture").write_bytes(os.urandom(3_000_000))
    (place.media / "empty").write_bytes(b"")
    (place.media / "link").symlink_to("/etc/passwd")
    file = tmp_path / "saved.tar"
    made = await asyncio.to_thread(saved, place, file)
    assert (made.domain, made.version, made.database.schema) == (place.domain, "9.9", HEAD)
    assert (made.media.files, made.media.bytes) == (2, 3_000_000)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert hidden(tmp_path) == []
    assert await asyncio.to_thread(put_back, file, elsewhere) == made
    assert await whole(elsewhere.database) == await whole(place.database)
    assert len((await whole(elsewhere.database))["post"]) == 1
    before, after = await jobs(place.database), await jobs(elsewhere.database)
    assert after == [(*row[:2], "waiting" if row[0] == "prune" else "paused", row[3]) for row in before]
    assert len(after) == 3
    assert {name: body for name, body in media(place.media).items() if name != "link"} == media(elsewhere.media)
    assert {path.name for path in elsewhere.data.iterdir()} <= {"media", "privapub.sqlite3"}
    restored = Database(elsewhere.database)
    await check_current(restored)
    await restored.close()
