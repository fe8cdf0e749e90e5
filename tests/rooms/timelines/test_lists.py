"""Lists of people: their persona's alone."""

import pytest

from makers import ADDRESSES, at_home, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.posts import read
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.timelines import lists
from privapub.timelines.fill import fill
from privapub.timelines.home import of_list

NOW = 1_800_000_000.0


async def shown(tx: Transaction, persona_id: int, list_id: int) -> set[int]:
    return {entry.post.id for entry in (await of_list(tx, persona_id, list_id, Window(), clock.now())).items}


async def answer(tx: Transaction, author_id: int, to: Post) -> Post:
    post_id = await publish(
        tx, author_id=author_id, audience="public", source="yes", content_html="yes", in_reply_to=to.uri,
        addresses=ADDRESSES, now=clock.now(),
    )  # fmt: skip
    post = await read.by_id(tx, post_id)
    assert post is not None
    await fill(tx, post, NOW)
    return post


async def test_a_list_shows_its_people_and_answers_as_it_says(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, cleo, dan = [await make_persona(tx, name) for name in ("alice", "bob", "cleo", "dan")]
        stranger = await make_persona(tx, "stranger")
        for other in (bob, cleo, dan):
            await make_follow(tx, alice.id, other.id)
        made = {how: await lists.add(tx, alice.id, how, replies=how, now=NOW) for how in lists.REPLIES}
        for each in made.values():
            await lists.put_on(tx, alice.id, each, [bob.id, cleo.id])
        first = {one.id: await make_post(tx, one.id) for one in (alice, bob, cleo, dan, stranger)}
        for post in first.values():
            await fill(tx, post, NOW)
        by_bob = {one.id: await answer(tx, bob.id, first[one.id]) for one in (alice, bob, cleo, dan, stranger)}
        always = {first[bob.id].id, first[cleo.id].id, by_bob[bob.id].id}
        assert await shown(tx, alice.id, made["none"]) == always
        assert await shown(tx, alice.id, made["list"]) == always | {by_bob[cleo.id].id, by_bob[alice.id].id}
        assert await shown(tx, alice.id, made["followed"]) == always | {
            by_bob[cleo.id].id, by_bob[alice.id].id, by_bob[dan.id].id
        }  # fmt: skip


async def test_people_of_an_exclusive_list_are_not_at_home(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        for reader in (alice, bob):
            await make_follow(tx, reader.id, carol.id)
        post = await make_post(tx, carol.id)
        await fill(tx, post, NOW)
        made = await lists.add(tx, alice.id, "news", exclusive=True, now=NOW)
        await lists.put_on(tx, alice.id, made, [carol.id])
        assert await at_home(tx, alice.id) == []
        assert await shown(tx, alice.id, made) == {post.id}
        assert await at_home(tx, bob.id) == [post]
        assert (await lists.change(tx, alice.id, made, exclusive=False)).exclusive is False
        assert await at_home(tx, alice.id) == [post]


async def test_only_whom_it_follows_can_be_on_a_list(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dora = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dora@peer.test")
        made = await lists.add(tx, alice.id, "friends", now=NOW)
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, alice.id, dora.id, "pending")
        with pytest.raises(NotFound):
            await lists.put_on(tx, alice.id, made, [carol.id, dora.id])
        await lists.put_on(tx, alice.id, made, [carol.id])
        await lists.put_on(tx, alice.id, made, [carol.id])
        assert [one.id for one in (await lists.members(tx, alice.id, made, Window())).items] == [carol.id]
        assert [one.id for one in await lists.of(tx, alice.id, holding=carol.id)] == [made]
        assert await lists.of(tx, alice.id, holding=dora.id) == []
        assert await lists.take_off(tx, alice.id, made, [carol.id]) == 1
        assert await lists.take_off(tx, alice.id, made, [carol.id]) == 0


async def test_a_list_is_its_own_persona_s_alone(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        made = await lists.add(tx, alice.id, "friends", now=NOW)
        for wrong in (
            lists.by_id(tx, bob.id, made),
            lists.change(tx, bob.id, made, title="x"),
            lists.members(tx, bob.id, made, Window()),
            lists.put_on(tx, bob.id, made, [alice.id]),
            lists.take_off(tx, bob.id, made, [alice.id]),
            of_list(tx, bob.id, made, Window(), NOW),
        ):
            with pytest.raises(NotFound):
                await wrong
        assert not await lists.remove(tx, bob.id, made)
        assert await lists.of(tx, bob.id) == []
        assert await lists.remove(tx, alice.id, made)


@pytest.mark.parametrize("wrong", [{"title": " "}, {"title": "x" * 201}, {"replies": "all"}])
async def test_what_cannot_be_a_list_is_refused(database: Database, wrong: dict[str, str]) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        with pytest.raises(InvalidInput):
            await lists.add(tx, alice.id, **{"title": "x", **wrong}, now=NOW)  # type: ignore[arg-type]  # of many types
