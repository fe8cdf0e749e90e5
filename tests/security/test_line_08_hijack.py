"""Line 8, hijack by Update, Move, Delete, Undo: the same actor, not merely the same host; nobody widens an audience.

Elsewhere: both sides of a Move, fetched afresh, `rooms/federation/inbox/test_moves_in.py`; what is featured,
`rooms/federation/inbox/test_featured_in.py`; a group that passes on what is not its own,
`rooms/federation/inbox/test_boosts_in.py`; the case `inbox/07-same-host-actor-spoof`.
"""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, text

from fakes.activities import create, follow_of, note, of, post_at, state
from fakes.vouched import linked, proven, proving
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import make_post
from privapub.actors.read import Actor
from privapub.actors.tables import actor
from privapub.posts import audience
from privapub.posts.tables import post

CAROL, MALLORY = "https://peer.test/u/carol", "https://peer.test/u/mallory"
SECRET = "https://peer.test/n/secret"
FORGED = "<p>forged</p>"
# What stands between people, and what they wrote.
STATE = ("post", "post_recipient", "follow", "reaction", "boost", "block", "featured_tag", "pin", "quote_stamp")
OF_ACTORS = select(
    actor.c.uri, actor.c.handle, actor.c.name, actor.c.inbox, actor.c.state, actor.c.moved_to, actor.c.also_known_as
).where(actor.c.uri != MALLORY)


class Told:
    """alice and bob here, carol and mallory at one host elsewhere, and all that carol has done."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.alice: Actor
        self.bob: Actor
        self.carol = world.person(CAROL)
        self.mallory = world.person(MALLORY)
        self.post = ""

    async def begin(self) -> None:
        world, carol = self.world, self.carol
        self.alice, self.bob = await world.persona(), await world.persona("bob")
        await self.say(follow_of(carol, self.alice, f"{CAROL}/follow/1"), by=carol)
        asked = await world.follow(self.alice, await world.learnt(carol))
        await world.learnt(self.mallory)
        self.asked = await world.follow(self.bob, await world.learnt(carol))  # carol has not answered that
        async with world.database.write() as tx:
            self.post = (await make_post(tx, self.alice.id)).uri
        await self.say(of("Accept", carol, asked, f"{CAROL}/accept/1"), by=carol)
        secret = note(carol, SECRET, to=[f"{CAROL}/followers", self.alice.uri], content="<p>for few</p>")
        await self.say(create(carol, secret, f"{CAROL}/a/1"), by=carol)
        await self.say(of("Like", carol, self.post, f"{CAROL}/like/1"), by=carol)
        await self.say(of("Announce", carol, self.post, f"{CAROL}/boost/1") | {"to": [PUBLIC]}, by=carol)
        world.serve(SECRET, {"@context": CONTEXT, **secret})

    async def say(self, activity: dict[str, Any], *, by: Person, to: Actor | None = None) -> int:
        said = await self.world.post((to or self.alice).inbox, activity, by=by)
        await self.world.drain()
        return said.status

    async def state(self) -> dict[str, list[tuple[Any, ...]]]:
        async with self.world.database.read() as tx:
            names = {name for name in STATE if name in post.metadata.tables}
            found = {
                name: sorted((tuple(row) for row in await tx.all(text(f'SELECT * FROM "{name}"'))), key=repr)  # noqa: S608 - our tables
                for name in names
            }
            return {**found, "actors": sorted((tuple(row) for row in await tx.all(OF_ACTORS)), key=repr)}


@pytest.fixture
async def told(world: World) -> Told:
    opened = Told(world)
    await opened.begin()
    return opened


def by_mallory(kind: str, what: object, **more: object) -> dict[str, Any]:
    return {**of(kind, Person(MALLORY, "mallory"), what, f"{MALLORY}/{kind}/{len(repr(what))}"), **more}


def of_carols(told: Told) -> dict[str, dict[str, Any]]:
    """What mallory says of what is carol's, or of what was asked of carol."""
    carol, alice = told.carol, told.alice
    theirs = note(carol, SECRET, content=FORGED, updated="2026-03-01T11:00:00Z")
    her_follow = {"type": "Follow", "id": f"{CAROL}/follow/1", "actor": CAROL, "object": alice.uri}
    our_follow = {"type": "Follow", "id": told.asked, "actor": told.bob.uri, "object": CAROL}
    return {
        "update of her post": by_mallory("Update", theirs),
        "update of her post, as his own": by_mallory("Update", {**theirs, "attributedTo": MALLORY}),
        "update of her post, only named": by_mallory("Update", SECRET),
        "update of her": by_mallory("Update", {**carol.document(), "name": "forged", "inbox": f"{MALLORY}/inbox"}),
        "update of her, that says she moved": by_mallory("Update", {**carol.document(), "movedTo": MALLORY}),
        "delete of her post": by_mallory("Delete", SECRET),
        "delete of her post, by its Tombstone": by_mallory("Delete", {"type": "Tombstone", "id": SECRET}),
        "delete of her": by_mallory("Delete", CAROL),
        "delete of her, whole": by_mallory("Delete", carol.document()),
        "undo of her follow": by_mallory("Undo", her_follow),
        "undo of her follow, as his own": by_mallory("Undo", {**her_follow, "actor": MALLORY}),
        "undo of her follow, only named": by_mallory("Undo", f"{CAROL}/follow/1"),
        "undo of her like": by_mallory("Undo", {"type": "Like", "id": f"{CAROL}/like/1", "object": told.post}),
        "undo of her like, only named": by_mallory("Undo", f"{CAROL}/like/1"),
        "undo of her boost": by_mallory("Undo", {"type": "Announce", "id": f"{CAROL}/boost/1", "object": told.post}),
        "undo of her boost, only named": by_mallory("Undo", f"{CAROL}/boost/1"),
        "accept of what was asked of her": by_mallory("Accept", our_follow),
        "accept of what was asked of her, only named": by_mallory("Accept", told.asked),
        "accept of what nobody asked": by_mallory("Accept", {**our_follow, "object": MALLORY}),
        "accept of a follow between others": by_mallory("Accept", her_follow),
        "reject of what she took": by_mallory("Reject", {**our_follow, "actor": alice.uri}),
        "reject of her follow": by_mallory("Reject", her_follow),
        "move of her": by_mallory("Move", CAROL, target=MALLORY),
        "move of us": by_mallory("Move", alice.uri, target=MALLORY),
        "her post among what he features": by_mallory("Add", SECRET, target=f"{CAROL}/featured"),
        "her post taken off": by_mallory("Remove", SECRET, target=f"{CAROL}/featured"),
        "block in her name": by_mallory("Block", {"type": "Block", "actor": CAROL, "object": alice.uri}),
        "follow in her name": by_mallory("Follow", {"type": "Follow", "actor": CAROL, "object": told.bob.uri}),
    }


async def test_nobody_else_of_her_host_changes_what_is_hers(told: Told) -> None:
    before = await told.state()
    assert [name for name in ("post", "follow", "reaction", "boost", "post_recipient") if not before[name]] == []
    for name, activity in of_carols(told).items():
        for to in (told.alice, told.bob):
            assert await told.say(activity, by=told.mallory, to=to) in {202, 400, 401}
        after = await told.state()
        assert {each for each in after if after[each] != before[each]} == set(), name
    assert await state(told.world, told.bob, await told.world.actor(CAROL)) == "pending"


async def test_she_can_do_all_of_that(told: Told) -> None:
    """So that the test above would see it."""
    carol = told.carol
    edited = note(carol, SECRET, content="<p>edited</p>", updated="2026-03-01T11:00:00Z")
    await told.say(of("Update", carol, edited, f"{CAROL}/u/1"), by=carol)
    assert (await _held(told)).content == "<p>edited</p>"
    await told.say(of("Undo", carol, f"{CAROL}/like/1", f"{CAROL}/undo/1"), by=carol)
    await told.say(of("Undo", carol, f"{CAROL}/boost/1", f"{CAROL}/undo/2"), by=carol)
    await told.say(of("Undo", carol, f"{CAROL}/follow/1", f"{CAROL}/undo/3"), by=carol)
    await told.say(of("Accept", carol, told.asked, f"{CAROL}/accept/2"), by=carol, to=told.bob)
    now = await told.state()
    assert (now["reaction"], now["boost"]) == ([], [])
    her = await told.world.actor(CAROL)
    assert (await state(told.world, her, told.alice), await state(told.world, told.bob, her)) == (None, "accepted")
    await told.say(of("Delete", carol, SECRET, f"{CAROL}/delete/1"), by=carol)
    assert await post_at(told.world, SECRET) is None


async def _held(told: Told) -> Any:
    found = await post_at(told.world, SECRET)
    assert found is not None
    return found


# CVE-2024-37903: whoever sends a post again does not choose who may see it

Sent = Callable[[Told], dict[str, Any]]


@pytest.mark.parametrize(
    "sent",
    [
        lambda told: by_mallory("Create", note(told.carol, SECRET, to=[told.bob.uri])),
        lambda told: by_mallory("Create", note(told.mallory, SECRET, to=[told.bob.uri, PUBLIC])),
        lambda told: by_mallory("Create", SECRET, to=[told.bob.uri]),
        lambda told: by_mallory("Update", note(told.carol, SECRET, to=[PUBLIC]), to=[told.bob.uri]),
        lambda told: by_mallory("Announce", SECRET, to=[PUBLIC, told.bob.uri]),
        lambda told: by_mallory("Announce", create(told.carol, note(told.carol, SECRET, to=[PUBLIC])), to=[PUBLIC]),
        lambda told: by_mallory("Add", SECRET, target=f"{MALLORY}/featured", to=[told.bob.uri]),
    ],
)
async def test_nobody_widens_the_audience_of_another(told: Told, sent: Sent) -> None:
    before = await told.state()
    for to in (told.bob, told.alice):
        await told.say(sent(told), by=told.mallory, to=to)
    after = await told.state()
    assert (after["post_recipient"], after["post"], after["boost"]) == tuple(
        before[name] for name in ("post_recipient", "post", "boost")
    )
    found = await _held(told)
    async with told.world.database.read() as tx:
        assert await audience.may_see_now(tx, found, told.alice.id)
        assert not await audience.may_see_now(tx, found, told.bob.id)
        assert not await audience.may_see_now(tx, found, None)


async def test_an_edit_does_not_widen_what_was_for_few(told: Told) -> None:
    """Once sent to few, a post stays with them: who took it on trust is not to find it shown to all."""
    wider = note(told.carol, SECRET, to=[PUBLIC], updated="2026-03-01T12:00:00Z")
    await told.say(of("Update", told.carol, wider, f"{CAROL}/u/2"), by=told.carol)
    assert (await _held(told)).audience == "followers"


async def test_a_delete_that_comes_first_counts_for_its_own_actor_alone(told: Told) -> None:
    """CVE-2026-33869: whoever knows of something before it comes cannot keep it out."""
    await told.say(by_mallory("Delete", "https://peer.test/n/later"), by=told.mallory)
    await told.say(by_mallory("Undo", {"type": "Announce", "id": f"{CAROL}/boost/2"}), by=told.mallory)
    later = note(told.carol, "https://peer.test/n/later", to=[PUBLIC, told.alice.uri])
    await told.say(create(told.carol, later, f"{CAROL}/a/2"), by=told.carol)
    assert await post_at(told.world, "https://peer.test/n/later") is not None


@pytest.mark.parametrize("vouched", [proven, linked])
async def test_what_its_author_signed_for_few_is_for_no_more_when_another_brings_it(
    told: Told, vouched: Callable[[dict[str, Any], Person], dict[str, Any]]
) -> None:
    """One of those who got it sends it, as its author signed it, to somebody who was not meant (CVE-2024-37903)."""
    gina = proving(told.world, "https://peer.test/u/gina")
    for number, to in enumerate(([f"{gina.uri}/followers"], [told.alice.uri], ["https://other.test/u/dave"])):
        written = note(gina, f"https://peer.test/n/few{number}", to=to, inReplyTo=told.post)
        sent = vouched(create(gina, written, f"https://peer.test/a/few{number}"), gina)
        assert await told.say(sent, by=told.mallory, to=told.bob) == 202
        found = await post_at(told.world, written["id"])
        assert found is not None  # it answers one of ours
        async with told.world.database.read() as tx:
            assert not await audience.may_see_now(tx, found, told.bob.id)
            assert not await audience.may_see_now(tx, found, None)
            assert await audience.may_see_now(tx, found, told.alice.id) is (to == [told.alice.uri])
