"""Posts from elsewhere arrive, change and go, twice and in any order."""

from dataclasses import dataclass, replace

import anyio
import pytest
from sqlalchemy import func, select, update

from makers import facts, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.personas.read import Persona
from privapub.posts import audience, read, tombstones
from privapub.posts.delete import forget_author
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive, receive_delete, receive_edit
from privapub.posts.tables import post, post_tag, tombstone

NOW = 1_800_000_000.0
URI = "https://peer.test/n/1"
NOTE = ReceivedPost(uri=URI, content="<p>first</p>", published_at=NOW - 60)


@dataclass
class World:
    alice: Persona
    bob: Persona
    carol: Actor
    mallory: Actor  # on carol's host


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        return World(
            await make_persona(tx, "alice"),
            await make_persona(tx, "bob"),
            await make_remote(tx, "carol@peer.test"),
            await make_remote(tx, "mallory@peer.test"),
        )


async def found(tx: Transaction, uri: str = URI) -> Post:
    post = await read.by_uri(tx, uri)
    assert post is not None
    return post


async def take_back(tx: Transaction, who: Actor, uri: str = URI, now: float = NOW) -> bool:
    return await receive_delete(tx, uri, who.id, who.uri, who.host, now)


async def test_everything_that_was_told_is_kept(database: Database, world: World) -> None:
    told = replace(
        NOTE,
        kind="Article",
        summary="careful",
        sensitive=True,
        language="de",
        url="https://peer.test/@carol/1",
        in_reply_to="https://other.test/n/9",
        tags=({"type": "Hashtag", "name": "#x"},),
        attachments=({"type": "Image", "url": "https://peer.test/i.png"},),
        updated_at=NOW - 30,
    )
    async with database.write() as tx:
        post_id = await receive(tx, told, world.carol.id, "unlisted", [world.alice.id], NOW)
        post = await found(tx)
        assert post.id == post_id
        for name in set(ReceivedPost.__dataclass_fields__) - {"updated_at"}:
            assert getattr(post, name) == getattr(told, name), name
        assert (post.edited_at, post.received_at, post.deleted_at) == (NOW - 30, NOW, None)
        assert (post.local, post.author_id, post.audience, post.source) == (False, world.carol.id, "unlisted", None)
        assert (await audience.recipients(tx, post)).actor_ids == (world.alice.id,)
        assert await facts(tx) == [{"post_id": post_id, "quoted": False}]


async def test_a_second_copy_changes_nothing_and_tells_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        first = await receive(tx, NOTE, world.carol.id, "direct", [world.alice.id], NOW)
        other = replace(NOTE, content="<p>other</p>")
        assert await receive(tx, other, world.carol.id, "public", [world.alice.id], NOW) == first
        assert (await found(tx)).content == "<p>first</p>"
        assert (await found(tx)).audience == "direct"
        assert len(await facts(tx)) == 1


async def test_a_copy_for_another_of_us_names_them_too_if_its_author_sends_it(database: Database, world: World) -> None:
    async with database.write() as tx:
        first = await receive(tx, NOTE, world.carol.id, "direct", [world.alice.id], NOW)
        assert await receive(tx, NOTE, world.mallory.id, "direct", [world.bob.id], NOW) is None
        assert not await audience.may_see_now(tx, await found(tx), world.bob.id)
        assert await receive(tx, NOTE, world.carol.id, "direct", [world.bob.id], NOW) == first
        assert await audience.may_see_now(tx, await found(tx), world.bob.id)
        assert len(await facts(tx)) == 2


async def test_a_uri_of_ours_cannot_be_taken(database: Database, world: World) -> None:
    async with database.write() as tx:
        ours = await make_post(tx, world.alice.id)
        taken = replace(NOTE, uri=ours.uri, updated_at=NOW + 9)
        assert await receive(tx, taken, world.carol.id, "public", [], NOW) is None
        assert await receive(tx, taken, world.alice.id, "public", [], NOW) is None
        assert not await receive_edit(tx, taken, world.alice.id, [], NOW + 9)
        assert not await take_back(tx, world.carol, ours.uri)
        assert not await receive_delete(tx, ours.uri, world.alice.id, world.alice.actor.uri, "sut.test", NOW)
        assert await read.by_id(tx, ours.id) == ours


async def test_an_answer_is_tied_to_what_it_answers_whichever_came_first(database: Database, world: World) -> None:
    reply = ReceivedPost(uri="https://peer.test/n/2", content="re", in_reply_to=URI)
    later = ReceivedPost(uri="https://peer.test/n/3", content="re", in_reply_to=URI)
    async with database.write() as tx:
        await receive(tx, reply, world.carol.id, "public", [], NOW)
        assert (await found(tx, reply.uri)).in_reply_to_id is None
        first = await receive(tx, NOTE, world.carol.id, "public", [], NOW)
        await receive(tx, later, world.carol.id, "public", [], NOW)
        assert (await found(tx, reply.uri)).in_reply_to_id == first
        assert (await found(tx, later.uri)).in_reply_to_id == first


@pytest.mark.parametrize(("told", "kept"), [(None, NOW), (NOW - 60.5, NOW - 60.5), (NOW + 1e9, NOW), (-5.0, 0.0)])
async def test_no_post_is_from_the_future_or_before_all_time(
    database: Database, world: World, told: float | None, kept: float
) -> None:
    async with database.write() as tx:
        await receive(tx, replace(NOTE, published_at=told), world.carol.id, "public", [], NOW)
        assert (await found(tx)).published_at == kept


async def test_numbers_sort_by_the_time_that_was_told_and_one_second_holds_many(
    database: Database, world: World
) -> None:
    async with database.write() as tx:
        for number in range(50):
            note = replace(NOTE, uri=f"{URI}/{number}", published_at=NOW - 100 + number // 25)
            await receive(tx, note, world.carol.id, "public", [], NOW)
        posts = await read.of_author(tx, world.carol.id, limit=100)
        assert len(posts) == 50
        assert [post.published_at for post in posts] == sorted((post.published_at for post in posts), reverse=True)


async def test_an_edit_is_taken_once(database: Database, world: World) -> None:
    edit = replace(NOTE, content="<p>third</p>", updated_at=NOW + 3)
    async with database.write() as tx:
        await receive(tx, NOTE, world.carol.id, "followers", [], NOW)
        assert await receive_edit(tx, edit, world.carol.id, [], NOW + 5)
        assert not await receive_edit(tx, edit, world.carol.id, [], NOW + 6)
        post = await found(tx)
        assert (post.content, post.edited_at, post.audience) == ("<p>third</p>", NOW + 3, "followers")


async def test_an_edit_that_is_older_or_tells_no_time_is_ignored_as_a_whole(database: Database, world: World) -> None:
    newer = replace(NOTE, content="<p>third</p>", updated_at=NOW + 3)
    older = replace(NOTE, content="<p>second</p>", summary="cw", sensitive=True, updated_at=NOW + 2)
    async with database.write() as tx:
        await receive(tx, NOTE, world.carol.id, "public", [], NOW)
        await receive_edit(tx, newer, world.carol.id, [], NOW + 5)
        after = await found(tx)
        assert not await receive_edit(tx, older, world.carol.id, [world.alice.id], NOW + 5)
        assert not await receive_edit(tx, replace(older, updated_at=None), world.carol.id, [world.alice.id], NOW + 5)
        assert await found(tx) == after
        assert (await audience.recipients(tx, after)).actor_ids == ()


async def test_an_edit_from_the_future_does_not_lock_the_post(database: Database, world: World) -> None:
    async with database.write() as tx:
        await receive(tx, NOTE, world.carol.id, "public", [], NOW)
        await receive_edit(tx, replace(NOTE, content="far", updated_at=NOW + 1e9), world.carol.id, [], NOW + 5)
        assert (await found(tx)).edited_at == NOW + 5
        assert await receive_edit(tx, replace(NOTE, content="now", updated_at=NOW + 9), world.carol.id, [], NOW + 10)


async def test_only_the_author_edits_even_on_one_host(database: Database, world: World) -> None:
    edit = replace(NOTE, content="<p>mallory's</p>", updated_at=NOW + 3)
    async with database.write() as tx:
        assert not await receive_edit(tx, edit, world.carol.id, [], NOW)
        await receive(tx, NOTE, world.carol.id, "public", [], NOW)
        assert not await receive_edit(tx, edit, world.mallory.id, [world.bob.id], NOW + 5)
        assert (await found(tx)).content == "<p>first</p>"


async def test_an_edit_may_name_more_of_us_and_that_is_told(database: Database, world: World) -> None:
    edit = replace(NOTE, content="@alice", updated_at=NOW + 3)
    async with database.write() as tx:
        post_id = await receive(tx, NOTE, world.carol.id, "direct", [world.bob.id], NOW)
        assert await receive_edit(tx, edit, world.carol.id, [world.alice.id], NOW + 5)
        assert (await audience.recipients(tx, await found(tx))).actor_ids == tuple(
            sorted((world.alice.id, world.bob.id))
        )
        assert await facts(tx) == [{"post_id": post_id, "quoted": False}] * 2


async def test_a_delete_leaves_a_tombstone_that_nothing_brings_to_life(database: Database, world: World) -> None:
    async with database.write() as tx:
        await receive(tx, replace(NOTE, summary="careful"), world.carol.id, "public", [], NOW)
        assert await take_back(tx, world.carol)
        assert not await take_back(tx, world.carol)
        stone = await found(tx)
        assert (stone.content, stone.summary, stone.deleted_at) == ("", "", NOW)
        assert await receive(tx, NOTE, world.carol.id, "public", [world.alice.id], NOW) is None
        assert not await receive_edit(tx, replace(NOTE, updated_at=NOW + 3), world.carol.id, [], NOW + 5)
        assert await found(tx) == stone


async def test_a_delete_before_its_create_stops_it_for_a_year(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert not await take_back(tx, world.carol)
        assert await receive(tx, NOTE, world.carol.id, "public", [], NOW + 2) is None
        assert await read.by_uri(tx, URI) is None
        assert await receive(tx, NOTE, world.carol.id, "public", [], NOW + tombstones.LIFE) is None
        assert await receive(tx, NOTE, world.carol.id, "public", [], NOW + tombstones.LIFE + 1) is not None


async def test_somebody_elses_delete_suppresses_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert not await take_back(tx, world.mallory)
        assert await receive(tx, NOTE, world.carol.id, "public", [], NOW + 2) is not None
        assert not await take_back(tx, world.mallory)
        assert (await found(tx)).deleted_at is None


async def test_a_strangers_note_does_not_push_out_the_authors(database: Database, world: World) -> None:
    async with database.write() as tx:
        await take_back(tx, world.carol)
        await take_back(tx, world.mallory)
        assert await receive(tx, NOTE, world.carol.id, "public", [], NOW) is None


async def test_the_notes_of_one_host_are_bounded_and_the_newest_stay(database: Database, world: World) -> None:
    async with database.write() as tx:
        rows = [
            {"uri": f"{URI}/{number}", "actor_uri": world.carol.uri, "host": "peer.test", "at": NOW + number}
            for number in range(tombstones.PER_HOST)
        ]
        for start in range(0, len(rows), 1000):
            await tx.execute(tombstone.insert(), rows[start : start + 1000])
        other = await make_remote(tx, "dave@other.test")
        await take_back(tx, other, "https://other.test/n/1", NOW - 1)
        await take_back(tx, world.carol, f"{URI}/new", NOW + tombstones.PER_HOST)
        by_host = select(func.count()).select_from(tombstone)
        assert await tx.scalar(by_host.where(tombstone.c.host == "peer.test")) == tombstones.PER_HOST
        assert await tx.scalar(by_host.where(tombstone.c.host == "other.test")) == 1
        assert await tx.scalar(by_host.where(tombstone.c.uri == f"{URI}/0")) == 0
        assert await tx.scalar(by_host.where(tombstone.c.uri == f"{URI}/new")) == 1


async def test_notes_older_than_a_year_are_dropped(database: Database, world: World) -> None:
    async with database.write() as tx:
        await take_back(tx, world.carol)
        assert await tombstones.prune(tx, NOW + tombstones.LIFE) == 0
        assert await tombstones.prune(tx, NOW + tombstones.LIFE + 1) == 1


async def test_a_create_and_its_delete_at_once_never_leave_a_living_post(database: Database, world: World) -> None:
    async def create(uri: str) -> None:
        async with database.write() as tx:
            await receive(tx, replace(NOTE, uri=uri), world.carol.id, "public", [], NOW)

    async def remove(uri: str) -> None:
        async with database.write() as tx:
            await take_back(tx, world.carol, uri)

    uris = [f"{URI}/{number}" for number in range(8)]
    async with anyio.create_task_group() as group:
        for place, uri in enumerate(uris):
            for verb in (create, remove) if place % 2 else (remove, create):
                group.start_soon(verb, uri)
    async with database.read() as tx:
        alive = [uri for uri in uris if (post := await read.by_uri(tx, uri)) and post.deleted_at is None]
    assert alive == []


async def test_many_copies_at_once_make_one_post(database: Database, world: World) -> None:
    numbers = []

    async def arrive(name: int) -> None:
        async with database.write() as tx:
            numbers.append(await receive(tx, NOTE, world.carol.id, "direct", [name], NOW))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(arrive, world.alice.id)
            group.start_soon(arrive, world.bob.id)
    assert len(set(numbers)) == 1
    async with database.read() as tx:
        named = (await audience.recipients(tx, await found(tx))).actor_ids
        assert set(named) == {world.alice.id, world.bob.id}


async def test_of_an_actor_that_is_gone_nothing_that_it_said_is_left(database: Database, world: World) -> None:
    async with database.write() as tx:
        await receive(tx, NOTE, world.carol.id, "public", [], NOW)
        kept = await make_post(tx, world.mallory.id)
        ours = await make_post(tx, world.alice.id)
        assert await forget_author(tx, world.carol.id, NOW) == 1
        assert await forget_author(tx, world.carol.id, NOW) == 0
        assert await forget_author(tx, world.alice.id, NOW) == 0
        assert (await found(tx)).content == ""
        for post in (kept, ours):
            assert await read.by_id(tx, post.id) == post


async def test_what_an_edit_says_replaces_all_that_was_told(database: Database, world: World) -> None:
    tag = {"type": "Hashtag", "name": "#Berlin", "href": ""}
    told = replace(
        NOTE,
        translations=(("de", "<p>erstens</p>"),),
        license="CC0-1.0",
        quote="https://other.test/n/9",
        quote_stamp="https://other.test/stamps/1",
        quote_policy="followers",
        context="https://peer.test/contexts/1",
        conversation="tag:peer.test,2026:1",
        replies="https://peer.test/n/1/replies",
        likes_elsewhere=3,
        shares_elsewhere=2,
        replies_elsewhere=1,
        notes=(("published", "This is no moment."),),
        tags=(tag, {"type": "Hashtag", "name": "#ber lin", "href": ""}, {"type": "Mention", "name": "@x", "href": "y"}),
    )
    kept_as_told = ("translations", "license", "quote", "quote_stamp", "quote_policy", "context", "conversation")
    kept_as_told += ("replies", "likes_elsewhere", "shares_elsewhere", "replies_elsewhere", "notes")
    async with database.write() as tx:
        post_id = await receive(tx, told, world.carol.id, "public", (), NOW)
        kept = await found(tx)
        assert {name: getattr(kept, name) for name in kept_as_told} == {
            name: getattr(told, name) for name in kept_as_told
        }
        assert kept.quote_state == "pending"
        assert [row.tag for row in await tx.all(select(post_tag.c.tag))] == ["berlin"]
        same = replace(told, license="", updated_at=NOW - 30, tags=())
        await tx.execute(update(post).where(post.c.id == post_id).values(quote_state="accepted"))
        assert await receive_edit(tx, same, world.carol.id, (), NOW)
        assert ((await found(tx)).quote_state, (await found(tx)).license) == ("accepted", "")
        assert await tx.all(select(post_tag)) == []
        other = replace(same, quote="https://other.test/n/8", updated_at=NOW - 20)
        assert await receive_edit(tx, other, world.carol.id, (), NOW)
        assert (await found(tx)).quote_state == "pending"
        none = replace(NOTE, updated_at=NOW - 10)
        assert await receive_edit(tx, none, world.carol.id, (), NOW)
        assert {name: getattr(await found(tx), name) for name in kept_as_told} == {
            name: getattr(NOTE, name) for name in kept_as_told
        }
        assert (await found(tx)).quote_state == ""
        policy = replace(NOTE, updated_at=NOW - 10, quote_policy="nobody", content="other")
        assert await receive_edit(tx, policy, world.carol.id, (), NOW)
        assert not await receive_edit(tx, replace(NOTE, updated_at=NOW - 11), world.carol.id, (), NOW)
        assert not await receive_edit(tx, replace(NOTE, updated_at=None), world.carol.id, (), NOW)
        kept = await found(tx)
        assert (kept.quote_policy, kept.content) == ("nobody", NOTE.content)
        again = replace(told, updated_at=NOW - 5)
        assert await receive_edit(tx, again, world.carol.id, (), NOW)
        assert await take_back(tx, world.carol)
        gone = await found(tx)
        assert (gone.license, gone.quote, gone.notes, gone.conversation) == ("", None, (), None)
        assert await tx.all(select(post_tag)) == []
