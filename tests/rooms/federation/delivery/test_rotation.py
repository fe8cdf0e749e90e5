"""A persona gets other keys: what is signed with which, and who believes it."""

import asyncio
import json

import pytest
from aiohttp import web
from sqlalchemy import select

from fakes import keys as made
from fakes.internet import Received
from fakes.world import World
from makers import make_follow
from privapub import clock
from privapub.actors import keys
from privapub.actors.keys import PrivateKeys
from privapub.actors.read import Actor
from privapub.actors.tables import actor_key
from privapub.composing.compose import write_post
from privapub.errors import NotFound
from privapub.federation.delivery.tables import rendering
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.jobs.tables import job
from privapub.personas.rotate import rotate_keys


async def shown(world: World, persona: Actor) -> PublicKey:
    """The RSA key in the persona's document."""
    said = await world.get(
        persona.uri.removeprefix("https://sut.test"), {"Host": "sut.test", "Accept": "application/activity+json"}
    )
    key = json.loads(said.body)["publicKey"]
    assert "before" not in said.body
    return PublicKey.from_pem(key["id"], key["owner"], key["publicKeyPem"])


def verifies(sent: Received, key: PublicKey) -> bool:
    url = f"https://peer.test{sent.path}"
    request = HttpRequest(sent.method, url, tuple(sent.headers.items()), sent.body)
    try:
        check(examine(request, clock.now()), request, key)
    except BadSignature:
        return False
    return True


async def rotate(world: World, persona: Actor) -> PrivateKeys:
    pair = PrivateKeys(await asyncio.to_thread(made.new_rsa), keys.make().ed25519)
    async with world.database.write() as tx:
        await rotate_keys(tx, persona.id, pair, clock.now())
    return pair


async def followed(world: World) -> Actor:
    alice = await world.persona()
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    return alice


async def test_all_that_is_sent_afterwards_is_signed_with_the_new_key(world: World) -> None:
    alice = await followed(world)
    before = await shown(world, alice)
    await world.peer.stop()
    await write_post(world.server, alice.id, "written before", "public")
    await world.drain()
    await rotate(world, alice)
    after = await shown(world, alice)
    assert after.id == before.id
    await world.peer.start(world.peer.port)
    clock.advance(3600)
    await world.drain()
    await write_post(world.server, alice.id, "written after", "public")
    await world.drain()
    posted = [request for request in world.peer.received if request.method == "POST"]
    by = {request.json["type"] + request.json["object"].get("content", ""): request for request in posted}
    assert set(by) == {"Update", "Create<p>written before</p>", "Create<p>written after</p>"}
    assert all(verifies(request, after) for request in posted)
    assert not any(verifies(request, before) for request in posted)


async def test_who_knows_no_other_key_gets_the_news_signed_with_the_one_before(world: World) -> None:
    alice = await followed(world)
    before = await shown(world, alice)

    async def stale(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        headers = tuple(request.headers.items())
        came = HttpRequest("POST", f"https://peer.test{request.raw_path}", headers, body)
        try:
            check(examine(came, clock.now()), came, before)
        except BadSignature:
            return web.Response(status=401)
        return web.Response(status=202)

    world.peer.answer = stale
    await rotate(world, alice)
    await world.drain()
    assert [verifies(request, before) for request in world.peer.received] == [False, True]
    async with world.database.read() as tx:
        assert [row.state for row in await tx.all(select(job.c.state).where(job.c.kind == "delivery"))][-1] == "done"


async def test_no_key_before_is_left_but_with_what_it_signs(world: World) -> None:
    alice = await followed(world)
    await rotate(world, alice)
    await rotate(world, alice)
    await world.drain()
    async with world.database.read() as tx:
        rows = await tx.all(select(actor_key.c.algorithm).where(actor_key.c.actor_id == alice.id))
        told = await tx.all(select(job.c.args))
    assert sorted(row.algorithm for row in rows) == ["ed25519", "rsa"]
    assert not [row for row in told if "PRIVATE" in row.args]
    assert len(world.sent()) == 2


async def test_of_two_changes_at_once_the_key_that_is_known_is_kept_for_the_first(world: World) -> None:
    alice = await followed(world)
    async with world.database.read() as tx:
        _, known = await keys.signing_key(tx, alice.id)
    await rotate(world, alice)
    await rotate(world, alice)
    await world.drain()
    async with world.database.read() as tx:
        rows = await tx.all(select(rendering.c.former_key).order_by(rendering.c.created_at))
    assert [row.former_key for row in rows][-2:] == [known, None]


async def test_only_personas_have_keys_to_change(world: World) -> None:
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    with pytest.raises(NotFound):
        await rotate(world, carol)
