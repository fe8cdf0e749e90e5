"""What a persona is told, once, and what it is not."""

from dataclasses import dataclass

import pytest
from sqlalchemy import update

from makers import make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import mutes
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import blocking, follow
from privapub.follows import read as follows
from privapub.notifications import notify, read
from privapub.personas.read import Persona
from privapub.personas.tables import persona as personas
from privapub.posts import boost, react
from privapub.posts.delete import delete
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


async def told(tx: Transaction, persona_id: int, **more: object) -> list[tuple[str, int]]:
    page = await read.of(tx, persona_id, Window(), clock.now(), **more)  # type: ignore[arg-type]  # the values are of many types
    return [(one.kind, one.actor_id) for one in page.items]


async def test_whom_a_post_names_is_told_once(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await make_post(tx, world.carol.id, named=[world.alice.id])
        for _ in range(2):
            await notify.of_post(tx, post, NOW)
        assert await told(tx, world.alice.id) == [("mention", world.carol.id)]
        assert await told(tx, world.bob.id) == await told(tx, world.carol.id) == []
        (one,) = (await read.of(tx, world.alice.id, Window(), NOW)).items
        assert one.post == post
        assert await read.by_id(tx, world.alice.id, one.id, NOW) == one
        assert await read.by_id(tx, world.bob.id, one.id, NOW) is None


async def test_nobody_is_told_of_what_they_did_themselves(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await make_post(tx, world.alice.id)
        await notify.of_reaction(tx, post, world.alice.id, "", NOW)
        await notify.of_boost(tx, post, world.alice.id, NOW)
        assert await told(tx, world.alice.id) == []


async def test_reactions_and_boosts_are_told_while_they_stand(database: Database, world: World) -> None:
    async with database.write() as tx:
        post, carol = await make_post(tx, world.alice.id), world.carol.id
        for number, emoji in enumerate(("", "🍵", "🍵", "🍰")):
            assert await react.receive(tx, carol, post.id, emoji, None, f"https://peer.test/l/{number}", NOW)
            await notify.of_reaction(tx, post, carol, emoji, NOW)
        assert await boost.receive(tx, carol, post.id, "public", "https://peer.test/b/1", None, NOW)
        await notify.of_boost(tx, post, carol, NOW)
        assert sorted(kind for kind, _ in await told(tx, world.alice.id)) == [
            "favourite", "reaction", "reaction", "reblog"
        ]  # fmt: skip
        for emoji in ("🍵", ""):
            assert await react.undo(tx, carol, uri=None, post_id=post.id, emoji=emoji)
        assert await boost.undo(tx, carol, uri="https://peer.test/b/1")
        assert [kind for kind, _ in await told(tx, world.alice.id)] == ["reaction"]
        # Who likes it again is no news.
        assert await react.receive(tx, carol, post.id, "", None, "https://peer.test/l/9", NOW)
        await notify.of_reaction(tx, post, carol, "", NOW)
        assert sorted(kind for kind, _ in await told(tx, world.alice.id)) == ["favourite", "reaction"]


async def test_a_follower_is_told_as_the_follow_stands(database: Database, world: World) -> None:
    async with database.write() as tx:
        shy = await make_persona(tx, "shy", locked=True)

        async def standing() -> follows.Follow:
            found = await follows.between(tx, world.carol.id, shy.id)
            assert found is not None
            return found

        await make_follow(tx, world.carol.id, shy.id, "pending")
        await notify.of_follow(tx, await standing(), NOW)
        assert await told(tx, shy.id) == [("follow_request", world.carol.id)]
        await follow.answer(tx, (await standing()).id, accept=True, now=NOW)
        assert await told(tx, shy.id) == []
        await notify.of_follow(tx, await standing(), NOW)
        assert await told(tx, shy.id) == [("follow", world.carol.id)]
        await follow.undo(tx, world.carol.id, shy.id, NOW)
        assert await told(tx, shy.id) == []


@pytest.mark.parametrize("how", ["block", "blocked", "mute"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_nothing_is_told_of_whom_one_does_not_hear(database: Database, world: World, how: str, when: str) -> None:
    async def silence(tx: Transaction) -> None:
        if how == "block":
            await blocking.block(tx, world.alice.id, world.carol.id, "https://sut.test/activities/b", NOW)
        elif how == "blocked":
            await blocking.receive_block(tx, world.carol.id, world.alice.id, "https://peer.test/b", NOW)
        else:
            await mutes.add(tx, world.alice.id, world.carol.id, now=clock.now())

    async with database.write() as tx:
        post = await make_post(tx, world.carol.id, named=[world.alice.id])
        if when == "before":
            await silence(tx)
        await notify.of_post(tx, post, clock.now())
        if when == "after":
            assert len(await told(tx, world.alice.id)) == 1
            await silence(tx)
        assert await told(tx, world.alice.id) == []


async def test_a_mute_of_posts_alone_lets_notifications_through(database: Database, world: World) -> None:
    async with database.write() as tx:
        await mutes.add(tx, world.alice.id, world.carol.id, notifications=False, now=NOW)
        await notify.of_post(tx, await make_post(tx, world.carol.id, named=[world.alice.id]), NOW)
        assert len(await told(tx, world.alice.id)) == 1


async def test_what_one_may_not_see_is_not_told(database: Database, world: World) -> None:
    async with database.write() as tx:
        hidden = await make_post(tx, world.carol.id, "direct", named=[world.bob.id])
        assert await notify.notify(tx, world.alice.id, "quote", world.carol.id, post_id=hidden.id, now=NOW) is None
        assert await notify.notify(tx, world.alice.id, "quote", world.carol.id, post_id=7, now=NOW) is None
        own = await make_post(tx, world.bob.id, named=[world.alice.id])
        await notify.of_post(tx, own, NOW)
        assert len(await told(tx, world.alice.id)) == 1
        await delete(tx, own.id, world.bob.id, NOW)
        assert await told(tx, world.alice.id) == []


async def test_a_closed_persona_and_a_remote_actor_are_told_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        await tx.execute(update(personas).where(personas.c.id == world.bob.id).values(closed_at=NOW))
        for other in (world.bob.id, world.carol.id):
            assert await notify.notify(tx, other, "follow", world.alice.id, now=NOW) is None
        with pytest.raises(ValueError, match="no kind"):
            await notify.notify(tx, world.alice.id, "poke", world.carol.id, now=NOW)


async def test_who_boosted_a_post_is_told_of_each_edit(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await make_post(tx, world.carol.id)
        await boost.boost(tx, world.alice.id, post.id, "https://sut.test/activities/1", NOW)
        first, second = [Post(**{**vars(post), "edited_at": NOW + n}) for n in (1, 2)]
        for edited in (first, first, second):
            await notify.of_edit(tx, edited, NOW)
        assert [kind for kind, _ in await told(tx, world.alice.id)] == ["update", "update"]
        assert await told(tx, world.bob.id) == []


async def test_the_end_of_one_s_own_poll_is_told_to_oneself(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await make_post(tx, world.alice.id)
        for _ in range(2):
            await notify.of_poll_end(tx, post, NOW)
        assert await told(tx, world.alice.id) == [("poll", world.alice.id)]


async def test_they_are_read_by_kind_in_pages_and_dismissed(database: Database, world: World) -> None:
    async with database.write() as tx:
        posts = []
        for _ in range(5):
            posts.append(await make_post(tx, world.carol.id, named=[world.alice.id]))
            await notify.of_post(tx, posts[-1], clock.now())
            clock.advance(1)
        await notify.notify(tx, world.alice.id, "move", world.carol.id, now=clock.now())
        assert len(await told(tx, world.alice.id, kinds=["mention"])) == 5
        assert await told(tx, world.alice.id, without=["mention"]) == [("move", world.carol.id)]
        first = await read.of(tx, world.alice.id, Window(limit=4), clock.now())
        second = await read.of(tx, world.alice.id, Window(before=first.older, limit=4), clock.now())
        assert [one.post for one in first.items + second.items] == [None, *reversed(posts)]
        assert second.older is None
        assert await read.dismiss(tx, world.bob.id, NOW) == 0
        assert await read.dismiss(tx, world.alice.id, NOW, first.items[0].id) == 1
        assert len(await told(tx, world.alice.id)) == 5
        assert await read.dismiss(tx, world.alice.id, NOW) == 5
        assert await told(tx, world.alice.id) == []
        assert await read.prune(tx, clock.now() + read.KEPT) == 6
