"""Conversations: direct posts by thread, each persona's own."""

from collections.abc import Collection

from asgi import Application
from fakes.certificates import Authority
from fakes.world import World
from makers import make_persona, make_post, make_remote
from privapub import clock, identifiers
from privapub.actors import blocks
from privapub.database.connect import Database
from privapub.posts import audience
from privapub.posts.delete import delete
from privapub.posts.read import Post, by_id
from privapub.posts.receive import ReceivedPost, receive
from privapub.timelines import conversations
from program import Program, Town, town

PATH = "/api/v1/conversations"


async def direct(sut: Town, author: int, named: Collection[int], text: str, answers: Post | None = None) -> Post:
    """A direct post, by one of ours or of others, which is in the conversations of those whom it names."""
    async with sut.database.write() as tx:
        if answers is None:
            post: Post | None = await make_post(tx, author, "direct", text, named)
        else:
            now = clock.now()
            told = ReceivedPost(
                uri=f"https://peer.test/n/{identifiers.token()}",
                content=text,
                published_at=now,
                in_reply_to=answers.uri,
            )
            number = await receive(tx, told, author, "direct", named, now)
            post = await by_id(tx, number or 0)
        assert post is not None
        await conversations.keep(tx, post, await audience.recipients(tx, post), clock.now())
    return post


async def lasts(app: Program) -> list[str]:
    return [each["last_status"]["id"] for each in await app.get(PATH)]


async def test_an_answer_is_in_the_conversation_of_what_it_answers(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dave = await make_remote(tx), await make_remote(tx, "dave@peer.test")
        first = await direct(sut, alice.id, [carol.id], "hello")
        other = await direct(sut, dave.id, [alice.id], "something else")
        answer = await direct(sut, carol.id, [alice.id], "and to you", first)
        found = await app.get(PATH)
        assert [each["last_status"]["id"] for each in found] == [str(answer.id), str(other.id)]
        assert [[who["acct"] for who in each["accounts"]] for each in found] == [
            ["carol@peer.test"],
            ["dave@peer.test"],
        ]
        assert [each["unread"] for each in found] == [True, True]
        assert await app.get(f"{PATH}?limit=1&max_id={answer.id}") == found[1:]


async def test_it_is_read_and_unread_again(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        await direct(sut, carol.id, [alice.id], "hello")
        (one,) = await app.get(PATH)
        assert (await app.told("POST", f"{PATH}/{one['id']}/read"))["unread"] is False
        assert [each["unread"] for each in await app.get(PATH)] == [False]
        assert (await app.told("POST", f"{PATH}/{one['id']}/unread"))["unread"] is True
        await direct(sut, alice.id, [carol.id], "my own")
        assert (await app.get(PATH))[0]["unread"] is False


async def test_each_has_its_own_and_forgets_it_alone(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            bob = await make_persona(tx, "bob")
        theirs = await sut.another(bob)
        first = await direct(sut, alice.id, [bob.id], "hello")
        (mine,), (his,) = await app.get(PATH), await theirs.get(PATH)
        assert (mine["unread"], his["unread"]) == (False, True)
        assert mine["id"] != his["id"]
        for method, path in (("POST", "/read"), ("POST", "/unread"), ("DELETE", "")):
            assert await app.refused(method, f"{PATH}/{his['id']}{path}") == (404, "Record not found")
        assert await app.told("DELETE", f"{PATH}/{mine['id']}") == {}
        assert await app.get(PATH) == []
        assert await lasts(theirs) == [str(first.id)]
        _, eve = await sut.program("eve")
        assert await eve.get(PATH) == []


async def test_what_is_deleted_or_may_not_be_seen_is_not_in_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        first = await direct(sut, alice.id, [carol.id], "hello")
        answer = await direct(sut, carol.id, [alice.id], "hello you", first)
        async with database.write() as tx:
            await conversations.keep(tx, answer, await audience.recipients(tx, answer), clock.now())
        assert await lasts(app) == [str(answer.id)]
        assert len(await app.get(PATH)) == 1
        second = await direct(sut, alice.id, [carol.id], "bye")
        assert await lasts(app) == [str(second.id), str(answer.id)]
        async with database.write() as tx:
            await delete(tx, second.id, alice.id, clock.now())
        assert await lasts(app) == [str(answer.id)]
        async with database.write() as tx:
            await blocks.keep(tx, alice.id, carol.id, "https://sut.test/b", clock.now())
        assert await lasts(app) == []


async def test_who_is_blocked_hides_what_they_wrote_and_not_what_others_did(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dave = await make_remote(tx), await make_remote(tx, "dave@peer.test")
        first = await direct(sut, carol.id, [alice.id, dave.id], "hello")
        last = await direct(sut, dave.id, [alice.id, carol.id], "hello both", first)
        assert await lasts(app) == [str(last.id)]
        async with database.write() as tx:
            await blocks.keep(tx, alice.id, dave.id, "https://sut.test/block", clock.now())
        assert await lasts(app) == [str(first.id)]


async def test_it_is_refused_without_its_scope(database: Database) -> None:
    async with town(database) as sut:
        _, reader = await sut.program("alice", "read")
        assert await reader.get(PATH) == []
        assert (await sut.stranger.refused("GET", PATH))[0] == 401
        for method, path in (("POST", "/1/read"), ("POST", "/1/unread"), ("DELETE", "/1")):
            assert (await reader.refused(method, f"{PATH}{path}"))[0] == 403


async def test_what_is_written_directly_is_in_both_conversations_once_the_jobs_are_done(
    database: Database, authority: Authority
) -> None:
    async with World(database, authority) as world:
        sut = Town(Application(world.server), database)
        async with database.write() as tx:
            alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        mine, his = await sut.another(alice), await sut.another(bob)
        await mine.told("POST", "/api/v1/statuses", {"status": "@bob psst", "visibility": "direct"})
        await mine.told("POST", "/api/v1/statuses", {"status": "@bob for all to see"})
        await world.drain()
        (ours,), (theirs,) = await mine.get(PATH), await his.get(PATH)
        assert (ours["unread"], theirs["unread"]) == (False, True)
        given = {"status": "@alice what?", "visibility": "direct", "in_reply_to_id": theirs["last_status"]["id"]}
        answer = await his.told("POST", "/api/v1/statuses", given)
        await world.drain()
        (again,) = await mine.get(PATH)
        assert (again["id"], again["last_status"]["id"], again["unread"]) == (ours["id"], answer["id"], True)
        assert [each["acct"] for each in again["accounts"]] == ["bob"]
