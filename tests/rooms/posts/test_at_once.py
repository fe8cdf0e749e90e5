"""A post is deleted while somebody puts something beside it: nothing of that remains, whoever came first."""

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import select

from fakes.at_once import at_once
from makers import ADDRESSES, make_persona, make_remote
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.posts import boost, pin, polls, react, read
from privapub.posts.delete import delete
from privapub.posts.edit import edit
from privapub.posts.polls import NewPoll, ToldPoll
from privapub.posts.publish import publish
from privapub.posts.receive import ReceivedPost, receive, receive_delete, receive_edit
from privapub.posts.tables import boost as boosts
from privapub.posts.tables import pin as pins
from privapub.posts.tables import poll, poll_vote, post_tag, reaction

NOW = 1_800_000_000.0
URI, OURS = "https://peer.test/n/1", "https://sut.test/activities/1"
TOLD = ToldPoll((("a", 3), ("b", 1)), ends_at=NOW + 3600)
RECORD = ReceivedPost(uri=URI, content="<p>?</p>", kind="Question", poll=TOLD, published_at=NOW - 60)
TAG = {"type": "Hashtag", "name": "#secret", "href": ""}


@dataclass
class World:
    alice: int
    bob: int
    carol: int
    ours: int  # alice's poll
    theirs: int  # carol's


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx, "alice"), await make_persona(tx, "bob"), await make_remote(tx)
        ours = await publish(
            tx,
            author_id=alice.id,
            audience="public",
            source="?",
            content_html="<p>?</p>",
            poll=NewPoll(("a", "b")),
            addresses=ADDRESSES,
            now=NOW,
        )
        theirs = await receive(tx, RECORD, carol.id, "public", (), NOW)
        assert theirs is not None
        return World(alice.id, bob.id, carol.id, ours, theirs)


async def edits(tx: Transaction, world: World) -> None:
    await edit(
        tx,
        world.ours,
        world.alice,
        source="#secret",
        content_html="<p>#secret</p>",
        tags=[TAG],
        poll=NewPoll(("secret", "b")),
        now=NOW,
    )


async def edits_elsewhere(tx: Transaction, world: World) -> None:
    told = ToldPoll((("secret", 1), ("b", 2)))
    await receive_edit(tx, replace(RECORD, tags=(TAG,), poll=told, updated_at=NOW), world.carol, (), NOW)


async def pins_it(tx: Transaction, world: World) -> None:
    await pin.pin(tx, world.ours, world.alice, NOW)
    await pin.pinned_elsewhere(tx, world.theirs, world.carol, NOW)


async def likes(tx: Transaction, world: World) -> None:
    for post_id in (world.ours, world.theirs):
        await react.react(tx, world.bob, post_id, "", f"{OURS}/{post_id}", NOW)


async def likes_elsewhere(tx: Transaction, world: World) -> None:
    for post_id in (world.ours, world.theirs):
        await react.receive(tx, world.carol, post_id, "", None, f"{URI}/{post_id}", NOW)


async def boosts_it(tx: Transaction, world: World) -> None:
    for post_id in (world.ours, world.theirs):
        await boost.boost(tx, world.bob, post_id, f"{OURS}/{post_id}", NOW)


async def boosts_elsewhere(tx: Transaction, world: World) -> None:
    for post_id in (world.ours, world.theirs):
        await boost.receive(tx, world.carol, post_id, "public", f"{URI}/{post_id}", NOW, NOW)


async def votes(tx: Transaction, world: World) -> None:
    for post_id in (world.ours, world.theirs):
        await polls.cast(tx, post_id, world.bob, [0], NOW)


async def votes_elsewhere(tx: Transaction, world: World) -> None:
    await polls.take_vote(tx, await read.known(tx, world.ours), world.carol, "a", f"{URI}/vote", NOW)


@pytest.mark.parametrize("delete_first", [True, False])
@pytest.mark.parametrize(
    "puts",
    [edits, edits_elsewhere, pins_it, likes, likes_elsewhere, boosts_it, boosts_elsewhere, votes, votes_elsewhere],
)
async def test_nothing_stands_beside_a_post_that_was_deleted_meanwhile(
    database: Database, world: World, puts: Callable[[Transaction, World], Awaitable[None]], delete_first: bool
) -> None:
    async def put(tx: Transaction) -> None:
        with contextlib.suppress(NotFound):
            await puts(tx, world)

    async def deletes(tx: Transaction) -> None:
        assert await delete(tx, world.ours, world.alice, NOW)
        assert await receive_delete(tx, URI, world.carol, "https://peer.test/u/carol", "peer.test", NOW)

    await (at_once(database, deletes, put) if delete_first else at_once(database, put, deletes))
    async with database.read() as tx:
        left: list[Any] = []
        for table in (post_tag, poll, poll_vote, pins, reaction, boosts):
            left += await tx.all(select(table.c.post_id))
        assert left == []
        for post_id in (world.ours, world.theirs):
            tombstone = await read.known(tx, post_id)
            assert (tombstone.deleted_at, tombstone.content, tombstone.poll) == (NOW, "", None)
