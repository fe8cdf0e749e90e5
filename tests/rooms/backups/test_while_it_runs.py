"""A backup is of one moment, however much is written and sent meanwhile; and what is restored is silent."""

import asyncio
import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select
from structlog.testing import capture_logs

from fakes.internet import LOOPBACK, Site
from makers import private_keys, profile
from privapub import app, clock
from privapub.actors.addresses import Addresses
from privapub.actors.remote import learn
from privapub.backups import sqlite
from privapub.backups.back_up import back_up
from privapub.backups.place import Place
from privapub.backups.restore import restore
from privapub.cli.restore import STAY
from privapub.database.connect import Database
from privapub.federation.delivery.tables import sent
from privapub.follows.follow import receive as follow
from privapub.job_table import job_kinds
from privapub.jobs import pause
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job
from privapub.jobs.worker import Worker
from privapub.migrations.run import REVISIONS
from privapub.personas.create import create
from privapub.posts.publish import publish
from privapub.server import Server
from privapub.settings import Settings

FOLLOWERS = 6
NOW = 1.8e9


def test_sqlite_is_copied_in_steps_between_which_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "PAGES", 1)
    source = tmp_path / "source"
    writer = sqlite3.connect(source, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.executescript("""
        CREATE TABLE alembic_version(version_num TEXT);
        INSERT INTO alembic_version VALUES ('0001');
        CREATE TABLE thing(n INTEGER, filling BLOB);""")
    writer.executemany("INSERT INTO thing VALUES (?, zeroblob(4000))", [(n,) for n in range(50)])
    left: list[int] = []

    def written(done: int, total: int) -> None:
        left.append(total - done)
        writer.execute("INSERT INTO thing VALUES (?, zeroblob(4000))", (100 + len(left),))
        writer.execute("UPDATE thing SET n = n + 1000 WHERE n < 50")

    sqlite.copy(source, tmp_path / "target", written)
    assert left == sorted(left, reverse=True)
    assert len(left) == len(set(left)) > 50
    assert writer.execute("SELECT count(*) FROM thing").fetchone()[0] > 100
    with contextlib.closing(sqlite3.connect(tmp_path / "target")) as copy:
        assert copy.execute("SELECT n FROM thing ORDER BY n").fetchall() == [(n,) for n in range(50)]
    writer.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]


async def test_what_belongs_together_is_in_the_backup_whole(
    database: Database, place: Place, elsewhere: Place, tmp_path: Path
) -> None:
    enough = asyncio.Event()
    written = 0

    async def write() -> None:
        nonlocal written
        while not enough.is_set():
            async with database.write() as tx:
                await put(tx, [NewJob("left", f"{written}", {"filling": "x" * 2000})])
                await put(tx, [NewJob("right", f"{written}", {"filling": "x" * 2000})])
            written += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        while written < 50:  # noqa: ASYNC110 - the writer gives way at each turn
            await asyncio.sleep(0.01)
        before = written
        await asyncio.to_thread(back_up, place, tmp_path / "saved.tar", "1.0", NOW)
        after = written
        enough.set()
    await asyncio.to_thread(
        lambda: restore(tmp_path / "saved.tar", elsewhere, revisions=REVISIONS, stay=(), empty=True)
    )
    restored = Database(elsewhere.database)
    async with restored.read() as tx:
        rows = await tx.all(select(job.c.kind, job.c.lane))
    await restored.close()
    left, right = ({row.lane for row in rows if row.kind == kind} for kind in ("left", "right"))
    assert left == right == {str(n) for n in range(len(left))}
    assert before <= len(left) <= after + 1


class Peer:
    """A server that takes deliveries, slowly while it is told to, and knows what it took."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.taken: Counter[tuple[str, str]] = Counter()
        self.patient = asyncio.Event()
        self.busy = asyncio.Event()
        site.answer = self.answer

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.method != "POST":
            return web.Response(status=404)
        activity = json.loads(await request.read())["id"]
        if len(self.taken) >= FOLLOWERS:
            self.busy.set()
            await self.patient.wait()
        self.taken[request.path, activity] += 1
        return web.Response(status=202)


def settings(place: Place) -> Settings:
    return Settings(data=place.data, database_url=place.database, base_url=place.base_url, allow_addresses=LOOPBACK)


@contextlib.asynccontextmanager
async def opened(place: Place) -> AsyncIterator[Server]:
    server = app.open_server(settings(place))
    try:
        yield server
    finally:
        await app.close_server(server)


async def alice_with_followers(server: Server, site: Site) -> int:
    addresses = Addresses(server.base_url)
    async with server.database.write() as tx:
        alice = await create(tx, "alice", private_keys(), addresses=addresses, domain=server.domain, now=clock.now())
        for n in range(FOLLOWERS):
            uri = f"{site.url}/u/{n}"
            told = profile(f"p{n}@127.0.0.1:{site.port}", uri=uri, inbox=f"{uri}/inbox", shared_inbox=None)
            told = replace(told, keys=(replace(told.keys[0], id=f"{uri}#main-key"),))
            await follow(tx, await learn(tx, told, clock.now()), alice, f"{uri}/follow", clock.now())
    return alice


async def say(server: Server, alice: int, text: str) -> None:
    async with server.database.write() as tx:
        await publish(
            tx, author_id=alice, audience="public", source=text, content_html=f"<p>{text}</p>",
            addresses=Addresses(server.base_url), now=clock.now(),
        )  # fmt: skip


async def unfinished(server: Server) -> list[tuple[str, str]]:
    async with server.database.read() as tx:
        rows = await tx.all(select(job.c.kind, job.c.state).where(job.c.finished_at.is_(None)).order_by(job.c.id))
    return [tuple(row) for row in rows]


async def said_of_pauses(place: Place) -> list[Any]:
    """What a process that works says of them at its start."""
    stopping = app.Stopping()
    with capture_logs() as said:
        await app.run(
            settings(place), sockets=None, work=app.Work(), started=lambda _server: stopping(), stopping=stopping
        )
    return [line for line in said if "paused" in line["event"]]


async def test_a_restored_server_sends_nothing_until_it_is_told_to_and_then_each_delivery_once(
    place: Place, elsewhere: Place, tmp_path: Path
) -> None:
    file = tmp_path / "saved.tar"
    async with Site() as site, opened(place) as server:
        peer = Peer(site)
        alice = await alice_with_followers(server, site)
        await Worker(server.database, job_kinds(server)).drain()
        peer.taken.clear()
        await say(server, alice, "one")
        worker = Worker(server.database, job_kinds(server))
        running = asyncio.create_task(worker.run())
        await site.wait_for(FOLLOWERS)
        await say(server, alice, "two")
        await say(server, alice, "three")
        await peer.busy.wait()
        # Some are sent, some are being sent, some wait.
        await asyncio.to_thread(back_up, place, file, "1.0", NOW)
        in_backup_sent = {key for key, times in peer.taken.items() if times}
        peer.patient.set()
        worker.stop()
        await running
        await Worker(server.database, job_kinds(server)).drain()
        everything = set(peer.taken)
        assert len(everything) == 3 * FOLLOWERS

        made = await asyncio.to_thread(lambda: restore(file, elsewhere, revisions=REVISIONS, stay=STAY, empty=True))
        assert made.database.kind == place.kind
        peer.taken.clear()
        async with opened(elsewhere) as copy:
            await app.prepare(copy)
            states = {state for kind, state in await unfinished(copy) if kind not in STAY}
            number = len([kind for kind, _ in await unfinished(copy) if kind not in STAY])
            assert states == {"paused"}
            (line,) = await said_of_pauses(elsewhere)
            assert (line["log_level"], line["jobs"]) == ("warning", number)
            assert "`privapub jobs resume`" in line["event"]
            assert peer.taken == Counter()
            clock.advance(86400.0)
            await Worker(copy.database, job_kinds(copy)).drain()
            assert peer.taken == Counter()
            # What is said now goes out, for it was asked for.
            await say(copy, alice, "new")
            await Worker(copy.database, job_kinds(copy)).drain()
            assert sum(peer.taken.values()) == FOLLOWERS
            peer.taken.clear()

            async with copy.database.write() as tx:
                assert await pause.resume(tx) > 0
            await Worker(copy.database, job_kinds(copy)).drain()
            assert await said_of_pauses(elsewhere) == []
            assert [kind for kind, _ in await unfinished(copy) if kind not in STAY] == []
            assert set(peer.taken.values()) == {1}
            assert set(peer.taken) <= everything
            assert set(peer.taken) | in_backup_sent == everything
            async with copy.database.read() as tx:
                rows = await tx.all(select(sent.c.outcome))
            assert [row.outcome for row in rows] == ["taken"] * 4 * FOLLOWERS
