"""Whatever a verified sender writes, handling it ends: taken in or kept out, never an error that comes back."""

import asyncio
import itertools
from typing import Any

import pytest
from sqlalchemy import select, text

from fakes.activities import create, follow_of, note, of, post_at, state
from fakes.world import PUBLIC, World
from privapub.federation.documents import canonical
from privapub.federation.documents.activity_kinds import HANDLED, named
from privapub.federation.inbox import store
from privapub.federation.inbox.dispatch import HANDLINGS
from privapub.federation.inbox.tables import incoming

CAROL = "https://peer.test/u/carol"
KINDS = ("Follow", "Accept", "Reject", "Undo", "Create", "Update", "Delete", "Like", "Announce", "Move", "Add", "Odd")
OBJECTS: tuple[Any, ...] = (
    None,
    7,
    "",
    "no id",
    "urn:x:y",
    [],
    [None, 3, {}],
    {},
    {"id": None},
    {"id": CAROL},
    {"type": "Person", "id": CAROL},
    {"type": ["Note", 7], "id": "https://peer.test/n/1", "attributedTo": [7, {}], "to": 5, "cc": {"id": []}},
    {"type": "Note", "id": "https://peer.test/n/2", "attributedTo": CAROL, "tag": [3, {"type": "Mention", "href": {}}]},
    {"type": "Note", "id": "https://peer.test/n/3", "attributedTo": CAROL, "content": 7, "published": "never"},
    {"type": "Follow", "actor": CAROL, "object": CAROL},
    {"type": "Follow", "actor": {"id": CAROL}, "object": [{"id": 5}]},
    {"type": "Tombstone", "id": "https://peer.test/n/4", "formerType": []},
)


@pytest.mark.parametrize("kind", KINDS)
async def test_odd_objects_are_no_error(world: World, kind: str) -> None:
    alice, carol = await world.persona(), await world.learnt(world.person(CAROL))
    for number, (what, owner) in enumerate(itertools.product(OBJECTS, ("", str(alice.id)))):
        document = {"type": kind, "id": f"https://peer.test/odd/{number}", "actor": CAROL, "object": what, "to": PUBLIC}
        async with world.database.write() as tx:
            await store.store(
                tx,
                store.Accepted(
                    owner=owner,
                    activity_id=document["id"],
                    digest=canonical.digest(document),
                    kind=kind,
                    actor_id=carol.id,
                    actor_uri=CAROL,
                    document=document,
                    now=1.0,
                ),
            )
    await world.drain()
    async with world.database.read() as tx:
        assert await tx.all(text("SELECT kind, why FROM job WHERE finished_at IS NULL")) == []
        assert await tx.all(text("SELECT kind, why FROM job WHERE state <> 'done'")) == []
        handled = await tx.all(select(incoming.c.handled_at))
    assert len(handled) == len(OBJECTS) * 2
    assert all(row.handled_at is not None for row in handled)


def test_every_kind_that_is_read_as_such_is_handled() -> None:
    assert set(HANDLINGS) == HANDLED


def test_a_stranger_does_not_choose_the_lines_of_the_report() -> None:
    assert named("Like") == "Like"
    assert {named(f"Kind{number}") for number in range(50)} == {"other"}


async def test_a_create_its_update_and_its_delete_that_are_handled_at_once_leave_nothing(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    written = note(carol, to=[PUBLIC, alice.uri])
    edited = {**written, "content": "<p>edited</p>", "updated": "2026-03-01T12:00:00Z"}
    for number in range(3):
        uri = f"https://peer.test/n/{number}"
        activities = [
            create(carol, {**written, "id": uri}, f"{uri}/create"),
            {**create(carol, {**edited, "id": uri}, f"{uri}/update"), "type": "Update"},
            of("Delete", carol, uri, f"{uri}/delete"),
        ]
        kept = activities if number else activities[:2]
        await asyncio.gather(*(world.post("https://sut.test/inbox", each, by=carol) for each in reversed(kept)))
    await world.drain()
    post = await post_at(world, "https://peer.test/n/0")
    assert post is not None
    assert post.content == "<p>edited</p>"
    for number in (1, 2):
        assert await post_at(world, f"https://peer.test/n/{number}") is None


async def test_relations_are_handled_in_the_order_in_which_they_came(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    for number in range(4):
        asks = follow_of(carol, alice, f"https://peer.test/f/{number}")
        await world.post(alice.inbox, asks, by=carol)
        if number < 3:
            await world.post(alice.inbox, of("Undo", carol, asks, f"https://peer.test/u/{number}"), by=carol)
    await world.drain()
    assert await state(world, await world.actor(CAROL), alice) == "accepted"
    assert [each["object"]["id"] for each in world.sent()] == [f"https://peer.test/f/{number}" for number in range(4)]


async def test_following_undoing_and_following_again_with_one_id_while_all_wait_ends_as_following(world: World) -> None:
    """Friendica's Follow has one id for ever; what waits must not make a copy of what was taken back since."""
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    asks = follow_of(carol, alice)
    for number in range(3):
        await world.post(alice.inbox, asks, by=carol)
        await world.post(alice.inbox, asks, by=carol)
        if number < 2:
            await world.post(alice.inbox, of("Undo", carol, asks, f"https://peer.test/u/{number}"), by=carol)
    assert world.arrivals()[("peer.test", "copy", "")] == 3
    await world.drain()
    assert await state(world, await world.actor(CAROL), alice) == "accepted"
    assert len(world.sent()) == 3


async def test_undos_with_one_id_that_wait_each_end_the_follow_before_them(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    for number in range(2):
        asks = follow_of(carol, alice, f"https://peer.test/f/{number}")
        await world.post(alice.inbox, asks, by=carol)
        await world.post(alice.inbox, of("Undo", carol, alice.uri, f"{alice.uri}#Undo"), by=carol)
        await world.post(
            alice.inbox, {**of("Undo", carol, {**asks, "id": "https://peer.test/f"}, "https://peer.test/u")}, by=carol
        )
    await world.drain()
    assert await state(world, await world.actor(CAROL), alice) is None


async def test_copies_that_come_at_once_are_one(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    written = create(carol, note(carol, to=[PUBLIC, alice.uri]))
    told = await asyncio.gather(*(world.post(alice.inbox, written, by=carol) for _ in range(8)))
    assert {each.status for each in told} == {202}
    assert world.arrivals() == {("peer.test", "queued", ""): 1, ("peer.test", "copy", ""): 7}
