"""A restore that is killed has restored nothing, and the next one is not in its way."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from fakes.processes import FORKED
from makers import make_persona
from privapub.backups.back_up import back_up
from privapub.backups.place import Place
from privapub.backups.restore import restore
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.migrations.run import REVISIONS
from rooms.backups import killed


async def there_to_use(place: Place) -> bool:
    """Whether a server would find a database."""
    if place.kind == "sqlite":
        return place.file.exists()
    connection = await asyncpg.connect(place.database)
    found = await connection.fetchval("SELECT to_regclass('alembic_version') IS NOT NULL")
    await connection.close()
    return bool(found)


async def jobs(place: Place) -> list[tuple[str, str]]:
    if place.kind == "sqlite":
        with closing(sqlite3.connect(place.file)) as connection:
            return connection.execute("SELECT lane, state FROM job ORDER BY id").fetchall()
    connection = await asyncpg.connect(place.database)
    rows = await connection.fetch("SELECT lane, state FROM job ORDER BY id")
    await connection.close()
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("point", ["reading", "unpacking", "putting it in place", killed.BEFORE_THE_END])
async def test_a_restore_that_is_killed_leaves_nothing_that_serves(
    database: Database, place: Place, elsewhere: Place, tmp_path: Path, point: str
) -> None:
    async with database.write() as tx:
        await make_persona(tx)
        await put(tx, [NewJob("delivery", "host:a.test")])
    place.media.mkdir()
    (place.media / "picture").write_bytes(b"p" * 100_000)
    file = tmp_path / "saved.tar"
    made = await asyncio.to_thread(back_up, place, file, "1.0", 1.8e9)
    hears, says = FORKED.Pipe(duplex=False)
    process = FORKED.Process(target=killed.restore, args=(str(file), elsewhere, point, says), daemon=True)
    process.start()
    says.close()
    assert await asyncio.to_thread(hears.poll, 120)
    assert hears.recv_bytes() == b"there"
    assert not await there_to_use(elsewhere)
    process.kill()
    await asyncio.to_thread(process.join, 60)
    assert not await there_to_use(elsewhere)
    # As if nothing had been: nothing in the place, and nothing beside it.
    again = await asyncio.to_thread(lambda: restore(file, elsewhere, revisions=REVISIONS, stay=(), empty=True))
    assert again == made
    assert ("host:a.test", "paused") in await jobs(elsewhere)
    assert {state for _, state in await jobs(elsewhere)} == {"paused"}
    names = {path.relative_to(elsewhere.data).as_posix() for path in elsewhere.data.rglob("*")}
    assert names - {"privapub.sqlite3"} == {"media", "media/picture"}


async def test_the_media_of_a_place_that_came_to_life_are_not_cleared_away(
    database: Database, place: Place, elsewhere: Place, tmp_path: Path
) -> None:
    async with database.write() as tx:
        await make_persona(tx)
    place.media.mkdir()
    (place.media / "picture").write_bytes(b"p")
    file = tmp_path / "saved.tar"
    await asyncio.to_thread(back_up, place, file, "1.0", 1.8e9)
    await asyncio.to_thread(lambda: restore(file, elsewhere, revisions=REVISIONS, stay=(), empty=True))
    # Killed after its last step, before it could put its things away.
    (elsewhere.data / ".restoring").mkdir()
    (elsewhere.data / ".restoring" / "the-media-folder-is-of-this-restore").touch()
    with pytest.raises(Exception, match="already"):
        await asyncio.to_thread(lambda: restore(file, elsewhere, revisions=REVISIONS, stay=(), empty=False))
    assert await there_to_use(elsewhere)
    assert sorted(path.name for path in elsewhere.data.iterdir() if path.name != "privapub.sqlite3") == ["media"]
    assert (elsewhere.media / "picture").read_bytes() == b"p"
