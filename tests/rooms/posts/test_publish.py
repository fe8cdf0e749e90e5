"""A persona publishes, edits and deletes."""

from dataclasses import dataclass
from typing import Any

import pytest

from makers import ADDRESSES, facts, make_follow, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.personas.read import Persona
from privapub.posts import audience, read
from privapub.posts.delete import delete
from privapub.posts.edit import edit
from privapub.posts.publish import publish
from privapub.posts.read import Post

NOW = 1_800_000_000.0


@dataclass
class World:
    alice: Persona
    bob: Persona
    carol: Actor


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        return World(await make_persona(tx, "alice"), await make_persona(tx, "bob"), await make_remote(tx))


async def write(tx: Transaction, author_id: int, **changes: Any) -> Post:
    values = {"audience": "public", "source": "Hello", "content_html": "<p>Hello</p>", "now": NOW}
    post_id = await publish(tx, author_id=author_id, addresses=ADDRESSES, **(values | changes))
    post = await read.by_id(tx, post_id)
    assert post is not None
    return post


async def again(tx: Transaction, post: Post) -> Post:
    found = await read.by_id(tx, post.id)
    assert found is not None
    return found


async def test_a_post_is_kept_as_it_was_written_and_told(database: Database, world: World) -> None:
    tag = {"type": "Mention", "href": world.carol.uri, "name": "@carol@peer.test"}
    async with database.write() as tx:
        post = await write(
            tx, world.alice.id, summary="careful", language="en", mentions=[world.carol.id], tags=[tag], now=NOW
        )
        assert (post.source, post.content, post.summary) == ("Hello", "<p>Hello</p>", "careful")
        assert (post.sensitive, post.language, post.tags, post.audience) == (True, "en", (tag,), "public")
        assert (post.local, post.kind, post.author_id) == (True, "Note", world.alice.id)
        assert (post.published_at, post.edited_at, post.deleted_at) == (NOW, None, None)
        assert await read.recipient_ids(tx, [post.id]) == {post.id: (world.carol.id,)}
        assert await facts(tx) == [{"post_id": post.id}]
        assert await read.by_uri(tx, post.uri) == post
        assert post.activity_uri is not None
        assert await read.by_activity_uri(tx, post.activity_uri) == post


async def test_the_ids_on_the_wire_are_random_and_tell_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        posts = [await write(tx, world.alice.id) for _ in range(3)]
    uris = {uri for post in posts for uri in (post.uri, post.activity_uri)}
    assert len(uris) == 6
    for post in posts:
        token = post.uri.removeprefix("https://sut.test/posts/")
        assert len(token) >= 22
        assert token not in (post.activity_uri or "")
        assert str(post.id) not in post.uri
        assert "alice" not in post.uri
        assert post.url == post.uri


@pytest.mark.parametrize(
    "changes",
    [
        {"source": ""},
        {"source": " \n"},
        {"source": "x" * 5001},
        {"summary": "x" * 501},
        {"audience": "circle"},
        {"audience": "everyone"},
        {"audience": ""},
        {"audience": "direct"},
    ],
)
async def test_what_cannot_be_published_is_refused(database: Database, world: World, changes: dict[str, Any]) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await write(tx, world.alice.id, **changes)
        assert await facts(tx) == []


async def test_a_direct_post_to_oneself_goes_to_nobody_and_is_refused(database: Database, world: World) -> None:
    async with database.write() as tx:
        with pytest.raises(InvalidInput):
            await write(tx, world.alice.id, audience="direct", mentions=[world.alice.id])
        post = await write(tx, world.alice.id, audience="direct", mentions=[world.alice.id, world.carol.id])
        assert (await audience.recipients(tx, post)).actor_ids == (world.carol.id,)


async def test_an_answer_knows_what_it_answers_where_that_is_here(database: Database, world: World) -> None:
    async with database.write() as tx:
        first = await make_post(tx, world.carol.id)
        answer = await write(tx, world.alice.id, in_reply_to=first.uri)
        assert (answer.in_reply_to, answer.in_reply_to_id) == (first.uri, first.id)
        away = await write(tx, world.alice.id, in_reply_to="https://peer.test/n/unknown")
        assert (away.in_reply_to, away.in_reply_to_id) == ("https://peer.test/n/unknown", None)


async def test_what_one_may_not_see_one_cannot_answer(database: Database, world: World) -> None:
    async with database.write() as tx:
        secret = await make_post(tx, world.bob.id, "direct", named=[world.carol.id])
        gone = await make_post(tx, world.bob.id)
        await delete(tx, gone.id, world.bob.id, NOW)
        for post in (secret, gone):
            with pytest.raises(NotFound):
                await write(tx, world.alice.id, in_reply_to=post.uri)
        assert (await write(tx, world.bob.id, in_reply_to=secret.uri)).in_reply_to_id == secret.id


async def test_an_edit_keeps_what_is_not_given_and_is_told_once(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await write(tx, world.alice.id, audience="followers", summary="careful", language="en")
        change: dict[str, Any] = {"source": "Hi", "content_html": "<p>Hi</p>", "now": NOW + 5}
        assert await edit(tx, post.id, world.alice.id, **change)
        assert not await edit(tx, post.id, world.alice.id, **change)
        edited = await again(tx, post)
        assert (edited.source, edited.content, edited.edited_at) == ("Hi", "<p>Hi</p>", NOW + 5)
        assert (edited.summary, edited.sensitive, edited.language) == ("careful", True, "en")
        assert (edited.audience, edited.uri, edited.published_at) == ("followers", post.uri, NOW)
        assert await facts(tx, "post_edited") == [{"post_id": post.id}]
        assert await edit(tx, post.id, world.alice.id, **change | {"summary": ""})
        assert not (await again(tx, post)).sensitive


async def test_each_edit_is_later_than_the_last_whatever_the_clock_says(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await write(tx, world.alice.id)
        seen = [post.published_at]
        for text in ("one", "two", "three"):
            await edit(tx, post.id, world.alice.id, source=text, content_html=text, now=NOW - 100)
            seen.append((await again(tx, post)).edited_at or 0)
    assert seen == sorted(set(seen))


async def test_an_edit_may_name_more_and_forgets_nobody(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await write(tx, world.alice.id, audience="direct", mentions=[world.carol.id])
        assert not await audience.may_see_now(tx, post, world.bob.id)
        await edit(
            tx, post.id, world.alice.id, source="@bob", content_html="@bob", mentions=[world.bob.id], now=NOW + 1
        )
        assert await audience.may_see_now(tx, post, world.bob.id)
        assert await audience.may_see_now(tx, post, world.carol.id)


async def test_only_the_author_edits_and_deletes_and_only_what_is_there(database: Database, world: World) -> None:
    async with database.write() as tx:
        post, remote = await write(tx, world.alice.id), await make_post(tx, world.carol.id)
        text: dict[str, Any] = {"source": "x", "content_html": "x", "now": NOW}
        for post_id, author_id in ((post.id, world.bob.id), (remote.id, world.carol.id), (1, world.alice.id)):
            with pytest.raises(NotFound):
                await edit(tx, post_id, author_id, **text)
            with pytest.raises(NotFound):
                await delete(tx, post_id, author_id, NOW)
        await delete(tx, post.id, world.alice.id, NOW)
        with pytest.raises(NotFound):
            await edit(tx, post.id, world.alice.id, **text)
        with pytest.raises(InvalidInput):
            await edit(tx, (await write(tx, world.alice.id)).id, world.alice.id, **text | {"source": ""})


async def test_deleting_leaves_a_tombstone_with_nothing_of_what_was_said(database: Database, world: World) -> None:
    async with database.write() as tx:
        first = await make_post(tx, world.carol.id)
        post = await write(
            tx,
            world.alice.id,
            audience="followers",
            summary="careful",
            language="en",
            mentions=[world.carol.id],
            tags=[{"type": "Hashtag", "name": "#secret"}],
            in_reply_to=first.uri,
        )
        await edit(tx, post.id, world.alice.id, source="secret", content_html="<p>secret</p>", now=NOW + 1)
        assert await delete(tx, post.id, world.alice.id, NOW + 9)
        assert not await delete(tx, post.id, world.alice.id, NOW + 10)
        stone = await again(tx, post)
        assert stone.deleted_at == NOW + 9
        assert "secret" not in repr(stone)
        assert "careful" not in repr(stone)
        assert (stone.source, stone.content, stone.language, stone.edited_at) == (None, "", None, None)
        assert (stone.in_reply_to, stone.in_reply_to_id, stone.tags) == (None, None, ())
        assert (stone.uri, stone.author_id, stone.audience) == (post.uri, post.author_id, "followers")
        assert await facts(tx, "post_deleted") == [{"post_id": post.id}]
        # The Delete must still find to whom the post had been addressed.
        assert await read.recipient_ids(tx, [post.id]) == {post.id: (world.carol.id,)}


async def test_an_authors_posts_come_in_pages_by_audience_without_the_deleted_ones(
    database: Database, world: World
) -> None:
    async with database.write() as tx:
        posts = [
            await write(tx, world.alice.id, source=str(number), now=NOW + number, audience=whom)
            for number, whom in enumerate(["public", "unlisted", "followers", "public", "public"])
        ]
        await write(tx, world.bob.id)
        await delete(tx, posts[3].id, world.alice.id, NOW + 9)
        assert [post.source for post in await read.of_author(tx, world.alice.id)] == ["4", "0"]
        assert await read.count_public(tx, world.alice.id) == 2
        both = {"public", "unlisted"}
        first = await read.of_author(tx, world.alice.id, limit=2, audiences=both)
        second = await read.of_author(tx, world.alice.id, limit=2, audiences=both, before=first[-1].id)
        assert [post.source for post in first + second] == ["4", "1", "0"]
        assert await read.count_public(tx, world.alice.id, both) == 3
        assert await read.count_local_public(tx) == 3


async def test_bulk_questions_answer_for_each_post(database: Database, world: World) -> None:
    async with database.write() as tx:
        await make_follow(tx, world.bob.id, world.alice.id)
        open_one = await write(tx, world.alice.id)
        for_followers = await write(tx, world.alice.id, audience="followers")
        to_carol = await write(tx, world.alice.id, audience="direct", mentions=[world.carol.id])
        posts = [to_carol, open_one, for_followers]
        assert await audience.visible_to(tx, posts, None) == [open_one]
        assert await audience.visible_to(tx, posts, world.alice.id) == posts
        assert await audience.visible_to(tx, posts, world.bob.id) == [open_one, for_followers]
        assert await audience.visible_to(tx, posts, world.carol.id) == [to_carol, open_one]
        assert await audience.visible_to(tx, [], world.carol.id) == []
        assert await read.recipient_ids(tx, [open_one.id, to_carol.id]) == {
            open_one.id: (),
            to_carol.id: (world.carol.id,),
        }
        assert await read.recipient_ids(tx, []) == {}
        assert await read.naming(tx, world.carol.id, []) == frozenset()
        assert await read.by_ids(tx, [open_one.id, 1]) == {open_one.id: open_one}
        assert await read.by_ids(tx, []) == {}
