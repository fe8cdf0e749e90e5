"""Relays: asked and left, given what is for everybody, and believed in nothing that they bring."""

from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, kept_out, note, of, post_at, rows
from fakes.vouched import proven, proving
from fakes.world import PUBLIC, Person, World
from makers import make_post
from privapub import clock, identifiers
from privapub.actors import application
from privapub.actors.addresses import Addresses
from privapub.errors import Conflict, NotFound
from privapub.follows import relays
from privapub.follows.relays import Relay
from privapub.posts.delete import delete
from privapub.posts.tables import boost

INBOX, RELAY_INBOX = "https://sut.test/inbox", "https://peer.test/inbox"
RELAY, DAVE = "https://peer.test/actor", "https://other.test/u/dave"
NOTE = "https://other.test/n/9"
US = "https://sut.test/actors/application"


async def asked(world: World, *, litepub: bool = False) -> tuple[Person, Relay]:
    """The relay, which we asked to let us in."""
    who = world.person(RELAY, "relay", changes={"inbox": RELAY_INBOX, "type": "Application"})
    if litepub:
        await world.learnt(who)
    async with world.database.write() as tx:
        await application.ensure(tx, Addresses("https://sut.test"), "sut.test", clock.now())
        made = await relays.ask(
            tx,
            inbox=RELAY_INBOX,
            actor_uri=RELAY if litepub else None,
            whom=RELAY if litepub else PUBLIC,
            follow_uri=f"https://sut.test/activities/{identifiers.token()}",
            now=clock.now(),
        )
    await world.drain()
    return who, made


async def answer(world: World, who: Person, relay: Relay, kind: str = "Accept", *, bare: bool = False) -> None:
    follow = {"type": "Follow", "id": relay.follow_uri, "actor": US, "object": relay.object}
    document = of(kind, who, relay.follow_uri if bare else follow, f"https://{who.host}/answers/1")
    assert (await world.post(f"{US}/inbox", document, by=who)).status == 202
    await world.drain()


async def let_in(world: World, *, litepub: bool = False) -> Person:
    who, relay = await asked(world, litepub=litepub)
    await answer(world, who, relay)
    world.peer.received.clear()
    assert await states(world) == ["accepted"]
    return who


async def states(world: World) -> list[str]:
    async with world.database.read() as tx:
        return [each.state for each in await relays.all_of(tx)]


def written(dave: Person, **changes: Any) -> dict[str, Any]:
    return create(dave, note(dave, NOTE, **changes), "https://other.test/a/9")


@pytest.mark.parametrize("litepub", [True, False])
async def test_the_application_actor_follows_a_relay_in_its_manner(world: World, litepub: bool) -> None:
    _, relay = await asked(world, litepub=litepub)
    (follow,) = world.sent()
    assert follow["type"] == "Follow"
    assert (follow["actor"], follow["object"]) == (US, RELAY if litepub else PUBLIC)
    assert follow["id"] == relay.follow_uri
    assert await states(world) == ["pending"]


@pytest.mark.parametrize("litepub", [True, False])
@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize(("kind", "state"), [("Accept", "accepted"), ("Reject", "rejected")])
async def test_its_answer_counts(world: World, litepub: bool, bare: bool, kind: str, state: str) -> None:
    who, relay = await asked(world, litepub=litepub)
    await answer(world, who, relay, kind, bare=bare)
    assert await states(world) == [state]


async def test_nobody_else_answers_for_it(world: World) -> None:
    _, relay = await asked(world)
    await answer(world, world.person(DAVE), relay)
    assert await states(world) == ["pending"]
    async with world.database.write() as tx:
        await relays.leave(tx, RELAY_INBOX)
    _, relay = await asked(world, litepub=True)
    await answer(world, world.person("https://peer.test/u/mallory"), relay)
    assert await states(world) == ["pending"]


async def test_what_is_for_everybody_goes_to_it_and_nothing_else(world: World) -> None:
    alice = await world.persona()
    await let_in(world)
    dave = await world.learnt(world.person(DAVE))
    async with world.database.write() as tx:
        first = await make_post(tx, alice.id)
        for audience in ("unlisted", "followers", "direct"):
            await make_post(tx, alice.id, audience, named=[dave.id])
    await world.drain()
    (came,) = world.sent()
    assert came["object"]["id"] == first.uri
    assert came["proof"]["cryptosuite"] == "eddsa-jcs-2022"
    async with world.database.write() as tx:
        await delete(tx, first.id, alice.id, clock.now())
    await world.drain()
    assert [each["type"] for each in world.sent()] == ["Create", "Delete"]


@pytest.mark.parametrize("answered", ["Reject", ""])
async def test_one_that_has_not_let_us_in_gets_nothing(world: World, answered: str) -> None:
    alice = await world.persona()
    who, relay = await asked(world)
    if answered:
        await answer(world, who, relay, answered)
    world.peer.received.clear()
    async with world.database.write() as tx:
        await make_post(tx, alice.id)
    await world.drain()
    assert world.sent() == []


async def test_what_it_brings_is_believed_where_its_actor_signed_it(world: World) -> None:
    who, dave = await let_in(world), proving(world, DAVE)
    assert (await world.post(INBOX, proven(written(dave), dave), by=who)).status == 202
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert world.asked("/n/9", world.other) == []


async def test_what_it_brings_without_a_proof_is_read_at_its_origin(world: World) -> None:
    who, dave = await let_in(world), world.person(DAVE)
    world.serve(NOTE, note(dave, NOTE))
    before = await rows(world)
    await world.post(INBOX, written(dave, content="<p>buy this</p>"), by=who)
    assert await rows(world) == before
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>hi</p>"


async def test_it_brings_nothing_that_is_not_for_everybody(world: World) -> None:
    who, dave = await let_in(world), proving(world, DAVE)
    closed = written(dave, to=[f"{DAVE}/followers"])
    await world.post(INBOX, proven(closed, dave), by=who)
    await world.drain()
    assert await post_at(world, NOTE) is None
    assert (await kept_out(world))[-1] == "not-for-us"


async def test_what_it_announces_is_read_at_its_origin_and_is_no_boost(world: World) -> None:
    who, dave = await let_in(world, litepub=True), world.person(DAVE)
    world.serve(NOTE, note(dave, NOTE))
    for number in range(2):
        await world.post(INBOX, of("Announce", who, NOTE, f"https://peer.test/announces/{number}"), by=who)
        await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    async with world.database.read() as tx:
        assert await tx.all(select(boost)) == []
    assert (await kept_out(world))[-2:] == [None, None]
    assert len(world.asked("/n/9", world.other)) == 1


async def test_what_it_announces_of_ours_is_no_boost(world: World) -> None:
    alice, who = await world.persona(), await let_in(world, litepub=True)
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
    await world.post(INBOX, of("Announce", who, post.uri, "https://peer.test/announces/1"), by=who)
    await world.drain()
    async with world.database.read() as tx:
        assert await tx.all(select(boost)) == []


async def test_who_is_no_relay_brings_nothing_that_concerns_nobody(world: World) -> None:
    who, relay = await asked(world)
    dave = proving(world, DAVE)
    assert (await world.post(INBOX, proven(written(dave), dave), by=who)).status == 202
    await world.drain()
    assert await post_at(world, NOTE) is None
    await answer(world, who, relay)
    async with world.database.write() as tx:
        await relays.leave(tx, RELAY_INBOX)
    await world.post(INBOX, proven(written(dave), dave), by=who)
    await world.drain()
    assert await post_at(world, NOTE) is None


async def test_other_kinds_that_it_brings_are_passed_over(world: World) -> None:
    alice, who, dave = await world.persona(), await let_in(world), proving(world, DAVE)
    follow = proven(of("Follow", dave, alice.uri, "https://other.test/f/1"), dave)
    assert (await world.post(INBOX, follow, by=who)).status == 202
    assert world.arrivals()["peer.test", "dropped", "kind-Follow"] == 1


async def test_a_relay_that_follows_us_too_is_let_and_nobody_else_is(world: World) -> None:
    who = await let_in(world, litepub=True)
    await world.post(f"{US}/inbox", of("Follow", who, US, "https://peer.test/f/1"), by=who)
    dave = world.person(DAVE)
    await world.post(f"{US}/inbox", of("Follow", dave, US, "https://other.test/f/1"), by=dave)
    await world.drain()
    (accept,) = world.sent()
    assert (accept["type"], accept["actor"], accept["object"]["id"]) == ("Accept", US, "https://peer.test/f/1")
    assert world.sent(world.other) == []


@pytest.mark.parametrize("where", [RELAY, RELAY_INBOX])
async def test_who_leaves_it_says_so(world: World, where: str) -> None:
    await let_in(world)
    async with world.database.write() as tx:
        left = await relays.leave(tx, where)
    await world.drain()
    (undo,) = world.sent()
    assert (undo["type"], undo["object"]["id"], undo["object"]["object"]) == ("Undo", left.follow_uri, PUBLIC)
    assert await states(world) == []
    async with world.database.write() as tx:
        with pytest.raises(NotFound):
            await relays.leave(tx, where)


async def test_asked_again_it_is_asked_anew_unless_it_has_let_us_in(world: World) -> None:
    who, first = await asked(world)
    _, second = await asked(world)
    assert first.follow_uri != second.follow_uri
    assert [each["id"] for each in world.sent()] == [first.follow_uri, second.follow_uri]
    await answer(world, who, first)  # the one that is in force no more
    assert await states(world) == ["pending"]
    await answer(world, who, second)
    _, third = await asked(world)
    assert (third.follow_uri, third.state) == (second.follow_uri, "accepted")
    assert len(world.sent()) == 2


async def test_there_are_so_many_and_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "MOST", 1)
    await asked(world)
    async with world.database.write() as tx:
        with pytest.raises(Conflict):
            await relays.ask(
                tx, inbox="https://x.test/inbox", actor_uri=None, whom=PUBLIC, follow_uri="f", now=clock.now()
            )
