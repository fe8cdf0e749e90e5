"""Jobs that end their process end in a state with a reason; the work goes on in a new process."""

import asyncio
import os
import signal
from pathlib import Path

import aiohttp
import anyio
import pytest
from sqlalchemy import func, select

from fakes import poison
from fakes.processes import FORKED
from journeys.test_killed import a_place
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job as table

FINE = 30


@pytest.mark.hangs_after(240)
async def test_whatever_a_job_does_to_its_process_the_others_are_done(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with database.write() as tx:
        for number in range(FINE):
            await put(tx, [NewJob("fine", "fine", {"n": number})])
            if number < len(poison.POISON):
                name = poison.POISON[number].__name__
                await put(tx, [NewJob(name, name)])
    said = tmp_path / "said"
    worker = FORKED.Process(target=poison.work, args=(database_url, str(said)), daemon=True)
    worker.start()
    try:
        with anyio.fail_after(180):
            while await unfinished(database):  # noqa: ASYNC110 - it is the database that is looked at
                await asyncio.sleep(0.2)
        assert worker.is_alive(), "the parent has survived it all"
        worker.terminate()
        await asyncio.to_thread(worker.join, 60)
        assert worker.exitcode == 0
    finally:
        worker.kill()
        worker.join(10)
    async with database.read() as tx:
        rows = await tx.all(select(table.c.kind, table.c.state, table.c.why, table.c.attempt))
    fine = [row for row in rows if row.kind == "fine"]
    assert {row.state for row in fine} == {"done"}
    bad = {row.kind: row for row in rows if row.kind != "fine"}
    assert {row.state for row in bad.values()} == {"failed"}
    # These two may be under way beside one that ends the process: the reason is then that.
    assert bad["eats_memory"].why.startswith(("MemoryError", "worker died"))
    assert bad["leaves"].why.startswith(("SystemExit", "worker died"))
    assert {bad[kind].why for kind in ("exits", "is_killed_for_memory", "blocks")} == {"worker died"}
    assert {row.attempt for row in bad.values()} == {poison.ATTEMPTS}
    why = said.read_text(encoding="utf-8")
    assert f"killed by {signal.SIGKILL.name}" in why
    assert "ended by itself, with status 0" in why
    assert "did not give a sign of life" in why


async def unfinished(database: Database) -> int:
    async with database.read() as tx:
        found = await tx.scalar(select(func.count()).select_from(table).where(table.c.finished_at.is_(None)))
    return int(found)


@pytest.mark.hangs_after(200)
async def test_a_server_that_dies_refuses_nobody_meanwhile(database_url: str, tmp_path: Path) -> None:
    async with a_place(database_url, tmp_path) as place, aiohttp.ClientSession() as session:
        tree = place.tree("serve")
        await tree.start()
        first = tree.child
        os.kill(first, signal.SIGKILL)
        # Nobody answers yet, but the one who holds the socket lets us wait.
        async with asyncio.timeout(100), session.get(f"http://127.0.0.1:{place.port}/") as answer:
            assert answer.status == 200
        assert await tree.ready()
        assert tree.child != first
        await tree.stop()
