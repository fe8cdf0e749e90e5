"""Line 5, signatures: unsigned is 401, in doubt nothing is believed, and the key's owner is who it is said to be.

Elsewhere: what a signature must cover, algorithms and their keys, `rooms/federation/signatures/test_presented.py` and
`test_keys.py`; digests, `test_digest.py`; times, `test_line_07_replay.py`; keys that fail are remembered,
`rooms/federation/test_asker.py`; the cases `signatures`; real requests and their changes, `test_wire.py`.
"""

import base64
import json
from typing import Any

import pytest

from fakes.activities import create, follow_of, note, of, post_at, rows, state
from fakes.world import PUBLIC, Person, World
from privapub import clock
from privapub.federation import asker
from privapub.federation.inbox import receive
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign

CAROL, MALLORY = "https://peer.test/u/carol", "https://peer.test/u/mallory"
JSON = "application/activity+json"
Headers = tuple[tuple[str, str], ...]


def signed(world: World, to: str, body: bytes, by: Person, key_id: str = "") -> Headers:
    """The headers of a request as it should be."""
    request = HttpRequest("POST", to, (("Host", "sut.test"), ("Content-Type", JSON)), body)
    key = PrivateKey.from_pem(key_id or by.key_id, by.private)
    del world
    return (*request.headers, *sign(request, key, "cavage", clock.now()))


def changed(given: Headers, **changes: str | None) -> Headers:
    names = {name.replace("_", "-").lower(): value for name, value in changes.items()}
    kept = tuple(pair for pair in given if pair[0].lower() not in names)
    return kept + tuple((name, value) for name, value in names.items() if value is not None)


def parameters(headers: Headers) -> dict[str, str]:
    text = next(value for name, value in headers if name.lower() == "signature")
    return {name: value.strip('"') for name, _, value in (part.partition("=") for part in text.split(","))}


def forged(given: Headers, **changes: str | None) -> Headers:
    told = {**parameters(given), **changes}
    return changed(given, signature=",".join(f'{name}="{value}"' for name, value in told.items() if value is not None))


async def nothing_came_in(world: World, alice: Any) -> None:
    await world.drain()
    assert await rows(world) == 0
    her = await world.actor(CAROL)
    assert her is None or await state(world, her, alice) is None


@pytest.mark.parametrize("shared", [True, False])
async def test_what_is_not_signed_is_refused_at_every_inbox(world: World, shared: bool) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    to = "https://sut.test/inbox" if shared else alice.inbox
    follow = follow_of(carol, alice)
    proof = {"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "proofValue": "z"}
    for activity in (
        follow, create(carol, note(carol, to=[PUBLIC, alice.uri])),
        of("Delete", carol, "https://peer.test/n/1", "https://peer.test/d/1"), of("Undo", carol, follow, "u"),
        {**follow, "signature": {"type": "RsaSignature2017", "creator": carol.key_id, "signatureValue": ""}},
        {**follow, "proof": proof},
    ):  # fmt: skip
        said = await world.send(to, json.dumps(activity).encode(), (("Host", "sut.test"), ("Content-Type", JSON)))
        assert said.status == 401, activity
    await nothing_came_in(world, alice)


async def test_no_way_around_the_signature(world: World) -> None:
    """CVE-2026-28432: whatever stands in the headers, what was not signed by her key is not hers."""
    alice, carol, mallory = await world.persona(), world.person(CAROL), world.person(MALLORY)
    for known in (carol, mallory):
        await world.learnt(known)
    body = json.dumps(follow_of(carol, alice)).encode()
    hers = signed(world, alice.inbox, b"{}", carol)  # what she did sign: something else
    his = signed(world, alice.inbox, body, mallory, key_id=carol.key_id)  # with another key, under her name
    none = base64.b64encode(b"").decode()
    attempts: dict[str, Headers] = {
        "another body": changed(hers),
        "another key": his,
        "an empty signature": forged(his, signature=none),
        "no signature": forged(his, signature=None),
        "zeros": forged(his, signature=base64.b64encode(bytes(256)).decode()),
        "no algorithm": forged(his, algorithm="none"),
        "a secret": forged(his, algorithm="hmac-sha256"),
        "another algorithm": forged(his, algorithm="ed25519"),
        "nothing covered": forged(his, headers=""),
        "no list": forged(his, headers=None),
        "only the date": forged(his, headers="date"),
        "no digest covered": forged(his, headers="(request-target) host date"),
        "no host covered": forged(his, headers="(request-target) date digest"),
        "no target covered": forged(his, headers="host date digest"),
        "no key": forged(his, keyId=""),
        "two keys": changed(his, signature=f'keyId="{MALLORY}#main-key",{dict(his)["Signature"]}'),
        "as authorization": (*changed(his, signature=None), ("Authorization", f"Signature {dict(his)['Signature']}")),
        "both schemes, one of them empty": (*his, ("Signature-Input", "sig1=()"), ("Signature", "sig1=::")),
        "an input without a signature": (*changed(his, signature=None), ("Signature-Input", 'sig1=("@method")')),
        "no digest": changed(his, digest=None),
        "an empty digest": changed(his, digest=""),
        "a weak digest": changed(his, digest="MD5=1B2M2Y8AsgTpgAmY7PhCfg=="),
        "two digests": (*his, ("Digest", "SHA-256=AAAA")),
        "another host": changed(his, host="peer.test"),
        "two hosts in the list": forged(his, headers="host host host"),
    }
    for name, headers in attempts.items():
        said = await world.send(alice.inbox, body, headers)
        assert said.status in {400, 401}, (name, said)
    await nothing_came_in(world, alice)
    # All of it is well where it is hers.
    assert (await world.send(alice.inbox, body, signed(world, alice.inbox, body, carol))).status == 202


async def test_who_signs_is_the_actor_before_anything_is_done(world: World) -> None:
    """CVE-2025-54888: a signature that is in order, by somebody else than who is said to act."""
    alice, carol, mallory = await world.persona(), world.person(CAROL), world.person(MALLORY)
    for activity in (
        follow_of(carol, alice), {**follow_of(carol, alice), "actor": {"id": CAROL, "type": "Person"}},
        {**follow_of(carol, alice), "as:actor": MALLORY}, {**follow_of(carol, alice), "actor": [CAROL, MALLORY]},
        create(carol, note(carol, to=[PUBLIC, alice.uri])), of("Delete", carol, carol.uri, "https://peer.test/d/1"),
        of("Update", carol, carol.document(), "https://peer.test/u/1"),
    ):  # fmt: skip
        said = await world.post(alice.inbox, activity, by=mallory)
        # What is passed on is asked of its origin, and a Delete of an actor whom nobody knows does nothing.
        assert said.status in {401, 202 if activity["type"] in {"Create", "Update", "Delete"} else 401}, activity
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is None
    her = await world.actor(CAROL)
    assert her is None or (await state(world, her, alice), her.is_gone) == (None, False)


@pytest.mark.parametrize("broken", ["whose", "examine"])
async def test_what_goes_wrong_while_it_is_checked_lets_nothing_in(
    world: World, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Fail closed."""
    alice, carol = await world.persona(), world.person(CAROL)

    def fails(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(asker, broken, fails)
    if hasattr(receive, broken):
        monkeypatch.setattr(receive, broken, fails)
    said = await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    assert said.status == 500
    assert "broken" not in said.body
    await nothing_came_in(world, alice)


async def test_a_key_that_fails_is_not_asked_for_again_and_again(world: World) -> None:
    """CVE-2026-34148 and floods of its kind: a hundred forgeries are one fetch."""
    alice, carol, mallory = await world.persona(), world.person(CAROL), world.person(MALLORY)
    for _ in range(20):
        assert (await world.post(alice.inbox, follow_of(carol, alice), by=mallory, key_id=carol.key_id)).status == 401
    assert len(world.asked("/u/carol")) == 1
    await nothing_came_in(world, alice)


async def test_the_algorithm_belongs_to_the_key(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    body = json.dumps(follow_of(carol, alice)).encode()
    headers = signed(world, alice.inbox, body, carol)
    for algorithm in ("ed25519", "ecdsa-sha256", "hmac-sha256", "rsa-sha1", "none", "RSA-SHA256 "):
        assert (await world.send(alice.inbox, body, forged(headers, algorithm=algorithm))).status == 401
    await nothing_came_in(world, alice)
