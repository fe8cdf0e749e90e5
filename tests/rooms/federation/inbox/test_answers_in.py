"""Somebody answers a Follow of ours."""

import asyncio

import pytest

from fakes.activities import asked, kept_out, of, state
from fakes.world import Person, World
from privapub.actors.read import Actor

SHARED = "https://sut.test/inbox"


async def two_follows(world: World) -> list[tuple[Actor, Person, Actor, str]]:
    """Alice follows carol and bob follows erin, both of one host: who, whom as they are and as we know them, the id."""
    pairs = []
    for handle, name in (("alice", "carol"), ("bob", "erin")):
        ours, person = await world.persona(handle), world.person(f"https://peer.test/u/{name}")
        theirs = await world.learnt(person)
        pairs.append((ours, person, theirs, await world.follow(ours, theirs)))
    await world.drain()
    return pairs


@pytest.mark.parametrize("inbox", ["personal", "shared"])
@pytest.mark.parametrize("when", ["at once", "one after the other"])
async def test_two_accepts_with_one_id_accept_both_follows(world: World, inbox: str, when: str) -> None:
    """Friendica makes ids of a microsecond clock, and two of its processes answer in the same microsecond."""
    pairs = await two_follows(world)
    answers = [
        (
            ours.inbox if inbox == "personal" else SHARED,
            of("Accept", person, asked(ours, person, uri), "https://peer.test/objects/5f3a"),
            person,
        )
        for ours, person, _, uri in pairs
    ]
    if when == "at once":
        told = await asyncio.gather(*(world.post(to, answer, by=person) for to, answer, person in answers))
        assert [each.status for each in told] == [202, 202]
    else:
        for to, answer, person in answers:
            assert (await world.post(to, answer, by=person)).status == 202
            await world.drain()
    await world.drain()
    assert [await state(world, ours, theirs) for ours, _, theirs, _ in pairs] == ["accepted", "accepted"]
    for to, answer, person in answers:
        await world.post(to, answer, by=person)
    await world.drain()
    assert [await state(world, ours, theirs) for ours, _, theirs, _ in pairs] == ["accepted", "accepted"]
    assert await kept_out(world) == [None, None]


@pytest.mark.parametrize("inbox", ["personal", "shared"])
async def test_two_accepts_of_one_actor_with_one_id_accept_both_follows(world: World, inbox: str) -> None:
    carol = world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    ours = [await world.persona(handle) for handle in ("alice", "bob")]
    uris = [await world.follow(each, theirs) for each in ours]
    await world.drain()
    for each, uri in zip(ours, uris, strict=True):
        to = each.inbox if inbox == "personal" else SHARED
        await world.post(to, of("Accept", carol, asked(each, carol, uri), "https://peer.test/objects/1"), by=carol)
    await world.drain()
    assert [await state(world, each, theirs) for each in ours] == ["accepted", "accepted"]


async def test_an_accept_that_embeds_the_follow_counts_by_actor_and_object_whatever_its_id(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    await world.follow(alice, theirs)
    embedded = asked(alice, carol, "https://peer.test/rewritten")
    await world.post(alice.inbox, of("Accept", carol, embedded, "https://peer.test/acc/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "accepted"


async def test_an_accept_with_a_bare_id_counts_where_it_is_the_id_of_our_own_follow(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    uri = await world.follow(alice, theirs)
    await world.post(alice.inbox, of("Accept", carol, f"{uri}x", "https://peer.test/acc/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "pending"
    assert await kept_out(world) == ["no-such-follow"]
    await world.post(alice.inbox, of("Accept", carol, uri, "https://peer.test/acc/2"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "accepted"


async def test_only_the_one_who_was_asked_may_accept(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    mallory = world.person("https://peer.test/u/mallory")
    theirs = await world.learnt(carol)
    uri = await world.follow(alice, theirs)
    for number, what in enumerate((uri, asked(alice, carol, uri), asked(alice, mallory, uri))):
        await world.post(alice.inbox, of("Accept", mallory, what, f"https://peer.test/acc/{number}"), by=mallory)
    await world.drain()
    assert await state(world, alice, theirs) == "pending"
    assert await kept_out(world) == ["no-such-follow"] * 3


async def test_an_accept_of_what_was_never_asked_makes_no_follow(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    embedded = asked(alice, carol, "https://sut.test/activities/x")
    await world.post(alice.inbox, of("Accept", carol, embedded, "https://peer.test/acc/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) is None


async def test_a_reject_ends_what_waited_and_what_was_accepted(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    uri = await world.follow(alice, theirs)
    await world.post(alice.inbox, of("Accept", carol, asked(alice, carol, uri), "https://peer.test/acc/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "accepted"
    await world.post(alice.inbox, of("Reject", carol, asked(alice, carol, uri), "https://peer.test/rej/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "rejected"
    # The Accept that comes again now finds nobody who waits.
    await world.post(alice.inbox, of("Accept", carol, asked(alice, carol, uri), "https://peer.test/acc/1"), by=carol)
    await world.drain()
    assert await state(world, alice, theirs) == "rejected"
