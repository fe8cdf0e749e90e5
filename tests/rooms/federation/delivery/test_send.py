"""From a post to the inboxes of others, and what becomes of each answer."""

import json
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select, update

from fakes.internet import Received
from fakes.world import PUBLIC, World
from makers import make_follow
from privapub import clock
from privapub.actors.read import Actor, by_uri
from privapub.actors.tables import actor_key
from privapub.composing.compose import edit_post, write_post
from privapub.federation.delivery.tables import rendering, sent
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, check_time, read
from privapub.federation.signatures.request import HttpRequest
from privapub.follows import read as follows
from privapub.follows.follow import undo
from privapub.jobs.tables import job
from privapub.posts.delete import delete
from privapub.posts.read import Post

SHARED = {"endpoints": {"sharedInbox": "https://peer.test/inbox"}}


async def followed_by(world: World, persona: Actor, *names: str, shared: bool = True) -> list[Actor]:
    """Followers of a persona at peer.test, with a shared inbox or without."""
    found = []
    for name in names:
        person = world.person(f"https://peer.test/u/{name}", changes=SHARED if shared else {})
        found.append(await world.learnt(person))
        async with world.database.write() as tx:
            await make_follow(tx, found[-1].id, persona.id)
    await world.drain()
    world.peer.received.clear()
    return found


async def published(world: World, persona: Actor, text: str = "Hello", audience: str = "public", **more: Any) -> Post:
    post = await write_post(world.server, persona.id, text, audience, **more)
    await world.drain()
    return post


def posts_to(world: World) -> list[Received]:
    return [request for request in world.peer.received if request.method == "POST"]


async def outcomes(world: World) -> dict[str, tuple[str, str]]:
    async with world.database.read() as tx:
        return {row.inbox: (row.outcome, row.recipient) for row in await tx.all(select(sent))}


async def deliveries(world: World) -> list[Any]:
    """The jobs that bring posts: the answers to the follows that began each test are left out."""
    async with world.database.read() as tx:
        rows = await tx.all(select(job).where(job.c.kind == "delivery").order_by(job.c.id))
    return [row for row in rows if json.loads(row.args)["post"] is not None]


async def test_followers_of_one_server_get_one_copy_at_its_shared_inbox(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol", "erin")
    post = await published(world, alice)
    (request,) = posts_to(world)
    assert request.path == "/inbox"
    assert request.json["type"] == "Create"
    assert request.json["object"]["id"] == post.uri
    assert request.json["to"] == [PUBLIC]
    assert await outcomes(world) == {"https://peer.test/inbox": ("taken", "")}


async def test_what_is_sent_is_signed_by_the_persona_and_made_at_the_moment_of_sending(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    await published(world, alice)
    (request,) = posts_to(world)
    clock.advance(86400.0)
    await edit_post(world.server, alice.id, (await published(world, alice)).id, "again")
    await world.drain()
    for one, moment in ((request, clock.now() - 86400), (posts_to(world)[-1], clock.now())):
        http = HttpRequest("POST", f"https://peer.test{one.path}", tuple(one.headers.items()), one.body)
        presented = read(http)
        check_time(presented, http, moment, past=60, ahead=60)
        async with world.database.read() as tx:
            row = await tx.first(select(actor_key).where(actor_key.c.id == presented.key_id))
        assert row is not None
        assert row.actor_id == alice.id
        check(presented, http, PublicKey.from_pem(row.id, alice.uri, row.public))


@pytest.mark.parametrize("audience", ["direct", "followers"])
async def test_a_direct_post_goes_to_its_reader_alone_and_never_to_a_shared_inbox(world: World, audience: str) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol", "erin")
    await published(world, alice, "for @carol@peer.test", audience)
    paths = sorted(request.path for request in posts_to(world))
    assert paths == (["/u/carol/inbox"] if audience == "direct" else ["/inbox"])


async def test_a_host_that_takes_only_the_standard_gets_one_knock_and_is_remembered(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")

    def only_rfc9421(request: web.Request) -> int | None:
        return None if "Signature-Input" in request.headers else 401

    world.serve("https://peer.test/inbox", b"", status=202, requires=only_rfc9421)
    await published(world, alice, "one")
    assert ["Signature-Input" in request.headers for request in posts_to(world)] == [False, True]
    await published(world, alice, "two")
    assert ["Signature-Input" in request.headers for request in posts_to(world)] == [False, True, True]
    assert await outcomes(world) == {"https://peer.test/inbox": ("taken", "")}


async def test_a_host_that_takes_neither_signature_ends_the_delivery(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    world.serve("https://peer.test/inbox", b"", status=403)
    await published(world, alice)
    assert len(posts_to(world)) == 2
    (row,) = await deliveries(world)
    assert (row.state, row.attempt) == ("failed", 1)
    assert (await outcomes(world))["https://peer.test/inbox"] == ("failed", "")


async def test_retry_after_makes_the_whole_host_wait_and_spends_no_attempt(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    page = world.serve("https://peer.test/inbox", b"", status=429, headers={"Retry-After": "120"})
    await published(world, alice, "one")
    await published(world, alice, "two")
    assert len(posts_to(world)) <= 2
    asked = len(posts_to(world))
    clock.advance(60.0)
    await published(world, alice, "three")
    assert len(posts_to(world)) == asked
    page.status = 202
    clock.advance(90.0)
    await world.drain()
    assert [row.state for row in await deliveries(world)] == ["done"] * 3
    assert {row.attempt for row in await deliveries(world)} == {1}


async def test_a_redirect_is_not_followed_and_the_actor_says_where_its_inbox_is_now(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol", shared=False)
    world.serve("https://peer.test/u/carol/inbox", b"", status=308, headers={"Location": "https://other.test/steal"})
    person = world.person("https://peer.test/u/carol", changes={"inbox": "https://peer.test/new/inbox"})
    post = await published(world, alice)
    assert [request.path for request in posts_to(world)] == ["/u/carol/inbox", "/new/inbox"]
    assert not world.other.received
    assert await outcomes(world) == {"https://peer.test/new/inbox": ("taken", person.uri)}
    async with world.database.write() as tx:
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    assert posts_to(world)[-1].path == "/new/inbox"


async def test_a_redirect_to_nowhere_new_is_a_failure(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol", shared=False)
    world.serve("https://peer.test/u/carol/inbox", b"", status=302, headers={"Location": "https://peer.test/login"})
    await published(world, alice)
    (row,) = await deliveries(world)
    assert row.state == "waiting"
    assert row.attempt == 1


async def test_a_gone_inbox_ends_its_actor_and_nobody_else(world: World) -> None:
    alice = await world.persona()
    (carol,) = await followed_by(world, alice, "carol")
    (ex,) = await followed_by(world, alice, "ex", shared=False)
    world.serve("https://peer.test/u/ex/inbox", b"", status=410)
    world.serve("https://peer.test/u/ex", {}, status=410)
    await published(world, alice, "one")
    await published(world, alice, "two")
    paths = [request.path for request in posts_to(world)]
    assert sorted(paths) == ["/inbox", "/inbox", "/u/ex/inbox"]
    async with world.database.read() as tx:
        gone = await by_uri(tx, ex.uri)
        assert gone is not None
        assert gone.is_gone
        assert await follows.between(tx, ex.id, alice.id) is None
        assert await follows.between(tx, carol.id, alice.id) is not None


async def test_a_gone_inbox_of_an_actor_that_is_there_ends_that_delivery_alone(world: World) -> None:
    alice = await world.persona()
    (ex,) = await followed_by(world, alice, "ex", shared=False)
    world.serve("https://peer.test/u/ex/inbox", b"", status=410)
    await published(world, alice, "one")
    (row,) = await deliveries(world)
    assert row.state == "failed"
    async with world.database.read() as tx:
        assert await follows.between(tx, ex.id, alice.id) is not None


async def test_an_edit_and_a_delete_go_to_whoever_got_the_post(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol", shared=False)
    post = await published(world, alice)
    (erin,) = await followed_by(world, alice, "erin", shared=False)
    async with world.database.write() as tx:
        carol = await by_uri(tx, "https://peer.test/u/carol")
        assert carol is not None
        await undo(tx, carol.id, alice.id, clock.now())
    world.peer.received.clear()
    await edit_post(world.server, alice.id, post.id, "Hello again")
    await world.drain()
    assert {(r.path, r.json["type"]) for r in posts_to(world)} == {
        ("/u/carol/inbox", "Update"),
        ("/u/erin/inbox", "Update"),
    }
    world.peer.received.clear()
    async with world.database.write() as tx:
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    assert {(r.path, r.json["type"]) for r in posts_to(world)} == {
        ("/u/carol/inbox", "Delete"),
        ("/u/erin/inbox", "Delete"),
    }
    assert posts_to(world)[0].json["object"] == {
        "id": post.uri,
        "type": "Tombstone",
        "deleted": posts_to(world)[0].json["object"]["deleted"],
    }
    assert erin.uri


async def test_two_servers_get_the_same_bytes_stored_once(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    dave = await world.learnt(world.person("https://other.test/u/dave"))
    async with world.database.write() as tx:
        await make_follow(tx, dave.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    world.other.received.clear()
    await published(world, alice)
    ((here,), there) = posts_to(world), [r for r in world.other.received if r.method == "POST"]
    assert here.body == there[-1].body
    async with world.database.read() as tx:
        assert len(await tx.all(select(rendering).where(rendering.c.body == here.body))) == 1


async def test_the_effect_of_a_post_that_runs_twice_sends_once(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    await published(world, alice)
    async with world.database.write() as tx:
        await tx.execute(
            update(job).where(job.c.kind == "post_published").values(state="waiting", finished_at=None, attempt=0)
        )
        await tx.execute(update(job.metadata.tables["lane"]).values(next_at=0.0))
    await world.drain()
    assert len(posts_to(world)) == 1


async def test_a_network_that_fails_is_tried_again_with_growing_patience(world: World) -> None:
    alice = await world.persona()
    await followed_by(world, alice, "carol")
    await world.peer.stop()
    await published(world, alice)
    (row,) = await deliveries(world)
    assert (row.state, row.attempt) == ("waiting", 1)
    assert row.run_at - clock.now() > 10
    await world.peer.start(world.peer.port)
    clock.advance(60.0)
    await world.drain()
    (row,) = await deliveries(world)
    assert (row.state, row.attempt) == ("done", 2)
    assert await outcomes(world) == {"https://peer.test/inbox": ("taken", "")}
