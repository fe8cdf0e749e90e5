"""What of a timeline is shown: answers, mutes, blocks; and the timelines that are nobody's own."""

import pytest

from makers import ADDRESSES, at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import mutes
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import blocking, follow
from privapub.posts import read
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive
from privapub.posts.tables import post_tag
from privapub.timelines.fill import fill
from privapub.timelines.read import mentions, public, tagged

NOW = 1_800_000_000.0


async def answer(tx: Transaction, author_id: int, to: str, *named: int) -> Post:
    post_id = await publish(
        tx, author_id=author_id, audience="public", source="yes", content_html="yes", in_reply_to=to, mentions=named,
        addresses=ADDRESSES, now=clock.now(),
    )  # fmt: skip
    post = await read.by_id(tx, post_id)
    assert post is not None
    await fill(tx, post, NOW)
    return post


async def ids(tx: Transaction, persona_id: int) -> set[int]:
    return {post.id for post in await at_home(tx, persona_id)}


async def test_an_answer_is_shown_to_who_follows_both(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, cleo, dan = [await make_persona(tx, name) for name in ("alice", "bob", "cleo", "dan")]
        await make_follow(tx, alice.id, bob.id)
        to = {one.id: await make_post(tx, one.id) for one in (alice, bob, cleo, dan)}
        by_bob = {one.id: await answer(tx, bob.id, to[one.id].uri) for one in (alice, bob, cleo, dan)}
        assert await ids(tx, alice.id) == {by_bob[alice.id].id, by_bob[bob.id].id}
        # What is followed later counts as well as what was followed then.
        await make_follow(tx, alice.id, cleo.id)
        assert by_bob[cleo.id].id in await ids(tx, alice.id)
        await follow.withdraw(tx, alice.id, cleo.id, NOW)
        assert by_bob[cleo.id].id not in await ids(tx, alice.id)
        # One's own answers are one's own, and what names one is for one.
        own = await answer(tx, alice.id, to[dan.id].uri)
        named = await answer(tx, bob.id, to[dan.id].uri, alice.id)
        assert {own.id, named.id} <= await ids(tx, alice.id)


async def test_an_answer_to_what_is_not_here_waits_until_it_is(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        for other in (bob, carol):
            await make_follow(tx, alice.id, other.id)
        early = await answer(tx, bob.id, "https://peer.test/n/late")
        assert await ids(tx, alice.id) == set()
        late = ReceivedPost("https://peer.test/n/late", "<p>first</p>", clock.now())
        assert await receive(tx, late, carol.id, "public", [], clock.now())
        assert await ids(tx, alice.id) == {early.id}


async def test_a_mute_hides_until_it_ends_and_changes_nothing_else(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        post = await make_post(tx, carol.id, named=[alice.id])
        await fill(tx, post, NOW)
        await mutes.add(tx, alice.id, carol.id, ends_at=clock.now() + 60, now=clock.now())
        assert await ids(tx, alice.id) == set()
        for page in (
            await public(tx, alice.id, Window(), clock.now()),
            await mentions(tx, alice.id, Window(), clock.now()),
        ):
            assert page.items == ()
        assert len((await public(tx, None, Window(), clock.now())).items) == 1
        clock.advance(61)
        assert await ids(tx, alice.id) == {post.id}
        await mutes.add(tx, alice.id, carol.id, now=clock.now())
        assert await ids(tx, alice.id) == set()
        assert await mutes.remove(tx, alice.id, carol.id, clock.now())
        assert await ids(tx, alice.id) == {post.id}


@pytest.mark.parametrize("way", ["blocks", "is blocked"])
async def test_a_block_hides_either_way_in_every_timeline(database: Database, way: str) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        post = await make_post(tx, carol.id, named=[alice.id])
        await tx.execute(post_tag.insert().values(tag="tea", post_id=post.id))
        await fill(tx, post, NOW)

        async def everywhere() -> list[int]:
            pages = [
                await public(tx, alice.id, Window(), NOW),
                await tagged(tx, "tea", alice.id, Window(), NOW),
                await mentions(tx, alice.id, Window(), NOW),
            ]
            return [len(await ids(tx, alice.id)), *(len(page.items) for page in pages)]

        assert await everywhere() == [1, 1, 1, 1]
        if way == "blocks":
            await blocking.block(tx, alice.id, carol.id, "https://sut.test/activities/b", NOW)
        else:
            await blocking.receive_block(tx, carol.id, alice.id, "https://peer.test/b", NOW)
        assert await everywhere() == [0, 0, 0, 0]
        assert await fill(tx, await make_post(tx, carol.id, named=[alice.id]), NOW) == 0


async def test_the_public_timeline_holds_what_is_public_and_answers_nobody_else(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        here, there = await make_post(tx, alice.id), await make_post(tx, carol.id)
        for whom in ("unlisted", "followers", "direct"):
            await make_post(tx, carol.id, whom, named=[alice.id])
        own_thread = await answer(tx, alice.id, here.uri)
        await answer(tx, alice.id, there.uri)

        async def shown(reader: int | None, **more: str) -> set[int]:
            page = await public(tx, reader, Window(), clock.now(), **more)  # type: ignore[arg-type]  # of the right words
            return {entry.post.id for entry in page.items}

        assert await shown(None) == await shown(alice.id) == {here.id, there.id, own_thread.id}
        assert await shown(None, where="local") == {here.id, own_thread.id}
        assert await shown(None, where="remote") == {there.id}


async def test_a_tag_s_timeline_holds_what_is_public_and_has_it(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        posts = {"tea": await make_post(tx, carol.id), "tea cake": await make_post(tx, alice.id)}
        posts["tea hidden"] = await make_post(tx, carol.id, "unlisted")
        for tags, post in posts.items():
            await tx.execute(post_tag.insert(), [{"tag": tag, "post_id": post.id} for tag in tags.split()])

        async def shown(**more: object) -> set[int]:
            page = await tagged(tx, "tea", None, Window(), NOW, **more)  # type: ignore[arg-type]  # the values are of many types
            return {entry.post.id for entry in page.items}

        assert await shown() == {posts["tea"].id, posts["tea cake"].id}
        assert await shown(also=("cake",)) == {posts["tea cake"].id}
        assert await shown(never=("cake",)) == {posts["tea"].id}
        assert await shown(where="local") == {posts["tea cake"].id}


async def test_mentions_are_what_names_one(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        open_, direct = [await make_post(tx, carol.id, whom, named=[alice.id]) for whom in ("public", "direct")]
        page = await mentions(tx, alice.id, Window(), NOW)
        assert {entry.post.id for entry in page.items} == {open_.id, direct.id}
        page = await mentions(tx, alice.id, Window(), NOW, direct=True)
        assert {entry.post.id for entry in page.items} == {direct.id}
        assert (await mentions(tx, bob.id, Window(), NOW)).items == ()
