"""A persona gets other keys: what is signed with which, and who believes it."""

import asyncio
import json

import pytest
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


async def test_the_news_is_signed_with_the_key_that_is_known_and_all_else_with_the_new_one(world: World) -> None:
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
    news = by["Update"]
    assert verifies(news, before)
    assert not verifies(news, after)
    assert "PublicKey" in news.json["object"]["publicKey"].get("publicKeyPem", "").title().replace(" ", "")
    for text in ("Create<p>written before</p>", "Create<p>written after</p>"):
        assert verifies(by[text], after)
        assert not verifies(by[text], before)


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


async def test_of_two_changes_at_once_the_first_is_told_with_the_key_that_is_known(world: World) -> None:
    alice = await followed(world)
    before = await shown(world, alice)
    await rotate(world, alice)
    await rotate(world, alice)
    await world.drain()
    after = await shown(world, alice)
    assert [verifies(request, before) for request in world.peer.received] == [True, False]
    assert [verifies(request, after) for request in world.peer.received] == [False, True]


async def test_only_personas_have_keys_to_change(world: World) -> None:
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    with pytest.raises(NotFound):
        await rotate(world, carol)
