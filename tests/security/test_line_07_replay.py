"""Line 7, replay: what was signed counts within its time, at the inbox that it was signed for, and once.

Elsewhere: every time that a signature covers, `rooms/federation/signatures/test_presented.py`; what is a copy,
`rooms/federation/inbox/test_store.py`; that nothing is done twice, the cases `inbox` and `test_any_order.py`.
"""

import json

import pytest
from sqlalchemy import func, select

from fakes.activities import create, follow_of, note, of, rows, state
from fakes.vouched import proven, proving
from fakes.world import PUBLIC, World
from makers import make_post
from privapub import clock
from privapub.actors.read import Actor
from privapub.effects.forget import forget
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.posts.tables import post

CAROL = "https://peer.test/u/carol"
JSON = "application/activity+json"
SCHEMES: tuple[Scheme, ...] = ("cavage", "rfc9421")


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_time_of_signing_is_bounded_both_ways(world: World, scheme: Scheme) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    for seconds, status in ((-12 * 3600 - 60, 401), (3600 + 60, 401), (-12 * 3600 + 60, 202), (3600 - 60, 202)):
        follow = follow_of(carol, alice, f"https://peer.test/f/{seconds}")
        said = await world.post(alice.inbox, follow, by=carol, scheme=scheme, at=clock.now() + seconds)
        assert (seconds, said.status) == (seconds, status)
    assert await rows(world) == 2


async def count(world: World) -> dict[str, int]:
    tables = ("post", "follow", "reaction", "boost", "notification", "post_recipient", "report")
    async with world.database.read() as tx:
        return {name: await tx.scalar(select(func.count()).select_from(post.metadata.tables[name])) for name in tables}


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_same_request_again_changes_nothing(world: World, scheme: Scheme) -> None:
    """Byte for byte, as somebody on the way would send it again."""
    alice, carol = await world.persona(), world.person(CAROL)
    async with world.database.write() as tx:
        mine = await make_post(tx, alice.id)
    requests = [
        sealed(alice, activity, carol.key_id, carol.private, scheme)
        for activity in (
            follow_of(carol, alice),
            create(carol, note(carol, to=[PUBLIC, alice.uri])),
            of("Like", carol, mine.uri, "https://peer.test/l/1"),
            of("EmojiReact", carol, mine.uri, "https://peer.test/r/1") | {"content": "🎉"},
            of("Announce", carol, mine.uri, "https://peer.test/b/1") | {"to": [PUBLIC]},
            of("Flag", carol, [alice.uri], "https://peer.test/fl/1") | {"content": "spam"},
        )
    ]
    first: dict[str, int] = {}
    for _ in range(3):
        for body, headers in requests:
            assert (await world.send(alice.inbox, body, headers)).status == 202
        await world.drain()
        first = first or await count(world)
        assert await count(world) == first
    assert {name for name, found in first.items() if not found} == set()


def sealed(
    alice: Actor, activity: dict[str, object], key_id: str, private: str, scheme: Scheme
) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    """A request, signed once."""
    body = json.dumps(activity).encode()
    request = HttpRequest("POST", alice.inbox, (("Host", "sut.test"), ("Content-Type", JSON)), body)
    signature = sign(request, PrivateKey.from_pem(key_id, private), scheme, clock.now())
    return body, (*request.headers, *signature)


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_what_was_sent_to_one_inbox_is_worth_nothing_at_another(world: World, scheme: Scheme) -> None:
    alice, bob, carol = await world.persona(), await world.persona("bob"), world.person(CAROL)
    body, headers = sealed(alice, create(carol, note(carol, to=[alice.uri])), carol.key_id, carol.private, scheme)
    for other in (bob.inbox, "https://sut.test/inbox", f"{alice.inbox}?x=1", alice.inbox.replace("/inbox", "/outbox")):
        assert (await world.send(other, body, headers)).status in {401, 404, 405}
    assert await rows(world) == 0
    assert (await world.send(alice.inbox, body, headers)).status == 202


async def test_an_old_follow_does_not_come_back_by_itself(world: World) -> None:
    """After its Undo, a Follow that is sent again is what its actor says again; the Undo sent again ends it again."""
    alice, carol = await world.persona(), world.person(CAROL)
    follow = follow_of(carol, alice)
    await world.post(alice.inbox, follow, by=carol)
    await world.drain()
    body, headers = sealed(
        alice, of("Undo", carol, follow, "https://peer.test/u/1"), carol.key_id, carol.private, "cavage"
    )
    for _ in range(2):
        await world.send(alice.inbox, body, headers)
        await world.drain()
        assert await state(world, await world.actor(CAROL), alice) is None


async def test_a_deleted_post_is_not_brought_back_by_what_made_it(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    made = note(carol, to=[PUBLIC, alice.uri])
    sent = [
        sealed(alice, activity, carol.key_id, carol.private, "cavage")
        for activity in (
            create(carol, made),
            of("Update", carol, {**made, "updated": "2026-03-01T11:00:00Z"}, "https://peer.test/up/1"),
        )
    ]
    for body, headers in sent:
        await world.send(alice.inbox, body, headers)
    await world.drain()
    await world.post(alice.inbox, of("Delete", carol, made["id"], "https://peer.test/d/1"), by=carol)
    await world.drain()
    for body, headers in sent:
        await world.send(alice.inbox, body, headers)
    await world.drain()
    async with world.database.read() as tx:
        alive = await tx.scalar(select(func.count()).select_from(post).where(post.c.deleted_at.is_(None)))
    assert alive == 0


async def test_nor_by_somebody_who_brings_it_after_it_was_forgotten(world: World) -> None:
    """What its author signed within is good for ever: that it was deleted must not be forgotten with it."""
    alice, carol, eve = await world.persona(), proving(world, CAROL), world.person("https://other.test/u/eve")
    made = note(carol, to=[PUBLIC])
    document = proven(create(carol, made), carol)
    await world.post(alice.inbox, document, by=carol)
    await world.drain()
    await world.post(alice.inbox, of("Delete", carol, made["id"], "https://peer.test/d/1"), by=carol)
    await world.drain()
    async with world.database.write() as tx:
        await forget(tx, clock.now() + 40 * 86400, {})
        assert await tx.scalar(select(func.count()).select_from(post)) == 0
    known = await world.learnt(carol)
    asked = await world.follow(alice, known)
    await world.post(alice.inbox, of("Accept", carol, asked, "https://peer.test/accept/1"), by=carol)
    await world.drain()
    await world.post(alice.inbox, document, by=eve)
    await world.drain()
    async with world.database.read() as tx:
        assert await tx.scalar(select(func.count()).select_from(post)) == 0
