"""What somebody's server says of who follows them, and what it can change (FEP-8fcf)."""

from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, note, state
from fakes.world import CONTEXT, COVERED, Person, World
from makers import make_follow
from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.documents import synchronization
from privapub.federation.documents.synchronization import HEADER, Synchronization
from privapub.federation.inbox import synchronize
from privapub.federation.inbox.synchronize import SYNCHRONIZE
from privapub.jobs.job import Job
from privapub.jobs.tables import job

INBOX = "https://sut.test/inbox"
CAROL = "https://peer.test/u/carol"
URL = "https://peer.test/u/carol/followers_synchronization"


class Told:
    """Alice and Bob of ours, and Carol, whom Alice follows."""

    def __init__(self, world: World, alice: Actor, bob: Actor, carol: Person, theirs: Actor) -> None:
        self.world, self.alice, self.bob, self.carol, self.theirs = world, alice, bob, carol, theirs
        self.number = 0

    def listed(self, *uris: str, **more: Any) -> None:
        document = {"@context": CONTEXT, "id": URL, "type": "OrderedCollection", "orderedItems": list(uris), **more}
        self.world.serve(URL, document)

    async def say(self, digest: str, *, covered: bool = True, **changes: str) -> None:
        """Carol sends something, and beside it what her server has."""
        self.number += 1
        said = synchronization.write(
            Synchronization(changes.get("collection", f"{CAROL}/followers"), changes.get("url", URL), digest)
        )
        activity = create(
            self.carol, note(self.carol, f"https://peer.test/n/{self.number}"), f"https://peer.test/a/{self.number}"
        )
        answer = await self.world.post(
            INBOX,
            activity,
            by=self.carol,
            headers=((HEADER, said),),
            covered=(*COVERED, HEADER.lower()) if covered else COVERED,
        )
        assert answer.status == 202
        await self.world.drain()

    async def asked(self) -> int:
        async with self.world.database.read() as tx:
            return len(await tx.all(select(job.c.id).where(job.c.kind == SYNCHRONIZE)))

    async def states(self) -> tuple[str | None, str | None]:
        return (
            await state(self.world, self.alice, self.theirs),
            await state(self.world, self.bob, self.theirs),
        )


async def told(world: World) -> Told:
    alice, bob, carol = await world.persona(), await world.persona("bob"), world.person(CAROL)
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, theirs.id)
    await world.drain()
    clock.advance(1)
    world.peer.received.clear()
    return Told(world, alice, bob, carol, theirs)


def digest(*uris: str) -> str:
    return synchronization.digest(uris)


async def test_where_both_agree_nothing_is_asked(world: World) -> None:
    both = await told(world)
    await both.say(digest(both.alice.uri))
    assert await both.asked() == 0
    assert await both.states() == ("accepted", None)


async def test_who_is_not_listed_follows_no_more(world: World) -> None:
    both = await told(world)
    both.listed()
    await both.say(digest())
    assert await both.states() == ("rejected", None)


async def test_who_is_listed_and_does_not_follow_takes_it_back(world: World) -> None:
    both = await told(world)
    both.listed(both.alice.uri, both.bob.uri)
    await both.say(digest(both.alice.uri, both.bob.uri))
    assert await both.states() == ("accepted", None)
    (undo,) = world.sent()
    assert (undo["type"], undo["actor"]) == ("Undo", both.bob.uri)
    assert (undo["object"]["type"], undo["object"]["actor"], undo["object"]["object"]) == (
        "Follow",
        both.bob.uri,
        CAROL,
    )


async def test_who_waits_and_is_listed_follows(world: World) -> None:
    both = await told(world)
    await world.follow(both.bob, both.theirs)
    await world.drain()
    world.peer.received.clear()
    both.listed(both.alice.uri, both.bob.uri)
    await both.say(digest(both.alice.uri, both.bob.uri))
    assert await both.states() == ("accepted", "accepted")
    assert world.sent() == []


async def test_what_was_agreed_since_it_was_asked_stays(world: World) -> None:
    both = await told(world)
    listed = synchronize.Listed(frozenset(), clock.now())
    clock.advance(1)
    async with world.database.write() as tx:
        await make_follow(tx, both.bob.id, both.theirs.id)
    asked = Job(1, SYNCHRONIZE, "x", {"actor": both.theirs.id, "url": URL}, 1, "", "", 0.0, 0.0, 0.0)
    async with world.database.write() as tx:
        await synchronize.write(world.server, tx, asked, listed, clock.now())
    assert await both.states() == ("rejected", "accepted")


@pytest.mark.parametrize(
    "changes",
    [
        {"collection": "https://peer.test/u/cecil/followers"},
        {"collection": "https://sut.test/followers"},
        {"url": "https://other.test/followers"},
        {"url": "http://peer.test/u/carol/followers_synchronization"},
        {"url": "https://peer.test:8443/x"},
    ],
)
async def test_what_is_not_of_the_sender_and_their_host_is_passed_over(world: World, changes: dict[str, str]) -> None:
    both = await told(world)
    both.listed()
    await both.say(digest(), **changes)
    assert await both.asked() == 0
    assert await both.states() == ("accepted", None)


async def test_what_no_signature_covers_is_passed_over(world: World) -> None:
    both = await told(world)
    both.listed()
    await both.say(digest(), covered=False)
    assert await both.asked() == 0
    assert await both.states() == ("accepted", None)


async def test_a_collection_with_pages_is_read_to_its_end(world: World) -> None:
    both = await told(world)
    first, last = f"{URL}?page=1", f"{URL}?page=2"
    world.serve(URL, {"@context": CONTEXT, "id": URL, "type": "OrderedCollection", "first": first})
    page = {"@context": CONTEXT, "type": "OrderedCollectionPage", "partOf": URL}
    world.serve(first, {**page, "id": first, "orderedItems": [both.bob.uri], "next": last})
    world.serve(last, {**page, "id": last, "orderedItems": [both.alice.uri]})
    await both.say(digest())
    assert await both.states() == ("accepted", None)
    assert [undo["actor"] for undo in world.sent()] == [both.bob.uri]


@pytest.mark.parametrize(
    "document",
    [
        {"type": "Note", "attributedTo": CAROL},
        {"type": "OrderedCollection", "orderedItems": [5]},
        {"type": "OrderedCollection", "orderedItems": [], "totalItems": 1},
        {"type": "OrderedCollection", "orderedItems": [], "totalItems": 1e18},
        {"type": "OrderedCollection", "first": "https://other.test/page"},
        {"type": "OrderedCollection", "next": URL},
    ],
)
async def test_what_cannot_be_read_whole_changes_nothing(world: World, document: dict[str, Any]) -> None:
    both = await told(world)
    world.serve(URL, {"@context": CONTEXT, "id": URL, **document})
    await both.say(digest())
    assert await both.asked() == 1
    assert await both.states() == ("accepted", None)
    assert world.other.received == []


@pytest.mark.parametrize("empty", [False, True])
async def test_a_collection_without_an_end_is_left(world: World, empty: bool) -> None:
    """Where a page after the first has nothing, there and then."""
    both = await told(world)
    for number in range(30):
        url = f"{URL}?p={number}" if number else URL
        document = {"@context": CONTEXT, "id": url, "type": "OrderedCollectionPage", "next": f"{URL}?p={number + 1}"}
        world.serve(url, document if empty else {**document, "orderedItems": [f"https://peer.test/u/{number}"]})
    await both.say(digest())
    assert len(world.asked("/u/carol/followers_synchronization")) == 1
    asked = [each for each in world.peer.received if "followers_synchronization" in each.path]
    assert len(asked) == (2 if empty else synchronize.PAGES)
    assert await both.states() == ("accepted", None)


async def test_it_is_asked_once_in_ten_minutes(world: World) -> None:
    both = await told(world)
    both.listed(both.bob.uri, both.alice.uri)
    for _ in range(3):
        await both.say(digest())
    assert await both.asked() == 1
    clock.advance(600)
    await both.say(digest())
    assert await both.asked() == 2


async def test_a_host_that_lists_the_world_makes_us_say_so_much_and_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synchronize, "MOST_UNDONE", 1)
    both = await told(world)
    strangers = [f"https://sut.test/actors/x{number}" for number in range(50)] + ["https://other.test/u/dave"]
    both.listed(both.alice.uri, both.bob.uri, *strangers, (await world.persona("eve")).uri)
    await both.say(digest())
    assert len(world.sent()) == 1


async def test_another_actor_of_that_host_is_not_touched(world: World) -> None:
    both = await told(world)
    cecil = await world.learnt(world.person("https://peer.test/u/cecil"))
    async with world.database.write() as tx:
        await make_follow(tx, both.bob.id, cecil.id)
    clock.advance(1)
    both.listed()
    await both.say(digest())
    assert await state(world, both.bob, cecil) == "accepted"
