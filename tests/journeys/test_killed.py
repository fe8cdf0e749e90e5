"""Processes that are killed again and again, at moments drawn by chance, in the middle of their work, lose nothing.

A web process and two workers run as they do in a town; what is killed is one of them, the parent that keeps one
running, or a connection of PostgreSQL. `PRIVAPUB_TEST_KILLS` says how often.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy import event, func, select

from fakes import ports
from fakes.internet import LOOPBACK, Site
from fakes.processes import FORKED
from fakes.serving import serve
from makers import private_keys, profile
from privapub import app, clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.actors.read import by_id
from privapub.actors.remote import learn
from privapub.database.connect import Database
from privapub.federation.delivery.tables import sent
from privapub.federation.inbox.tables import incoming
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.follows.follow import receive as follow
from privapub.job_table import job_kinds
from privapub.jobs.reaper import reap
from privapub.jobs.tables import job
from privapub.jobs.worker import Worker
from privapub.personas.create import create
from privapub.posts.publish import publish
from privapub.posts.tables import post
from privapub.settings import Settings, load

KILLS = int(os.environ.get("PRIVAPUB_TEST_KILLS", "15"))
PEERS = 3
FOLLOWERS = 2  # at each peer, each with an inbox of its own
LEASE = 120.0
BREATH = 0.1  # seconds between two posts of one sender: the next process needs a processor too, to start
ACTIVITY = "application/activity+json"


@dataclass
class Tree:
    """One of the commands that last: the parent, and the child that it keeps running."""

    words: tuple[str, ...]
    environ: dict[str, str]
    said: Path
    parent: BaseProcess = field(init=False)
    heard: Connection = field(init=False)
    child: int = 0

    async def start(self) -> None:
        """Be there, and ready."""
        self.heard, says = FORKED.Pipe(duplex=False)
        with says:
            args = (self.environ, str(self.said), says, *self.words)
            self.parent = FORKED.Process(target=serve, args=args, daemon=True)
            self.parent.start()
        assert await self.ready(), self.tail()

    async def ready(self) -> bool:
        """Wait for the next child that is ready; False when nobody is left who could become so."""
        async with asyncio.timeout(120):
            await readable(self.heard.fileno())
        try:
            self.child = int(self.heard.recv_bytes())
        except EOFError:
            return False
        return True

    async def kill_child(self) -> None:
        """The parent starts another."""
        os.kill(self.child, signal.SIGKILL)
        assert await self.ready(), self.tail()

    async def kill_parent(self) -> None:
        """The child ends with it: only then is the port free for the next."""
        self.parent.kill()
        assert not await self.ready()
        self.heard.close()
        await self.start()

    async def stop(self) -> None:
        self.parent.terminate()
        async with asyncio.timeout(60):
            await readable(self.parent.sentinel)
        self.parent.join(10)
        self.heard.close()
        assert self.parent.exitcode == 0, self.tail()

    def tail(self) -> str:
        return self.said.read_text(encoding="utf-8")[-3000:]


@dataclass
class Place:
    """One database, the processes that work on it, and the peers around."""

    environ: dict[str, str]
    port: int
    settings: Settings
    database: Database
    alice: int = 0
    alice_uri: str = ""
    inbox: str = ""
    kills: int = 0
    senders: list[str] = field(default_factory=list)
    # How often was killed when it came: for each inbox path with its port and activity id.
    taken: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    acknowledged: set[str] = field(default_factory=set)  # posts that our server answered 202 for
    written: set[int] = field(default_factory=set)  # posts of alice that were committed
    ours: set[int] = field(default_factory=set)  # connections of PostgreSQL that are the test's own

    def tree(self, *words: str) -> Tree:
        number = identifiers.token()
        return Tree(words, self.environ, Path(self.environ["PRIVAPUB_DATA"]).with_name(f"said-{number}"))

    def know_own_connections(self) -> None:
        if not self.database.is_sqlite:
            event.listen(
                self.database.engine.sync_engine,
                "connect",
                lambda connection, _: self.ours.add(connection.driver_connection.get_server_pid()),
            )

    async def cut_a_connection(self) -> None:
        """PostgreSQL ends one of those that the processes hold."""
        async with self.database.read() as tx:
            await tx.raw(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> ALL($1::int[]) ORDER BY random() LIMIT 1",
                (list(self.ours),),
            )


async def readable(file: int) -> None:
    """As soon as there is something to read, be it the end."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(file, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(file)


@contextlib.asynccontextmanager
async def a_place(url: str, folder: Path) -> AsyncIterator[Place]:
    port = ports.free()
    own = {
        "PRIVAPUB_DATA": str(folder / "data"),
        "PRIVAPUB_DATABASE_URL": url,
        "PRIVAPUB_BASE_URL": f"http://127.0.0.1:{port}",
        "PRIVAPUB_LISTEN": f"127.0.0.1:{port}",
        "PRIVAPUB_ALLOW_ADDRESSES": ",".join(str(network) for network in LOOPBACK),
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIVAPUB_")}
    place = Place({**kept, **own}, port, load({**own}).settings, Database(url))
    place.know_own_connections()
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(place.database.close)
        sites = [await stack.enter_async_context(Site()) for _ in range(PEERS)]
        await _people(place, sites)
        for site in sites:
            site.answer = _takes(place, site)
        yield place


async def _people(place: Place, sites: list[Site]) -> None:
    addresses = Addresses(place.settings.base_url)
    async with place.database.write() as tx:
        place.alice = await create(
            tx, "alice", private_keys(), addresses=addresses, domain=place.settings.handle_domain, now=clock.now()
        )
        alice = await by_id(tx, place.alice)
        assert alice is not None
        place.alice_uri = alice.uri
        for site in sites:
            for number in range(FOLLOWERS):
                uri = f"{site.url}/u/{number}"
                place.senders.append(uri)
                told = profile(f"p{number}@127.0.0.1:{site.port}", uri=uri, inbox=f"{uri}/inbox", shared_inbox=None)
                told = replace(told, keys=(replace(told.keys[0], id=f"{uri}#main-key"),))
                await follow(tx, await learn(tx, told, clock.now()), place.alice, f"{uri}/follow", clock.now())
    place.inbox = f"{place.settings.base_url}/inbox"


def _takes(place: Place, site: Site) -> Any:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method == "POST":
            place.taken[f"{site.port}{request.path}", json.loads(await request.read())["id"]].append(place.kills)
        return web.Response(status=202 if request.method == "POST" else 404)

    return answer


async def write_to(place: Place, session: aiohttp.ClientSession, sender: str) -> None:
    """One post of somebody elsewhere; remembered if it was acknowledged."""
    uri = f"{sender}/n/{identifiers.token()}"
    note = {
        "id": uri, "type": "Note", "attributedTo": sender, "content": "<p>Hi</p>",
        "to": ["https://www.w3.org/ns/activitystreams#Public"],
        "tag": [{"type": "Mention", "href": place.alice_uri}], "cc": [place.alice_uri],
    }  # fmt: skip
    body = json.dumps({"id": f"{uri}/activity", "type": "Create", "actor": sender, "object": note}).encode()
    host = place.inbox.split("/")[2]
    request = HttpRequest("POST", place.inbox, (("Host", host), ("Content-Type", ACTIVITY)), body)
    key = PrivateKey.from_pem(f"{sender}#main-key", private_keys().rsa)
    headers = [*request.headers, *sign(request, key, "cavage", clock.now())]
    with contextlib.suppress(aiohttp.ClientError, OSError):
        async with session.post(f"http://127.0.0.1:{place.port}/inbox", data=body, headers=headers) as answer:
            if answer.status == 202:
                place.acknowledged.add(uri)


async def write_here(place: Place) -> None:
    """One post of alice, written in a process of its own beside the server; remembered once it is committed."""
    async with place.database.write() as tx:
        post_id = await publish(
            tx, author_id=place.alice, audience="public", source="Hi", content_html="<p>Hi</p>",
            addresses=Addresses(place.settings.base_url), now=clock.now(),
        )  # fmt: skip
    place.written.add(post_id)


async def passed(enough: asyncio.Event) -> None:
    """A breath, cut short when it is enough."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(BREATH):
            await enough.wait()


async def load_until(place: Place, enough: asyncio.Event) -> None:
    """Posts from everywhere, as fast as they are taken."""

    async def speak(session: aiohttp.ClientSession, sender: str) -> None:
        while not enough.is_set():
            await write_to(place, session, sender)
            await passed(enough)

    async def write() -> None:
        while not enough.is_set():
            await write_here(place)
            await passed(enough)

    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
        for sender in place.senders[::2]:
            group.create_task(speak(session, sender))
        group.create_task(write())


async def end_all(place: Place) -> None:
    """Let every lease expire, and run what is left in this process, until nothing is."""
    server = app.open_server(place.settings)
    kinds = job_kinds(server)
    try:
        for _ in range(40):
            clock.advance(LEASE + 10.0)
            await reap(server.database, kinds)
            async with place.database.read() as tx:
                assert await tx.scalar(select(func.count()).select_from(job).where(job.c.state == "leased")) == 0
            await Worker(server.database, kinds).drain()
            clock.advance(3600.0)
            async with place.database.read() as tx:
                if not await tx.scalar(
                    select(func.count())
                    .select_from(job)
                    .where(job.c.finished_at.is_(None), job.c.kind.in_(["inbox", "delivery", "post_published"]))
                ):
                    return
        raise AssertionError("jobs are left")
    finally:
        await app.close_server(server)


@pytest.mark.hangs_after(300 + 15 * KILLS)
async def test_kills_under_load_lose_nothing_that_was_acknowledged(database_url: str, tmp_path: Path) -> None:
    async with a_place(database_url, tmp_path) as place:
        await kill_again_and_again(place)
        assert place.acknowledged
        assert place.written
        await end_all(place)
        async with place.database.read() as tx:
            kept = {row.uri for row in await tx.all(select(post.c.uri).where(post.c.local.is_(False)))}
            waiting = await tx.scalar(select(func.count()).select_from(incoming).where(incoming.c.handled_at.is_(None)))
            leased = await tx.scalar(select(func.count()).select_from(job).where(job.c.state == "leased"))
            failed = await tx.all(select(job.c.kind, job.c.why).where(job.c.state != "done", job.c.kind != "prune"))
            rows = await tx.all(select(sent.c.post_id, sent.c.inbox, sent.c.outcome))
        assert place.acknowledged <= kept
        assert (waiting, leased) == (0, 0)
        assert [tuple(row) for row in failed] == []
        assert {row.outcome for row in rows} == {"taken"}
        assert Counter(row.post_id for row in rows) == Counter(dict.fromkeys(place.written, PEERS * FOLLOWERS))
        got = {inbox for inbox, _ in place.taken}
        assert len(got) == PEERS * FOLLOWERS
        assert Counter(inbox for inbox, _ in place.taken) == Counter(dict.fromkeys(got, len(place.written) + 1))
        for came in place.taken.values():
            assert len(set(came)) == len(came), "what came twice was under way when something was killed"


async def kill_again_and_again(place: Place) -> None:
    """Under load, whatever there is to kill, as soon as the last one is back."""
    trees = [place.tree("web"), place.tree("work"), place.tree("work")]
    for tree in trees:
        await tree.start()
    ways: list[Callable[[], Awaitable[None]]] = [tree.kill_child for tree in trees]
    if not place.database.is_sqlite:
        ways += [place.cut_a_connection] * 3
    enough = asyncio.Event()
    loading = asyncio.create_task(load_until(place, enough))
    try:
        for turn in range(KILLS):
            await asyncio.sleep(random.uniform(0.1, 0.5))  # noqa: S311 - the moment is what the test draws
            # Each of them in turn, and now and then a parent.
            kill = random.choice(trees).kill_parent if turn % 7 == 3 else ways[turn % len(ways)]  # noqa: S311 - as above
            place.kills += 1
            await kill()
            place.kills += 1  # what was under way when it was killed may come until the next is there
    finally:
        enough.set()
        await loading
    for tree in trees:
        await tree.stop()
