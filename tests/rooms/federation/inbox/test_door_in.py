"""What is refused at the door of the inbox: the right status, one line in the report, no row, no needless fetch."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fakes.activities import create, follow_of, note, of, post_at, rows
from fakes.certificates import Authority
from fakes.world import Answered, Person, World
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.federation.fetching import scheme
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox import receive
from privapub.federation.signatures.digest import sha256_base64
from privapub.outbound.answers import FetchProblem
from privapub.outbound.gate import OpenGate

UNSIGNED = (("Host", "sut.test"), ("Content-Type", "application/activity+json"))
FOLLOW = "https://peer.test/follow/77"
REASONS = {
    "too-large": 413,
    "content-type": 415,
    "not-json": 400,
    "not-an-object": 400,
    "too-deep": 400,
    "duplicate-key": 400,
    "bad-id": 400,
    "no-actor": 400,
    "no-signature": 401,
    "no-digest": 401,
    "wrong-digest": 401,
    "too-old": 401,
    "ahead": 401,
    "id-elsewhere": 400,
    "object-elsewhere": 400,
    "our-actor": 401,
}


async def refused(world: World, alice: Actor, carol: Person, reason: str) -> Answered:
    """Send what is to be refused for this reason."""
    good = json.dumps(follow_of(carol, alice)).encode()
    now = clock.now()
    bodies: dict[str, Any] = {
        "too-large": b'{"a": "' + b"x" * (1 << 20) + b'"}',
        "not-json": b"{",
        "not-an-object": b"[]",
        "too-deep": b'{"a":' * 40 + b"1" + b"}" * 40,
        "duplicate-key": good[:-1] + b', "type": "Undo"}',
        "bad-id": good.replace(b"follow/77", b"follow\\u0000/77"),
        "no-actor": json.dumps({"type": "Follow", "id": FOLLOW}).encode(),
        "id-elsewhere": create(carol, note(carol), "https://other.test/a/1"),
        "object-elsewhere": create(carol, note(carol, "https://other.test/n/1")),
        "our-actor": {**follow_of(carol, alice), "actor": alice.uri},
    }
    sent: dict[str, dict[str, Any]] = {
        "content-type": {"content_type": "text/plain"},
        "no-digest": {"covered": ("(request-target)", "host", "date", "content-type")},
        "wrong-digest": {"headers": (("Digest", f"SHA-256={sha256_base64(b'something else')}"),)},
        "too-old": {"at": now - 13 * 3600},
        "ahead": {"at": now + 2 * 3600},
    }
    if reason == "no-signature":
        return await world.send(alice.inbox, good, UNSIGNED)
    return await world.post(alice.inbox, bodies.get(reason, good), by=carol, **sent.get(reason, {}))


@pytest.mark.parametrize("reason", REASONS)
async def test_what_can_be_refused_without_a_fetch_is(world: World, reason: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    answer = await refused(world, alice, carol, reason)
    counted = world.arrivals()
    assert answer.status == REASONS[reason]
    assert "error" in json.loads(answer.body)
    if reason == "no-digest":
        assert "digest" in answer.body
        assert counted in ({("", "refused", "no-digest"): 1}, {("", "refused", "not-covered"): 1})
    else:
        assert counted == {("", "refused", reason): 1}
    assert world.peer.received == []
    assert await rows(world) == 0


async def test_a_body_that_does_not_say_its_length_is_cut_off_where_it_grows_too_large(world: World) -> None:
    alice = await world.persona()
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        while given < 64 << 20:
            given += 1 << 16
            yield b" " * (1 << 16)

    try:
        answer: Answered | None = await world.send(alice.inbox, endless(), UNSIGNED)
    except OSError:  # it may hang up on us in the middle
        answer = None
    assert answer is None or answer.status == 413
    assert given < 16 << 20
    assert world.arrivals() == {("", "refused", "too-large"): 1}


async def test_who_signs_for_another_actor_is_refused_and_nothing_is_stored(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    mallory = world.person("https://peer.test/u/mallory")
    answer = await world.post(alice.inbox, follow_of(carol, alice), by=mallory)
    assert answer.status == 401
    assert world.arrivals() == {("", "refused", "signer-is-not-actor"): 1}
    assert await rows(world) == 0


async def test_a_wrong_signature_is_refused_after_one_fetch_of_the_key(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for _ in range(3):
        answer = await world.post(alice.inbox, follow_of(carol, alice), by=carol, key_name="another")
        assert answer.status == 401
    assert len(world.asked("/u/carol")) == 1
    assert world.arrivals() == {("", "refused", "wrong-signature"): 3}
    assert await rows(world) == 0


async def test_a_key_whose_host_is_silent_is_no_reason_for_a_final_answer(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    world.serve(carol.uri, status=500)
    answer = await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert world.arrivals() == {("", "undecided", "key-500"): 1}
    world.serve_person(carol)
    clock.advance(301)
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202


async def test_an_inbox_that_is_nobodys_is_not_found(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    nobody = "https://sut.test/actors/nobody/inbox"
    assert (await world.post(nobody, follow_of(carol, alice), by=carol)).status == 404


async def test_rfc_9421_is_taken_and_its_query_and_host_are_what_the_sender_meant(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol, scheme="rfc9421")).status == 202
    async with world.database.read() as tx:
        assert await scheme.of_host(tx, "peer.test", clock.now()) == "rfc9421"  # so it is spoken to in it too
    other = follow_of(carol, alice, "https://peer.test/follow/78")
    assert (await world.post(f"{alice.inbox}?x=1", other, by=carol, scheme="rfc9421")).status == 202


async def test_a_verified_sender_makes_remembered_failures_of_its_host_be_forgotten(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, create(carol, "https://peer.test/n/1"), by=carol)
    await world.drain()
    world.serve("https://peer.test/n/1", note(carol))
    await world.post(alice.inbox, create(carol, "https://peer.test/n/1", "https://peer.test/a/2"), by=carol)
    await world.drain()
    assert len(world.asked("/n/1")) == 2


async def test_failures_are_forgotten_by_the_process_that_handles_too(world: World) -> None:
    """The inbox may be served by another process than the one that fetches."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, create(carol, "https://peer.test/n/1"), by=carol)
    with pytest.raises(FetchProblem, match="404"):
        await fetch_post(world.server, "https://peer.test/n/1")  # after the inbox has taken it
    world.serve("https://peer.test/n/1", note(carol))
    await world.drain()
    assert len(world.asked("/n/1")) == 2
    assert await post_at(world, "https://peer.test/n/1") is not None


async def test_a_storm_of_deletes_of_actors_we_never_knew_costs_no_fetch_and_no_row(world: World) -> None:
    await world.persona()
    for number in range(20):
        uri = f"https://peer.test/u/gone{number}"
        somebody = Person(uri, "gone", key_name="gone")
        answer = await world.post("https://sut.test/inbox", of("Delete", somebody, uri, f"{uri}#delete"), by=somebody)
        assert answer.status == 202
        assert await world.actor(uri) is None
    assert world.peer.received == []
    assert await rows(world) == 0
    assert world.arrivals() == {("", "dropped", "delete-of-unknown-actor"): 20}


async def test_an_unsigned_delete_of_an_actor_we_never_knew_is_refused(world: World) -> None:
    gone = of("Delete", Person("https://peer.test/u/x", "x"), "https://peer.test/u/x", "https://peer.test/u/x#delete")
    assert (await world.send("https://sut.test/inbox", json.dumps(gone).encode(), UNSIGNED)).status == 401


async def test_a_blocked_host_gets_202_is_counted_and_is_not_asked_for_its_key(
    database: Database, authority: Authority
) -> None:
    class Closed(OpenGate):
        async def refuses(self, host: str) -> str | None:
            return "blocked" if host == "peer.test" else None

    async with World(database, authority, gate=Closed()) as world:
        alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
        assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
        assert world.arrivals() == {("", "dropped", "disallowed"): 1}
        assert world.peer.received == []
        assert await rows(world) == 0


async def test_a_body_that_does_not_come_to_its_end_is_not_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive, "BODY_TIME", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    writer.write(
        b"POST /inbox HTTP/1.1\r\nHost: sut.test\r\nContent-Type: application/activity+json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    async with asyncio.timeout(10):
        assert (await reader.readline()).split()[1] == b"408"
    writer.close()
    assert world.arrivals() == {("", "refused", "too-slow"): 1}
