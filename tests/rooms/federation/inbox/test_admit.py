"""Before the door: who asks too often, what there is no room for, and whom neither may touch."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Self

import pytest
from sqlalchemy import func, select

from fakes.activities import create, note
from fakes.certificates import Authority
from fakes.world import Answered, Person, World
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.federation import asker
from privapub.federation.inbox import store
from privapub.federation.inbox.admit import FREE
from privapub.jobs.tables import job
from privapub.limits import limits
from privapub.posts.tables import post
from privapub.settings import Settings

SHARED = "https://sut.test/inbox"
CAROL, EVE = "https://peer.test/u/carol", "https://other.test/u/eve"
HERE, THERE, ELSEWHERE = "198.51.100.1", "203.0.113.9", "192.0.2.77"


@pytest.fixture
async def world(database: Database, authority: Authority, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A server with small limits, behind a proxy on this machine."""
    small = {"inbox_per_address": 5, "inbox_claims_per_host": 8, **getattr(request, "param", {})}
    async with World(database, authority, **small) as opened:
        yield opened


def to(alice: Actor, by: Person, number: int = 1) -> dict[str, Any]:
    return create(by, note(by, f"{by.uri}/notes/{number}", to=[alice.uri]), f"{by.uri}/creates/{number}")


async def send(world: World, alice: Actor, by: Person, number: int, address: str = HERE, **more: Any) -> Answered:
    headers = (("X-Forwarded-For", address),)
    return await world.post(SHARED, to(alice, by, number), by=by, headers=headers, **more)


async def forge(world: World, alice: Actor, name: str, number: int, address: str) -> Answered:
    """Somebody signs with a key that is not the one that they name."""
    return await send(world, alice, Person(name, "forged"), number, address, key_name="forger")


async def test_who_asks_too_often_is_told_when_to_come_again_and_nobody_else_is(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    answers = [await forge(world, alice, CAROL, number, THERE) for number in range(7)]
    assert [answer.status for answer in answers] == [401] * 5 + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 12
    assert answers[-1].headers["cache-control"] == "no-store"
    assert world.arrivals()["", "refused", "too-often"] == 2
    assert (await send(world, alice, carol, 1)).status == 202
    clock.advance(13)
    assert (await forge(world, alice, CAROL, 9, THERE)).status == 401


async def test_a_network_of_64_bits_is_one(world: World) -> None:
    alice = await world.persona()
    for number in range(5):
        assert (await forge(world, alice, CAROL, number, f"2001:db8:1:2::{number}")).status == 401
    assert (await forge(world, alice, CAROL, 9, "2001:db8:1:2:ffff::1")).status == 429
    assert (await forge(world, alice, CAROL, 9, "2001:db8:1:3::1")).status in (401, 503)


async def test_the_body_of_who_asks_too_often_is_not_waited_for(world: World) -> None:
    alice = await world.persona()
    for number in range(5):
        await forge(world, alice, CAROL, number, THERE)
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    writer.write(
        b"POST /actors/whoever/inbox HTTP/1.1\r\nHost: sut.test\r\nX-Forwarded-For: 203.0.113.9\r\n"
        b"Content-Length: 1000\r\n\r\n"
    )
    assert (await reader.readline()).startswith(b"HTTP/1.1 429 ")
    writer.close()
    await writer.wait_closed()


async def test_who_only_claims_a_name_does_not_lock_out_who_bears_it(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    assert (await send(world, alice, carol, 0)).status == 202
    for number in range(12):
        await forge(world, alice, CAROL, number, f"203.0.113.{number}")
    assert (await forge(world, alice, CAROL, 1, ELSEWHERE)).status == 429
    for number in range(6):
        await forge(world, alice, EVE, number, HERE)  # from the very address of the other
    assert (await forge(world, alice, EVE, 1, HERE)).status == 429
    for number in range(1, 15):
        assert (await send(world, alice, carol, number)).status == 202


async def test_a_second_signature_in_the_name_of_another_proves_nothing_of_them(world: World) -> None:
    """A host that signs with a key of its own, and names that of another where a glance falls first."""
    alice, eve = await world.persona(), world.person(EVE)
    named = (("X-Forwarded-For", THERE), ("Signature-Input", f'sig=();keyid="{CAROL}#main-key"'))
    answers = [
        await world.post(SHARED, to(alice, eve, number), by=eve, headers=named) for number in range(7)
    ]  # fmt: skip
    assert 202 not in {answer.status for answer in answers[5:]}
    assert not world.server.limits._proven.has(limits.Caller("peer.test", THERE), clock.now())


@pytest.mark.parametrize("world", [{"inbox_per_host": 6}], indirect=True)
async def test_a_host_that_floods_with_what_it_did_sign_is_told_so(world: World) -> None:
    alice, carol, eve = await world.persona(), world.person(CAROL), world.person(EVE)
    statuses = [(await send(world, alice, carol, number)).status for number in range(9)]
    assert statuses == [202] * 6 + [429] * 3
    assert (await send(world, alice, eve, 1, THERE)).status == 202
    clock.advance(61)
    assert (await send(world, alice, carol, 10)).status == 202


@pytest.mark.parametrize("world", [{"inbox_waiting_per_host": 3}], indirect=True)
async def test_no_more_is_taken_of_a_host_of_which_too_many_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOOK_EVERY", 1)
    alice, carol, eve = await world.persona(), world.person(CAROL), world.person(EVE)
    assert [(await send(world, alice, carol, number)).status for number in range(6)] == [202] * 4 + [429] * 2
    assert (await send(world, alice, eve, 1, THERE)).status == 202
    await world.drain()
    clock.advance(limits.FULL_FOR + 1)
    assert (await send(world, alice, carol, 7)).status == 202


async def test_what_waits_is_counted_whether_it_waits_for_its_turn_or_for_another(database: Database) -> None:
    now = clock.now()
    async with database.write() as tx:
        for number, kind in enumerate(("Create", "Like", "Like", "Like")):
            document = {"type": kind, "id": f"https://peer.test/{number}", "actor": CAROL, "object": "https://a.test"}
            await store.store(
                tx,
                store.Accepted(
                    owner="",
                    activity_id=document["id"],
                    digest=str(number),
                    kind=kind,
                    actor_id=1,
                    actor_uri=CAROL,
                    document=document,
                    now=now,
                ),
            )
    async with database.read() as tx:
        found = [await store.more_wait_than(tx, "peer.test", most) for most in (0, 3, 4)]
        other = await store.more_wait_than(tx, "other.test", 0)
    assert (found, other) == ([True, True, False], False)


async def test_keys_of_a_host_are_fetched_one_a_second_and_the_peer_comes_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asker, "PATIENCE", 0.0)
    alice = await world.persona()
    clock_stands = clock.now()
    monkeypatch.setattr(clock, "now", lambda: clock_stands)
    names = [f"https://peer.test/u/invented{number}" for number in range(5)]
    answers = [await forge(world, alice, name, 1, f"203.0.113.{number}") for number, name in enumerate(names)]
    assert [answer.status for answer in answers] == [401] + [503] * 4
    assert answers[1].headers["retry-after"] == "1"
    assert len([each for each in world.peer.received if each.method == "GET"]) == 1
    assert world.arrivals()["", "undecided", "too-many-keys"] == 4
    # Who exists is fetched when it comes again, and gives the token back for the next.
    monkeypatch.setattr(clock, "now", lambda: clock_stands + 1.0)
    people = [world.person(f"https://peer.test/u/real{number}") for number in range(4)]
    for person in people:
        assert (await send(world, alice, person, 1)).status == 202


async def test_some_who_ask_at_one_time_have_their_keys_one_after_the_other(world: World) -> None:
    """Two invented ones of a host: the second is not refused, it waits for its turn."""
    alice = await world.persona()
    both = await asyncio.gather(
        forge(world, alice, "https://peer.test/u/one", 1, HERE), forge(world, alice, "https://peer.test/u/two", 1, HERE)
    )
    assert [answer.status for answer in both] == [401, 401]


class Drip:
    """A request whose body does not end by itself."""

    def __init__(self, world: World, size: int, address: str) -> None:
        self._port, self._size, self._address = world.port, size, address

    async def __aenter__(self) -> Self:
        self.reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = f"POST /inbox HTTP/1.1\r\nHost: sut.test\r\nX-Forwarded-For: {self._address}\r\n"
        self._writer.write(
            f"{head}Content-Type: application/activity+json\r\nContent-Length: {self._size}\r\n\r\n".encode()
        )
        return self

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def status(self) -> int:
        return int((await self.reader.readline()).split()[1])

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()


async def until(reached: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not reached():  # noqa: ASYNC110 - a count in the server, of which nobody is told
            await asyncio.sleep(0)


@pytest.mark.parametrize("world", [{"inbox_requests": 1}], indirect=True)
async def test_no_more_requests_are_under_way_than_there_is_room_for(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    room = world.server.limits.under_way
    async with Drip(world, 100, THERE) as drip:
        await until(lambda: room.taken)
        refused = await send(world, alice, carol, 1)
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        assert world.arrivals()["", "refused", "overload"] == 1
        await drip.send(b"x" * 100)
        assert await drip.status() == 400
    await until(lambda: not room.taken)
    assert (await send(world, alice, carol, 1)).status == 202


@pytest.mark.parametrize("world", [{"inbox_memory": 4}], indirect=True)
async def test_large_bodies_have_a_room_that_small_ones_do_not_need(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    room, large = world.server.limits.bodies, 150_000
    async with Drip(world, large + 1, THERE) as one, Drip(world, large + 1, ELSEWHERE) as two:
        await one.send(b"x" * large)
        await two.send(b"x" * large)
        await until(lambda: room.taken > 3_000_000)
        async with Drip(world, large, "192.0.2.5") as third:
            await third.send(b"x" * large)
            assert await third.status() == 503
        assert (await send(world, alice, carol, 1)).status == 202
        async with Drip(world, FREE, "192.0.2.6") as small:
            await small.send(b"x" * FREE)
            assert await small.status() == 400
    await until(lambda: not room.taken)


async def test_one_address_has_no_more_than_its_part_of_that_room(world: World) -> None:
    most = Settings().inbox_memory * limits.MIB
    assert world.server.limits.bodies.take(THERE, most // 2)
    assert not world.server.limits.bodies.take(THERE, 1)
    assert world.server.limits.bodies.take(HERE, most // 2)


async def test_a_body_that_does_not_come_is_not_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privapub.federation.inbox.receive.BODY_TIME", 0.05)
    async with Drip(world, 100, THERE) as drip:
        await drip.send(b"{")
        assert await drip.status() == 408
    await until(lambda: not world.server.limits.under_way.taken)


@pytest.mark.parametrize("world", [{"inbox_at_once": 1}], indirect=True)
async def test_behind_the_flood_of_one_host_the_activity_of_another_is_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, carol, eve = await world.persona(), world.person(CAROL), world.person(EVE)
    with monkeypatch.context() as standing:
        moment = clock.now()
        standing.setattr(clock, "now", lambda: moment)
        for number in range(60):
            assert (await send(world, alice, carol, number)).status == 202
        assert (await send(world, alice, eve, 1, THERE)).status == 202
    await world.drain()
    async with world.database.read() as tx:
        handled = await tx.all(
            select(job.c.lane).where(job.c.kind == "inbox").order_by(job.c.first_leased_at, job.c.run_at, job.c.id)
        )
        assert await tx.scalar(select(func.count()).select_from(post)) == 61
    assert [row.lane for row in handled].index("host:other.test") <= 2
