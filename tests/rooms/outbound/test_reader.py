"""After a fetch that a reader caused, nothing in the house tells what was read."""

import logging
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
import structlog
from sqlalchemy import text

from fakes.internet import Internet, reply
from privapub import scope
from privapub.database.connect import Database
from privapub.outbound.answers import FetchProblem
from privapub.telemetry.fetches import FetchRecorder

SECRET = "what-a-reader-read"  # a path
QUERY = "and-asked-for"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[list[object]]:
    """Every log line of structlog, as its fields."""
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as captured:
        yield captured  # type: ignore[misc]  # a list of dicts is a list of objects


def all_files(folder: Path) -> list[str]:
    return [file.read_bytes().decode("latin-1") for file in folder.rglob("*") if file.is_file()]


async def everything(database: Database, folder: Path) -> str:
    """All text of all tables, and of the files in the folder (the database and its log among them)."""
    found = []
    async with database.read() as tx:
        names = text(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            if database.is_sqlite
            else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
        for (name,) in await tx.all(names):
            found += [repr(tuple(row)) for row in await tx.all(text(f'SELECT * FROM "{name}"'))]  # noqa: S608  # our tables
    found += await anyio.to_thread.run_sync(all_files, folder)
    return "\n".join(found)


async def asked(internet: Internet, recorder: FetchRecorder, trigger: str) -> None:
    """Asks in every way that can go right or wrong."""
    door = internet.door(recorder, timeout=5.0)
    with scope.trigger(trigger):
        for host in ("peer.test", "moved.test", "gone.test", "nowhere.test", "page.test", "redirected.test"):
            for purpose in ("object", "domain-list"):
                try:
                    with scope.purpose(purpose):
                        await door.get(
                            f"http://{host}/{SECRET}?q={QUERY}", accept="*/*", content_types=frozenset({"x/y"})
                        )
                except FetchProblem as problem:
                    structlog.get_logger().error("told by a caller", problem=repr(problem), exc_info=True)
        with scope.purpose("delivery"):
            await door.post(f"http://peer.test/{SECRET}", b"{}", content_type="x/y", sign=None)


async def test_after_a_readers_fetch_its_path_is_nowhere(
    database: Database,
    internet: Internet,
    tmp_path: Path,
    lines: list[object],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    moved = reply(status=302, headers={"Location": f"http://peer.test/{SECRET}/moved"})
    await internet.site("peer.test", reply(b"{}", content_type="x/y"))
    await internet.site("moved.test", moved)
    await internet.site("gone.test")
    await internet.site("page.test", reply(b"{}", content_type="text/html"))
    await internet.site("redirected.test", reply(status=302, headers={"Location": f"file:///{SECRET}"}))
    recorder = FetchRecorder(database)
    with anyio.fail_after(60):
        await asked(internet, recorder, scope.READER)
    assert {line["event"] for line in lines} <= {"told by a caller"}  # type: ignore[index]  # the door itself says nothing
    await recorder.flush()
    kept = await everything(database, tmp_path)
    out = capfd.readouterr()
    for said in (kept, str(lines), caplog.text, out.out, out.err):
        assert SECRET not in said
        assert QUERY not in said
    # The search does find what is there, and other fetches are kept with their host, and told.
    assert "gone.test" in kept
    assert "domain-list" not in kept
    with anyio.fail_after(60):
        await asked(internet, recorder, "context")
    await recorder.flush()
    kept = await everything(database, tmp_path)
    assert "domain-list" in kept
    assert any(line["event"] == "fetch" for line in lines)  # type: ignore[index]  # as above
    for said in (kept, str(lines), caplog.text, capfd.readouterr().out):
        assert SECRET not in said
        assert QUERY not in said
