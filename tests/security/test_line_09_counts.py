"""Line 9, side doors: what is counted and logged tells of nobody who reads, what they read, and as whom one writes.

What may be there: of who follows, is followed or is written to, what following and writing need; of a host that only
read, one row (day, host, count) where its key had to be asked for. Nothing else may change by being read.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
import structlog
from sqlalchemy import text

from fakes.activities import follow_of
from fakes.world import Person, World
from makers import make_post
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.follows import blocking
from privapub.posts.read import DIRECT, FOLLOWERS, PUBLIC, Post

DOCUMENT = "application/activity+json"
TELEMETRY = {"fetch", "reader_fetch", "arrival", "departure", "traffic"}
BY_READING = {"traffic", "reader_fetch"}

Tables = Mapping[str, list[tuple[Any, ...]]]


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    """Gives all that was printed and logged: by us at any level, by others as `begin_logging` lets them."""
    caplog.set_level(logging.WARNING)
    with structlog.testing.capture_logs() as lines:

        def all_of_it() -> str:
            out = capfd.readouterr()
            return "\n".join((repr(lines), caplog.text, out.out, out.err))

        yield all_of_it


async def tables(database: Database) -> Tables:
    names = text(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if database.is_sqlite
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    async with database.read() as tx:
        found = [name for (name,) in await tx.all(names)]
        return {
            name: sorted((tuple(row) for row in await tx.all(text(f'SELECT * FROM "{name}"'))), key=repr)  # noqa: S608 - our tables
            for name in found
        }


async def read_signed(world: World, url: str, by: Person) -> int:
    """GET a document, signed as one who reads; the status."""
    headers = (("Host", "sut.test"), ("Accept", DOCUMENT))
    key = PrivateKey.from_pem(by.key_id, by.private)
    request = HttpRequest("GET", url, headers)
    signed = (*headers, *sign(request, key, "cavage", clock.now()))
    return (await world.get(url.removeprefix("https://sut.test"), dict(signed))).status


async def write_down(world: World) -> None:
    for each in world.server.counting:
        await each.flush()


def holding(word: str, found: Tables) -> set[str]:
    """The tables in which a word stands."""
    return {name for name, rows in found.items() if word in repr(rows)}


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


async def live(world: World) -> tuple[Actor, Person, list[Post]]:
    """A persona with a follower, whom it writes to, and somebody whom it blocks; all jobs are done."""
    alice, carol = await world.persona("alice"), world.person("https://peer.test/u/carol")
    mallory = await world.learnt(world.person("https://peer.test/u/mallory"))
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await world.drain()
    known = await world.actor(carol.uri)
    assert known is not None
    async with world.database.write() as tx:
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
        posts = [
            await make_post(tx, alice.id, audience, f"for-{audience}", named=[known.id] if audience == DIRECT else ())
            for audience in (PUBLIC, FOLLOWERS, DIRECT)
        ]
    await world.drain()
    await write_down(world)
    return alice, carol, posts


def addresses_of(alice: Actor, posts: list[Post]) -> list[str]:
    of_alice = [alice.uri + path for path in ("", "/outbox", "/followers", "/following", "/featured")]
    return of_alice + [post.uri + path for post in posts for path in ("", "/replies", "/context", "/likes", "/shares")]


async def test_reading_leaves_a_count_and_nothing_else(world: World, tmp_path: Path) -> None:
    alice, carol, posts = await live(world)
    site = await world.site("reader.test")
    rita = world.person("https://reader.test/u/rita-who-reads")
    before = await tables(world.database)
    answers = {
        by.handle: [await read_signed(world, url, by) for url in addresses_of(alice, posts)] for by in (carol, rita)
    }
    # Whoever may not read is told that there is nothing, whoever may reads: they were told apart by their keys.
    assert set(answers["carol"]) == {200}
    assert answers["rita-who-reads"] == [200] * 10 + [404] * 10
    assert len(world.asked("/u/rita-who-reads", site)) == 1
    await world.drain()
    await write_down(world)
    after = await tables(world.database)

    assert {name for name in after if after[name] != before[name]} == BY_READING
    assert before["reader_fetch"] == []
    assert after["reader_fetch"] == [(clock.iso_day(clock.now()), "reader.test", 1)]
    assert holding("reader.test", after) == {"reader_fetch"}
    assert holding("rita-who-reads", after) == set()
    if world.database.is_sqlite:
        files = await anyio.to_thread.run_sync(bytes_of, tmp_path)
        assert b"for-direct" in files  # the search does find what is there
        assert b"rita-who-reads" not in files


async def test_a_day_leaves_no_path_and_no_persona_in_what_is_counted_and_logged(
    world: World, said: Callable[[], str]
) -> None:
    alice, carol, posts = await live(world)
    await world.site("reader.test")
    rita = world.person("https://reader.test/u/rita-who-reads")
    for by in (carol, rita):
        for url in addresses_of(alice, posts):
            await read_signed(world, url, by)
    await world.get("/@alice", {"Accept": "text/html"})
    await world.drain()
    await write_down(world)
    found = await tables(world.database)

    counted = {name: rows for name, rows in found.items() if name in TELEMETRY}
    assert {name for name in TELEMETRY if not counted[name]} == set()
    cells = {cell for rows in counted.values() for row in rows for cell in row if isinstance(cell, str)}
    tokens = [uri.rpartition("/")[2] for uri in (alice.uri, *(post.uri for post in posts))]
    for word in ("/", "@", "?", "alice", "carol", "rita", "mallory", "circle", DIRECT, "sut.test", *tokens):
        assert [cell for cell in cells if word in cell] == [], word
    assert holding("reader.test", found) == {"reader_fetch"}
    logged = said()
    assert "'event': 'fetch'" in logged  # what the house asks for by itself is told
    for word in ("reader.test", "rita-who-reads", "alice", "carol", "for-direct", *tokens):
        assert word not in logged, word


@pytest.mark.parametrize("served", [None, {"id": "https://reader.test/u/rita-who-reads", "type": "Person"}, b"<html>"])
async def test_a_reader_whose_key_cannot_be_had_leaves_no_more(
    world: World, said: Callable[[], str], served: object
) -> None:
    alice, _, posts = await live(world)
    await world.site("reader.test")
    rita = Person("https://reader.test/u/rita-who-reads", "rita-who-reads")
    if served is not None:
        world.serve(rita.uri, served)
    before = await tables(world.database)
    said()
    lines_before = len(said())
    assert [await read_signed(world, url, rita) for url in addresses_of(alice, posts)][10:] == [404] * 10
    await world.drain()
    await write_down(world)
    after = await tables(world.database)
    assert {name for name in after if after[name] != before[name]} == BY_READING
    assert after["reader_fetch"] == [(clock.iso_day(clock.now()), "reader.test", 1)]
    assert "reader.test" not in said()
    assert len(said()) == lines_before  # not a line was said of it
