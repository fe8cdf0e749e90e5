"""State, not history: activities that come in another order, or more than once, end in the same state.

A copy of a Create, Update, Announce or Delete changes nothing wherever it comes. Of the others (Follow, Like, Accept,
Undo) a copy that comes when the first was handled is held against what is then so: one that comes after what undid it
is a new one, and therefore not tried here but at the end.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from fakes.activities import create, note, of
from fakes.world import PUBLIC, Person, World
from makers import make_post
from privapub.actors.read import Actor
from privapub.follows import read as follows
from privapub.personas.read import by_handle
from privapub.posts import read as posts
from privapub.posts.tables import boost, post, reaction
from privapub.timelines.tables import timeline_entry

LONGEST = 60  # seconds, for one example
Activity = dict[str, Any]
_numbers = count(1)


@dataclass(frozen=True)
class Pair:
    """Two activities, and what came before them."""

    first: Activity
    second: Activity
    before: tuple[Activity, ...] = ()


Made = Callable[[World, Actor, Person, str], Awaitable[Pair]]


@pytest.fixture
async def world(world: World) -> World:
    """With a persona."""
    await world.persona()
    return world


def undo(carol: Person, undone: Activity) -> Activity:
    return of("Undo", carol, undone, f"{undone['id']}/undo")


async def create_and_delete(_world: World, alice: Actor, carol: Person, base: str) -> Pair:
    written = note(carol, f"{base}/n", to=[PUBLIC, alice.uri])
    gone = of("Delete", carol, {"type": "Tombstone", "id": f"{base}/n"}, f"{base}/delete")
    return Pair(create(carol, written, f"{base}/create"), gone)


async def create_and_update(world: World, alice: Actor, carol: Person, base: str) -> Pair:
    written = note(carol, f"{base}/n", to=[PUBLIC, alice.uri])
    changed = {**written, "content": "<p>better</p>", "updated": "2026-03-02T10:00:00Z"}
    world.serve(f"{base}/n", {"@context": "https://www.w3.org/ns/activitystreams", **changed})
    update = {**of("Update", carol, changed, f"{base}/update"), "to": changed["to"]}
    return Pair(create(carol, written, f"{base}/create"), update)


async def two_updates(_world: World, alice: Actor, carol: Person, base: str) -> Pair:
    written = note(carol, f"{base}/n", to=[PUBLIC, alice.uri])
    older, newer = (
        {**of("Update", carol, {**written, "content": f"<p>{day}</p>", "updated": f"2026-03-0{day}T10:00:00Z"},
              f"{base}/update{day}"), "to": written["to"]}
        for day in (2, 3)
    )  # fmt: skip
    return Pair(older, newer, before=(create(carol, written, f"{base}/create"),))


async def follow_and_undo(_world: World, alice: Actor, carol: Person, base: str) -> Pair:
    follow = of("Follow", carol, alice.uri, f"{base}/follow")
    return Pair(follow, undo(carol, follow))


async def like_and_undo(world: World, alice: Actor, carol: Person, base: str) -> Pair:
    async with world.database.write() as tx:
        ours = await make_post(tx, alice.id)
    like = of("Like", carol, ours.uri, f"{base}/like")
    return Pair(like, undo(carol, like))


async def announce_and_undo(world: World, alice: Actor, carol: Person, base: str) -> Pair:
    async with world.database.write() as tx:
        ours = await make_post(tx, alice.id)
    boosted = {**of("Announce", carol, ours.uri, f"{base}/announce"), "to": [PUBLIC]}
    return Pair(boosted, undo(carol, boosted))


async def accept_and_follow(world: World, alice: Actor, carol: Person, base: str) -> Pair:
    theirs = await world.learnt(carol)
    asked = await world.follow(alice, theirs)
    return Pair(of("Accept", carol, asked, f"{base}/accept"), of("Follow", carol, alice.uri, f"{base}/follow"))


PAIRS: dict[str, Made] = {
    "Create, Delete": create_and_delete,
    "Create, Update": create_and_update,
    "Update, Update": two_updates,
    "Follow, Undo": follow_and_undo,
    "Like, Undo": like_and_undo,
    "Announce, Undo": announce_and_undo,
    "Accept, Follow": accept_and_follow,
}

# Which of the two comes, and whether all that waits is handled before the next.
arrivals = st.tuples(st.integers(1, 2), st.integers(1, 2)).flatmap(
    lambda times: st.tuples(
        st.permutations([0] * times[0] + [1] * times[1]), st.lists(st.booleans(), min_size=4, max_size=4)
    )
)


async def state(world: World, alice: Actor, carol: Person) -> dict[str, Any]:
    """All that there is between the two, as people see it."""
    async with world.database.read() as tx:
        theirs = await world.actor(carol.uri)
        assert theirs is not None
        ways = [await follows.between(tx, a, b) for a, b in ((alice.id, theirs.id), (theirs.id, alice.id))]
        written = await tx.all(
            select(post.c.id, post.c.uri, post.c.content).where(
                post.c.author_id == theirs.id, post.c.deleted_at.is_(None)
            )
        )
        likes = await tx.all(select(reaction.c.emoji).where(reaction.c.actor_id == theirs.id))
        boosts = await tx.all(select(boost.c.uri).where(boost.c.actor_id == theirs.id))
        shown = await tx.all(select(timeline_entry.c.post_id).where(timeline_entry.c.persona_id == alice.id))
        alive = await posts.by_ids(tx, [row.post_id for row in shown])
    return {
        "follows": [None if way is None else way.state for way in ways],
        "posts": [(row.uri.rpartition("/")[2], row.content) for row in written],
        "likes": [row.emoji for row in likes],
        "boosts": [row.uri.rpartition("/")[2] for row in boosts],
        "home": sum(1 for each in alive.values() if each.author_id == theirs.id and each.deleted_at is None),
    }


async def played(world: World, made: Made, order: list[int], handled: list[bool]) -> dict[str, Any]:
    """The state after these arrivals, with a stranger who has sent nothing before."""
    number = next(_numbers)
    carol = world.person(f"https://peer.test/u/carol{number}", key_name="carol of the orders")
    alice = await _alice(world)
    pair = await made(world, alice, carol, f"https://peer.test/{number}")
    for activity in pair.before:
        assert (await world.post(alice.inbox, activity, by=carol)).status == 202
        await world.drain()
    for which, drain in zip(order, handled, strict=False):
        activity = (pair.first, pair.second)[which]
        assert (await world.post(alice.inbox, activity, by=carol)).status == 202
        if drain:
            await world.drain()
    await world.drain()
    return await state(world, alice, carol)


async def _alice(world: World) -> Actor:
    async with world.database.read() as tx:
        persona = await by_handle(tx, "alice")
    assert persona is not None
    return persona.actor


def renews(order: list[int], handled: list[bool]) -> bool:
    """Whether the first comes again after the second has undone it, or has been swallowed for it, and counts anew."""
    firsts = [at for at, which in enumerate(order) if which == 0]
    return any(
        1 in order[:again] and (1 in order[at:again] or any(handled[at:again])) for at, again in pairwise(firsts)
    )


EXPECTED: dict[str, dict[str, Any]] = {
    "Create, Delete": {"posts": []},
    "Create, Update": {"posts": [("n", "<p>better</p>")]},
    "Update, Update": {"posts": [("n", "<p>3</p>")]},
    "Follow, Undo": {"follows": [None, None]},
    "Like, Undo": {"likes": []},
    "Announce, Undo": {"boosts": []},
    "Accept, Follow": {"follows": ["accepted", "accepted"]},
}


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(came=arrivals)
async def test_either_order_with_copies_ends_in_the_same_state(
    world: World, name: str, came: tuple[list[int], list[bool]]
) -> None:
    order, handled = came
    assume(name not in {"Follow, Undo", "Like, Undo"} or not renews(order, handled))
    with anyio.fail_after(LONGEST):
        found = await played(world, PAIRS[name], order, handled)
    assert {key: found[key] for key in EXPECTED[name]} == EXPECTED[name]


@pytest.mark.parametrize("name", PAIRS)
async def test_both_orders_end_alike_in_everything(world: World, name: str) -> None:
    ends = [
        await played(world, PAIRS[name], order, [handled] * 4)
        for order in ([0, 1], [1, 0])
        for handled in (True, False)
    ]
    assert all(end == ends[0] for end in ends), ends


@pytest.mark.parametrize(
    ("name", "key", "renewed"), [("Follow, Undo", "follows", [None, "accepted"]), ("Like, Undo", "likes", [""])]
)
async def test_what_comes_again_after_it_was_undone_holds_again(
    world: World, name: str, key: str, renewed: Any
) -> None:
    """Some servers give a new Follow the id of the undone one."""
    assert (await played(world, PAIRS[name], [0, 1, 0], [True] * 3))[key] == renewed
    assert (await played(world, PAIRS[name], [0, 1, 0], [False] * 3))[key] == renewed
