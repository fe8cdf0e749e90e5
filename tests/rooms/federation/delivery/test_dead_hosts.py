"""Hosts that stop answering: left alone, probed, given up; and what an author takes back meanwhile."""

from typing import Any

from sqlalchemy import select

from fakes.world import World
from makers import make_follow
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing.compose import edit_post, write_post
from privapub.federation.delivery.tables import sent
from privapub.federation.fetching.origin import origin
from privapub.job_table import job_kinds
from privapub.jobs import reaper
from privapub.jobs.hosts import HOST, show_host
from privapub.jobs.tables import job
from privapub.posts.delete import delete

HOUR = 3600.0
DAY = 86400.0


async def followed_from(world: World, *hosts: str) -> Actor:
    """A persona with one follower at each of these hosts."""
    alice = await world.persona()
    for host in hosts:
        person = await world.learnt(world.person(f"https://{host}/u/carol"))
        async with world.database.write() as tx:
            await make_follow(tx, person.id, alice.id)
    await world.drain()
    for site in (world.peer, world.other):
        site.received.clear()
    return alice


async def host(world: World, name: str = "peer.test") -> Any:
    async with world.database.read() as tx:
        return (await show_host(tx, name))[0]


async def fails_ten_times(world: World, alice: Actor) -> None:
    """Enough posts while the host answers 500 that it is left alone."""
    for n in range(10):
        await write_post(world.server, alice.id, f"number {n}", "public")
        await world.drain()


async def outcomes(world: World) -> set[tuple[str, str]]:
    async with world.database.read() as tx:
        return {(row.outcome, row.why) for row in await tx.all(select(sent))}


async def test_a_host_that_fails_ten_times_is_left_alone_and_one_probe_clears_it(world: World) -> None:
    alice = await followed_from(world, "peer.test")
    page = world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    await fails_ten_times(world, alice)
    assert ((row := await host(world)).fails, row.quarantine) == (10, HOUR)
    asked = len(world.peer.received)
    await write_post(world.server, alice.id, "eleven", "public")
    clock.advance(HOUR - 60)
    await world.drain()
    assert len(world.peer.received) == asked
    clock.advance(120)
    await world.drain()
    assert len(world.peer.received) == asked + 1, "one probe"
    assert (await host(world)).quarantine == 2 * HOUR
    page.status = 202
    clock.advance(2 * HOUR + 60)
    await world.drain()
    assert (await host(world)).fails == 0
    assert await outcomes(world) == {("taken", "")}
    async with world.database.read() as tx:
        attempts = await tx.all(select(job.c.attempt).where(job.c.kind == "delivery", job.c.lane == HOST + "peer.test"))
    assert {row.attempt for row in attempts} <= {1, 2}, "neither waiting nor a probe spent an attempt"


async def test_a_message_from_the_host_makes_the_probe_due(world: World) -> None:
    alice = await followed_from(world, "peer.test")
    page = world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    await fails_ten_times(world, alice)
    page.status = 202
    carol = world.person("https://peer.test/u/carol")
    assert (await host(world)).open_until > clock.now()
    like = {"id": "https://peer.test/1", "type": "Like", "actor": carol.uri, "object": "https://sut.test/posts/nothing"}
    assert (await world.post(alice.inbox, like, by=carol)).status == 202
    assert (await host(world)).open_until <= clock.now()
    clock.advance(60)
    await world.drain()
    assert (await host(world)).fails == 0


async def test_an_answer_below_500_resets_and_a_named_wait_does_not_count(world: World) -> None:
    alice = await followed_from(world, "peer.test")
    page = world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    for status, headers, fails in (
        (500, {}, 1), (503, {"Retry-After": "60"}, 1), (503, {}, 2), (404, {}, 0), (500, {}, 1), (429, {}, 0),
        (500, {}, 1), (401, {}, 0),
    ):  # fmt: skip
        page.status, page.headers = status, headers
        await write_post(world.server, alice.id, f"{status}", "public")
        clock.advance(70)
        await world.drain()
        assert (await host(world)).fails == fails, status
        async with world.database.write() as tx:  # what is left of it shall not be tried beside the next one
            await tx.execute(job.delete().where(job.c.kind == "delivery"))


async def test_a_delivery_that_waited_thirty_days_is_given_up_and_says_so(world: World) -> None:
    alice = await followed_from(world, "peer.test")
    world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    await fails_ten_times(world, alice)
    clock.advance(31 * DAY)
    kinds = job_kinds(world.server)
    assert await reaper.give_up_waiting(world.database, kinds) == 10
    assert await outcomes(world) == {("failed", "waited for 30 days")}


async def test_what_is_deleted_before_it_was_sent_is_heard_of_by_nobody(world: World) -> None:
    alice = await followed_from(world, "peer.test", "other.test")
    world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    await fails_ten_times(world, alice)
    asked = len(world.peer.received)
    post = await write_post(world.server, alice.id, "a secret", "public")
    await world.drain()
    await edit_post(world.server, alice.id, post.id, "less of it")
    await world.drain()
    async with world.database.write() as tx:
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    async with world.database.read() as tx:
        rows = await tx.all(select(sent.c.inbox, sent.c.outcome, sent.c.why).where(sent.c.post_id == post.id))
    assert {(origin(row.inbox), row.outcome, row.why) for row in rows} == {
        ("peer.test", "failed", "taken back before it was sent"),
        ("other.test", "taken", ""),
    }
    assert [one["type"] for one in world.sent(world.other)][-3:] == ["Create", "Update", "Delete"]
    world.serve("https://peer.test/u/carol/inbox", b"", status=202)
    clock.advance(30 * HOUR)
    await world.drain()
    assert b"a secret" not in b"".join(one.body for one in world.peer.received[asked:])


async def test_what_is_taken_back_while_it_is_tried_again_and_again_is_not_sent_any_more(world: World) -> None:
    alice = await followed_from(world, "peer.test")
    page = world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    post = await write_post(world.server, alice.id, "a secret", "public")
    await world.drain()
    page.status = 202
    async with world.database.write() as tx:
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    assert [one["type"] for one in world.sent()] == ["Create", "Delete"]
    assert await outcomes(world) == {("taken", "")}
