"""How many deliveries are under way at once, counted where they arrive."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace

from aiohttp import web

from fakes.internet import Site
from fakes.world import World
from makers import make_follow, make_remote
from privapub.composing.compose import write_post

HOSTS = 6
FOLLOWERS = 4


@dataclass
class Counting:
    """Counts who is here; lets nobody go before `enough` are here at once."""

    enough: int
    expected: int = HOSTS * FOLLOWERS
    here: Counter[str] = field(default_factory=Counter)
    most: int = 0
    most_of_one: int = 0
    came: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    all_came: asyncio.Event = field(default_factory=asyncio.Event)

    def at(self, site: Site) -> None:
        async def answer(_request: web.Request) -> web.StreamResponse:
            self.came += 1
            self.here[site.host] += 1
            self.most = max(self.most, self.here.total())
            self.most_of_one = max(self.most_of_one, self.here[site.host])
            if self.here.total() >= self.enough:
                self.opened.set()
            if self.came == self.expected:
                self.all_came.set()
            await self.opened.wait()
            self.here[site.host] -= 1
            return web.Response(status=202)

        site.answer = answer


async def many_followers(world: World, counting: Counting) -> int:
    """A persona that is followed from several hosts, by several at each, each with an inbox of its own."""
    alice = await world.persona()
    for number in range(HOSTS):
        host = f"h{number}.test"
        counting.at(await world.site(host))
        async with world.database.write() as tx:
            for name in range(FOLLOWERS):
                follower = await make_remote(tx, f"p{name}@{host}", shared_inbox=None)
                await make_follow(tx, follower.id, alice.id)
    return alice.id


async def test_never_more_than_eight_deliveries_and_two_a_host(world: World) -> None:
    settings = replace(world.server.settings, deliveries_aside=0)  # on a slow machine one would step aside meanwhile
    world.server = replace(world.server, settings=settings)
    counting = Counting(enough=8)
    alice = await many_followers(world, counting)
    await write_post(world.server, alice, "Hello", "public")
    await world.drain()
    assert counting.came == 2 * HOSTS * FOLLOWERS  # the answers to the follows, and the post
    assert counting.most == 8
    assert counting.most_of_one == 2


async def test_a_host_that_never_answers_holds_two_places_and_not_the_queue(world: World) -> None:
    counting = Counting(enough=1)
    alice = await many_followers(world, counting)
    slow = await world.site("slow.test")
    held = Counting(enough=1000, expected=2)
    held.at(slow)
    async with world.database.write() as tx:
        for name in range(FOLLOWERS):
            follower = await make_remote(tx, f"s{name}@slow.test", shared_inbox=None)
            await make_follow(tx, follower.id, alice)
    draining = asyncio.create_task(world.drain())
    async with asyncio.timeout(60):
        await counting.all_came.wait()
        await held.all_came.wait()
    assert held.here == Counter({"slow.test": 2})
    held.opened.set()
    await draining
    assert held.came == FOLLOWERS
    assert held.most_of_one == 2
