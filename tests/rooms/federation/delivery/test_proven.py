"""Which of our activities carry a proof: those for everybody, and no other."""

import json
from typing import Any

import pytest

from fakes.keys import new_ed25519
from fakes.world import PUBLIC, World, rsa
from makers import make_follow, make_post
from privapub import clock
from privapub.actors.keys import PrivateKeys
from privapub.actors.read import Actor
from privapub.composing.compose import write_post
from privapub.federation.delivery.proven import is_for_everybody, proven_again
from privapub.federation.documents.context import ACTIVITYSTREAMS, DATA_INTEGRITY
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.request import BadSignature
from privapub.federation.signatures.signed_inside import signed_inside
from privapub.personas.edit import edit
from privapub.personas.rotate import rotate_keys
from privapub.posts import boost, react
from privapub.posts.delete import delete

FOLLOWERS, CAROL, CIRCLE = "https://sut.test/u/a/followers", "https://peer.test/u/carol", "https://sut.test/c/1"
AUDIENCES: dict[str, tuple[dict[str, Any], bool]] = {
    "public": ({"to": [PUBLIC], "cc": [FOLLOWERS]}, True),
    "unlisted": ({"to": [FOLLOWERS], "cc": [PUBLIC]}, True),
    "public, and somebody is named": ({"to": [PUBLIC], "cc": [FOLLOWERS, CAROL]}, True),
    "followers": ({"to": [FOLLOWERS], "cc": [CAROL]}, False),
    "direct": ({"to": [CAROL], "cc": []}, False),
    "circle": ({"to": [CIRCLE]}, False),
    "nobody": ({}, False),
    "nobody at all": ({"to": [], "cc": []}, False),
}


@pytest.mark.parametrize(("addressed", "public"), AUDIENCES.values(), ids=AUDIENCES)
@pytest.mark.parametrize("kind", ["Create", "Update", "Announce", "Delete", "Like", "Add"])
def test_what_is_for_everybody_is_proven_and_nothing_else(kind: str, addressed: dict[str, Any], public: bool) -> None:
    document = {"type": "Note", "content": "x"}
    assert is_for_everybody({"type": kind, **addressed, "object": "https://sut.test/p/1"}) is public
    assert is_for_everybody({"type": kind, **addressed, "object": {**document, **addressed}}) is public
    assert is_for_everybody({"type": kind, **addressed, "object": document}) is public


@pytest.mark.parametrize("addressed", [said for said, public in AUDIENCES.values() if not public and said])
def test_nothing_narrower_is_proven_within_something_wider(addressed: dict[str, Any]) -> None:
    outer = {"type": "Undo", "to": [PUBLIC]}
    assert not is_for_everybody({**outer, "object": {"type": "Announce", **addressed}})
    assert not is_for_everybody({**outer, "object": [{"type": "Announce", "object": {"type": "Note", **addressed}}]})
    assert is_for_everybody({**outer, "object": {"type": "Announce", "to": [PUBLIC]}})


async def followed(world: World) -> tuple[Actor, Actor]:
    alice = await world.persona()
    carol = await world.learnt(world.person(CAROL))
    async with world.database.write() as tx:
        await make_follow(tx, carol.id, alice.id)
    await world.drain()
    world.peer.received.clear()
    return alice, carol


async def shown(world: World, persona: Actor) -> PublicKey:
    """The Ed25519 key in the persona's document."""
    path = persona.uri.removeprefix("https://sut.test")
    said = await world.get(path, {"Host": "sut.test", "Accept": "application/activity+json"})
    (key,) = json.loads(said.body)["assertionMethod"]
    return PublicKey.from_multibase(key["id"], key["controller"], key["publicKeyMultibase"])


def believed(document: dict[str, Any], key: PublicKey) -> bool:
    (claim,) = signed_inside(document)
    assert claim.key_id == key.id
    try:
        said = claim.believed(key, clock.now())
    except BadSignature:
        return False
    return said == {name: value for name, value in document.items() if name != "proof"}


@pytest.mark.parametrize("audience", ["public", "unlisted"])
async def test_a_post_for_everybody_is_sent_with_a_proof_by_the_key_that_is_shown(world: World, audience: str) -> None:
    alice, _ = await followed(world)
    await write_post(world.server, alice.id, "hello", audience)
    await world.drain()
    (created,) = world.sent()
    key = await shown(world, alice)
    assert believed(created, key)
    assert created["@context"][0] == ACTIVITYSTREAMS
    assert created["@context"][-1] == DATA_INTEGRITY
    assert created["proof"]["@context"] == created["@context"]
    assert "proof" not in created["object"]
    assert not believed({**created, "object": {**created["object"], "content": "bye"}}, key)


@pytest.mark.parametrize("audience", ["followers", "direct"])
async def test_a_post_for_some_is_sent_without_a_proof(world: World, audience: str) -> None:
    alice, _ = await followed(world)
    post = await write_post(world.server, alice.id, "hello @carol@peer.test", audience)
    await world.drain()
    async with world.database.write() as tx:
        await delete(tx, post.id, alice.id, clock.now())
    await world.drain()
    sent = world.sent()
    assert [document["type"] for document in sent] == ["Create", "Delete"]
    assert not [document for document in sent if "proof" in document or DATA_INTEGRITY in document["@context"]]


async def test_boosts_profiles_and_what_undoes_them_are_proven_and_likes_are_not(world: World) -> None:
    alice, carol = await followed(world)
    async with world.database.write() as tx:
        post = await make_post(tx, carol.id)
        await boost.boost(tx, alice.id, post.id, "https://sut.test/a/1", clock.now())
        await react.react(tx, alice.id, post.id, "", "https://sut.test/a/2", clock.now())
    await world.drain()
    async with world.database.write() as tx:
        await boost.withdraw(tx, alice.id, post.id, clock.now())
        await edit(tx, alice.id, now=clock.now(), name="Alice B.")
    await world.drain()
    key = await shown(world, alice)
    sent = {document["type"]: document for document in world.sent()}
    assert set(sent) == {"Announce", "Like", "Undo", "Update"}
    assert {kind for kind, document in sent.items() if "proof" in document} == {"Announce", "Undo", "Update"}
    assert all(believed(document, key) for kind, document in sent.items() if kind != "Like")


async def test_what_waits_while_keys_change_is_proven_by_the_new_one(world: World) -> None:
    alice, _ = await followed(world)
    before = await shown(world, alice)
    await world.peer.stop()
    await write_post(world.server, alice.id, "written before", "public")
    await write_post(world.server, alice.id, "written before", "followers")
    await world.drain()
    clock.advance(60)
    async with world.database.write() as tx:
        await rotate_keys(tx, alice.id, PrivateKeys(rsa("another"), new_ed25519()), clock.now())
    after = await shown(world, alice)
    assert after.id == before.id
    await world.peer.start(world.peer.port)
    clock.advance(3600)
    await world.drain()
    proven = [document for document in world.sent() if "proof" in document]
    assert sorted(document["type"] for document in proven) == ["Create", "Update"]
    assert all(believed(document, after) and not believed(document, before) for document in proven)


def test_a_rendering_is_proven_again_in_the_same_bytes_and_only_where_it_was() -> None:
    pem = new_ed25519()
    key_id = "https://sut.test/u/a#ed25519-key"
    document = {"@context": ACTIVITYSTREAMS, "id": "https://sut.test/a/1", "proof": {"verificationMethod": key_id}}
    body = json.dumps(document).encode()
    again = proven_again(body, key_id, pem, 1_772_366_400.5)
    assert again == proven_again(body, key_id, pem, 1_772_366_400.5)
    assert proven_again(body, "https://sut.test/u/b#ed25519-key", pem, 1_772_366_400.5) == body
    assert json.loads(again)["proof"]["created"] == "2026-03-01T12:00:00Z"
    assert proven_again(b'{"id": "x"}', "k", pem, 0.0) == b'{"id": "x"}'
