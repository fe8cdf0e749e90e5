"""A Delete is never lost nor overtaken: inboxes that move, copies that are restored, facts close together."""

from typing import Any

from fakes.world import World
from makers import make_follow
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing.compose import write_post
from privapub.follows import follow
from privapub.job_table import job_kinds
from privapub.jobs import pause
from privapub.jobs.worker import Worker
from privapub.posts.delete import delete

INBOX = "https://peer.test/u/carol/inbox"


async def followed(world: World) -> Actor:
    alice = await world.persona()
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    return alice


async def take_back(world: World, post: Any, author: Actor) -> None:
    async with world.database.write() as tx:
        await delete(tx, post.id, author.id, clock.now())


def came(world: World) -> list[tuple[str, str]]:
    return [(one.path, one.json["type"]) for one in world.peer.received if one.method == "POST"]


async def test_a_create_does_not_follow_its_delete_to_a_new_inbox(world: World) -> None:
    alice = await followed(world)
    world.serve(INBOX, b"", status=500)
    post = await write_post(world.server, alice.id, "to be deleted", "public")
    await world.drain()  # it waits for its second try, at the old inbox
    world.serve(INBOX, b"", status=308, headers={"Location": "https://peer.test/elsewhere"})
    world.person("https://peer.test/u/carol", changes={"inbox": "https://peer.test/new/inbox"})
    await write_post(world.server, alice.id, "another, that finds out", "public")
    await world.drain()
    world.peer.received.clear()
    await take_back(world, post, alice)
    await world.drain()
    clock.advance(3600)
    await world.drain()
    at_new = [(path, kind) for path, kind in came(world) if path == "/new/inbox"]
    assert at_new == [("/new/inbox", "Delete")]


async def test_a_copy_that_is_restored_does_not_take_for_unsent_what_its_original_may_have_sent(world: World) -> None:
    alice = await followed(world)
    post = await write_post(world.server, alice.id, "hello", "public")
    kinds = job_kinds(world.server)
    others = [kind for kind in kinds if kind != "delivery"]
    await Worker(world.database, kinds, only=others).drain()  # the delivery waits: the moment of the copy
    async with world.database.write() as tx:
        for statement in pause.statements(others):
            await tx.raw(statement)
    await take_back(world, post, alice)
    await world.drain()
    async with world.database.write() as tx:
        await pause.resume(tx)
    await world.drain()
    assert came(world) == [("/u/carol/inbox", "Delete")]


async def test_who_unfollows_and_follows_again_at_once_follows_in_the_end(world: World) -> None:
    alice = await world.persona()
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    await world.follow(alice, carol)
    await world.drain()
    async with world.database.write() as tx:
        await follow.withdraw(tx, alice.id, carol.id, clock.now())
    await world.follow(alice, carol)
    await world.drain()
    assert [kind for _, kind in came(world)] == ["Follow", "Undo", "Follow"]


async def test_a_post_that_is_deleted_at_once_is_deleted_everywhere(world: World) -> None:
    alice = await followed(world)
    post = await write_post(world.server, alice.id, "hello", "public")
    await take_back(world, post, alice)
    await world.drain()
    assert came(world) in ([], [("/u/carol/inbox", "Create"), ("/u/carol/inbox", "Delete")])
