"""Two servers in secure mode: they follow, write to and read each other, and nobody who does not sign reads either."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from shutil import copy

import pytest

from fakes.certificates import Authority
from fakes.internet import LOOPBACK
from fakes.world import World
from makers import make_persona, private_keys
from privapub import clock, identifiers
from privapub.actors import application, keys, read
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.composing.compose import write_post
from privapub.composing.find import find
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.follows import domains, follow
from privapub.follows.read import between
from privapub.moderation.domain_rules import Rule
from privapub.moderation.gate import DomainGate
from privapub.outbound.answers import FetchProblem
from privapub.posts.read import FOLLOWERS, PUBLIC, Post
from privapub.timelines.home import home

DOCUMENT = "application/activity+json"


class House:
    """One server, as it runs for its own people."""

    def __init__(self, world: World, host: str) -> None:
        self.world, self.host = world, host
        self.addresses = Addresses(f"http://{host}")

    async def persona(self, handle: str) -> Actor:
        async with self.world.database.write() as tx:
            await application.ensure(tx, self.addresses, self.host, clock.now())
            return (await make_persona(tx, handle, addresses=self.addresses, domain=self.host)).actor

    async def find(self, what: str) -> Actor | Post:
        return await find(self.world.server, what)

    async def follow(self, ours: Actor, address: str) -> None:
        theirs = await self.find(address)
        async with self.world.database.write() as tx:
            uri = self.addresses.activity(identifiers.token())
            await follow.ask(tx, ours.id, theirs.id, uri, clock.now())

    async def follows(self, ours: Actor, uri: str) -> str:
        async with self.world.database.read() as tx:
            theirs = await read.by_uri(tx, uri)
            standing = None if theirs is None else await between(tx, ours.id, theirs.id)
        return "" if standing is None else standing.state

    async def at_home(self, ours: Actor) -> list[str]:
        async with self.world.database.read() as tx:
            shown = await home(tx, ours.id, Window(limit=20), clock.now())
        return [entry.post.uri for entry in shown.items]

    async def read_unsigned(self, url: str) -> int:
        return (await self.world.get(url.removeprefix(f"http://{self.host}"), {"Accept": DOCUMENT})).status


@pytest.fixture
async def houses(
    database: Database, sqlite_template: Path, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[House, House]]:
    """one.test on each database, and two.test on a file of its own."""
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)
    copy(sqlite_template, tmp_path / "two.sqlite3")
    found = []
    async with AsyncExitStack() as stack:
        other = Database(f"sqlite:///{tmp_path / 'two.sqlite3'}")
        stack.push_async_callback(other.close)
        for host, its_own in (("one.test", database), ("two.test", other)):
            gate = DomainGate(its_own, [host])
            world = World(
                its_own, authority, gate=gate, base_url=f"http://{host}", allow_addresses=LOOPBACK, secure_mode=True
            )
            found.append(House(await stack.enter_async_context(world), host))
        one, two = found
        one.world.internet.names.at("two.test", two.world.port)
        two.world.internet.names.at("one.test", one.world.port)
        yield one, two


async def settle(*houses: House) -> None:
    """Let both do all that is due, until neither has anything left."""
    while sum([await house.world.drain() for house in houses]):
        pass


async def test_two_servers_in_secure_mode_follow_and_read_each_other(houses: tuple[House, House]) -> None:
    one, two = houses
    anna, bert = await one.persona("anna"), await two.persona("bert")
    # Neither knows anything of the other: each key has to be asked for, with a signature whose key has to be asked for.
    await one.follow(anna, "@bert@two.test")
    await settle(one, two)
    await two.follow(bert, "@anna@one.test")
    await settle(one, two)
    assert (await one.follows(anna, bert.uri), await two.follows(bert, anna.uri)) == ("accepted", "accepted")

    written = await write_post(one.world.server, anna.id, "For everybody", PUBLIC)
    closer = await write_post(one.world.server, anna.id, "For followers", FOLLOWERS)
    await settle(one, two)
    at_one = [written.uri, closer.uri]
    assert set(at_one) <= set(await two.at_home(bert))
    answer = await write_post(two.world.server, bert.id, "An answer", PUBLIC, reply_to=written.uri)
    await settle(one, two)
    assert answer.uri in await one.at_home(anna)

    for house, url, status in (
        (one, anna.uri, 401), (one, f"{anna.uri}/outbox", 401), (one, written.uri, 401), (one, closer.uri, 404),
        (two, bert.uri, 401), (two, answer.uri, 401), (two, two.addresses.application, 200),
    ):  # fmt: skip
        assert await house.read_unsigned(url) == status, url


async def written_at(one: House, two: House) -> tuple[str, str]:
    """Anna, and what she wrote for everybody; the other server, where Bert lives, was told of neither."""
    anna = await one.persona("anna")
    await two.persona("bert")
    written = await write_post(one.world.server, anna.id, "For everybody", PUBLIC)
    await settle(one)
    return anna.uri, written.uri


async def test_a_server_reads_what_nobody_sent_it(houses: tuple[House, House]) -> None:
    one, two = houses
    _, written = await written_at(one, two)
    found = await two.find(written)
    assert isinstance(found, Post)
    assert "For everybody" in found.content


async def test_whom_one_blocks_reads_nothing_of_it(houses: tuple[House, House]) -> None:
    one, two = houses
    uris = await written_at(one, two)
    async with one.world.database.write() as tx:
        await domains.keep(tx, [Rule("two.test", "block")], (), clock.now())
    for url in uris:
        with pytest.raises(FetchProblem) as refused:
            await two.find(url)
        assert refused.value.reason == "404"
