"""Accounts by the API: who somebody is, what they wrote, who follows them."""

import json
import re

from fakes.asked import asked
from fakes.world import World
from makers import ADDRESSES, make_follow, make_medium, make_persona, make_post, make_remote
from privapub import clock
from privapub.accounts import tokens
from privapub.database.connect import Database
from privapub.personas.edit import edit
from privapub.posts import boost, pin
from privapub.posts.publish import publish
from program import Program, town


async def shows_follows(database: Database, *persona_ids: int) -> None:
    async with database.write() as tx:
        for each in persona_ids:
            await edit(tx, each, shows_follows=True, now=clock.now())


async def ids(app: Program, path: str) -> list[str]:
    return [each["id"] for each in await app.get(path)]


async def older(app: Program, path: str) -> str | None:
    """Where the header says that the older part is."""
    found = re.search(r'<https://sut.test([^>]*)>; rel="next"', (await app.ask("GET", path)).headers.get("link", ""))
    return found[1] if found else None


async def test_several_are_shown_in_the_order_of_the_question(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            carol, dan = await make_remote(tx, "carol@peer.test"), await make_persona(tx, "dan")
        asked = f"/api/v1/accounts?id[]={dan.id}&id[]=5&id[]={carol.id}&id[]=x&id[]={dan.id}"
        assert await ids(sut.stranger, asked) == [str(dan.id), str(carol.id)]


async def test_somebody_is_looked_up_by_address_without_asking_anybody(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            carol, dan = await make_remote(tx, "Carol@peer.test"), await make_persona(tx, "Dan")
        look = "/api/v1/accounts/lookup?acct="
        for word in ("dan", "@DAN", "dan@sut.test"):
            assert (await sut.stranger.get(look + word))["id"] == str(dan.id)
        assert (await sut.stranger.get(look + "Carol@peer.test"))["id"] == str(carol.id)
        for word in ("nobody", "nobody@peer.test", "", "@"):
            assert await sut.stranger.refused("GET", look + word) == (404, "Record not found")


async def test_people_are_found_by_the_beginning_of_their_names(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            followed = await make_remote(tx, "carol@peer.test", name="Zoe Carolsson")
            unknown = await make_remote(tx, "carola@peer.test")
            findable = await make_remote(tx, "carolus@peer.test", discoverable=True)
            await make_follow(tx, alice.id, followed.id)
        find = "/api/v1/accounts/search?q="
        assert await ids(app, find + "caro") == [str(followed.id), str(findable.id)]
        assert await ids(app, find + "carolss") == [str(followed.id)]
        assert await ids(app, find + "carola") == [str(unknown.id)]
        assert await ids(app, find + "@carolus@peer") == [str(findable.id)]
        assert await ids(app, find + "caro&following=true") == [str(followed.id)]
        assert await ids(app, find + "caro&limit=1&offset=1") == [str(findable.id)]
        assert await ids(app, find) == await ids(app, find + "%25") == await ids(app, find + "_") == []
        await app.told("POST", f"/api/v1/accounts/{findable.id}/block")
        assert await ids(app, find + "caro") == [str(followed.id)]
        assert await ids(app, find + "nobody@nowhere.test&resolve=true") == []


async def test_by_the_whole_name_also_those_are_found_from_whom_a_block_parts_one(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        dan, other = await sut.program("dan")
        async with database.write() as tx:
            carol = await make_remote(tx, "carol@peer.test", discoverable=True)
            dans = await make_remote(tx, "dan@peer.test", discoverable=True)
        for each in (carol.id, dan.id, dans.id):
            await app.told("POST", f"/api/v1/accounts/{each}/block")
        for find in ("/api/v1/accounts/search?q=", "/api/v2/search?type=accounts&q="):

            async def found(by: Program, name: str, find: str = find) -> list[str]:
                answer = await by.get(find + name)
                return [each["acct"] for each in (answer if isinstance(answer, list) else answer["accounts"])]

            assert await found(app, "Dan") == await found(app, "@dan") == ["dan"]
            assert await found(app, "carol@peer.test") == ["carol@peer.test"]
            assert await found(app, "carol") == await found(app, "da") == await found(app, "carol@peer") == []
            assert await found(other, "alice") == ["alice"]


async def test_who_is_not_known_is_asked_for_on_demand(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    world.serve_jrd("carol@peer.test", carol.uri)
    async with world.database.write() as tx:
        of, _ = await tokens.register(tx, "Test", [tokens.OUT_OF_BAND], "read", None, clock.now())
        _, secret = await tokens.give(tx, of.id, alice.id, of.scopes, clock.now())
    signed_in = {"Authorization": f"Bearer {secret}"}
    path = "/api/v1/accounts/search?q=@carol@peer.test"
    assert (await world.get(path, signed_in)).body == "[]"
    assert world.asked("/u/carol") == []
    found = await world.get(f"{path}&resolve=true", signed_in)
    assert [each["acct"] for each in json.loads(found.body)] == ["carol@peer.test"]
    assert [each["acct"] for each in json.loads((await world.get(path, signed_in)).body)] == ["carol@peer.test"]


async def test_what_somebody_wrote_is_for_its_readers(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, follower = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, bob.id, alice.id)
            carol = await make_remote(tx)
            words = ("public", "unlisted", "followers", "direct")
            wrote = {word: await make_post(tx, alice.id, word, named=[carol.id]) for word in words}
        path = f"/api/v1/accounts/{alice.id}/statuses"

        def those(*words: str) -> set[str]:
            return {str(wrote[word].id) for word in words}

        assert set(await ids(sut.stranger, path)) == those("public", "unlisted")
        assert set(await ids(follower, path)) == those("public", "unlisted", "followers")
        assert set(await ids(app, path)) == those(*wrote)
        await app.told("POST", f"/api/v1/accounts/{bob.id}/block")
        assert await ids(follower, path) == []
        assert await sut.stranger.refused("GET", "/api/v1/accounts/9/statuses") == (404, "Record not found")


async def test_what_somebody_wrote_is_chosen_by_kind(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            theirs = await make_post(tx, carol.id)
            await boost.boost(tx, alice.id, theirs.id, ADDRESSES.activity("b"), clock.now())
            picture = await make_medium(tx, alice.id)
            first = await make_post(tx, alice.id)
            await pin.pin(tx, first.id, alice.id, clock.now())
        shown = await app.told("POST", "/api/v1/statuses", {"status": "a #Cat", "media_ids": [str(picture)]})
        answer = await app.told("POST", "/api/v1/statuses", {"status": f"{shown['id']}", "in_reply_to_id": shown["id"]})
        path = f"/api/v1/accounts/{alice.id}/statuses"
        every = await app.get(path)
        assert [each["reblog"]["id"] for each in every if each["reblog"]] == [str(theirs.id)]
        assert len(every) == 4
        assert await ids(app, f"{path}?only_media=true") == [shown["id"]]
        assert await ids(app, f"{path}?tagged=cat") == [shown["id"]]
        assert await ids(app, f"{path}?pinned=1") == [str(first.id)]
        assert len(await ids(app, f"{path}?exclude_reblogs=true")) == 3
        assert answer["id"] in await ids(app, f"{path}?exclude_replies=true")


async def test_answers_to_others_are_left_out_on_demand(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            theirs = await make_post(tx, carol.id)
            await publish(
                tx,
                author_id=alice.id,
                audience="public",
                source="yes",
                content_html="<p>yes</p>",
                in_reply_to=theirs.uri,
                addresses=ADDRESSES,
                now=clock.now(),
            )
            own = await make_post(tx, alice.id)
        path = f"/api/v1/accounts/{alice.id}/statuses"
        assert len(await ids(app, path)) == 2
        assert await ids(app, f"{path}?exclude_replies=true") == [str(own.id)]


async def test_a_profile_is_read_page_by_page_with_its_boosts(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            for number in range(3):
                await make_post(tx, alice.id)
                theirs = await make_post(tx, carol.id)
                await boost.boost(tx, alice.id, theirs.id, ADDRESSES.activity(f"b{number}"), clock.now())
        path = f"/api/v1/accounts/{alice.id}/statuses"
        every = await ids(app, path)
        assert len(every) == 6
        read: list[str] = []
        at: str | None = f"{path}?limit=4"
        while at is not None:
            read += await ids(app, at)
            at = await older(app, at)
        assert read == every
        assert await ids(app, f"{path}?limit=2&min_id={every[-1]}") == every[-3:-1]


async def test_who_follows_is_shown_where_it_may_be(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dan = await make_remote(tx), await make_persona(tx, "dan")
            for each in (carol.id, dan.id):
                await make_follow(tx, each, alice.id)
            await make_follow(tx, alice.id, carol.id)
            await make_follow(tx, dan.id, carol.id)
        mine, theirs = f"/api/v1/accounts/{alice.id}", f"/api/v1/accounts/{carol.id}"
        assert await ids(sut.stranger, f"{mine}/followers") == await ids(sut.stranger, f"{mine}/following") == []
        assert await ids(app, f"{mine}/followers") == [str(dan.id), str(carol.id)]
        assert await ids(app, f"{theirs}/followers") == [str(alice.id)]
        assert await ids(sut.stranger, f"{theirs}/followers") == []
        await shows_follows(database, alice.id)
        assert await ids(sut.stranger, f"{mine}/followers") == [str(carol.id)]
        assert await ids(sut.stranger, f"{mine}/following") == [str(carol.id)]
        assert await ids(sut.stranger, f"{theirs}/followers") == [str(alice.id)]
        second = await older(app, f"{mine}/followers?limit=1")
        assert second is not None
        assert await ids(app, second) == [str(carol.id)]


async def test_of_who_hides_its_followers_one_finds_oneself_alone(database: Database) -> None:
    async with town(database) as sut:
        alice, _ = await sut.program("alice")
        bob, app = await sut.program("bob")
        async with database.write() as tx:
            carol = await make_remote(tx)
            for each in (carol.id, bob.id):
                await make_follow(tx, each, alice.id)
                await make_follow(tx, alice.id, each)
        for path in (f"/api/v1/accounts/{alice.id}/followers", f"/api/v1/accounts/{alice.id}/following"):
            assert await ids(app, path) == [str(bob.id)]
            assert await ids(sut.stranger, path) == []
        _, eve = await sut.program("eve")
        assert await ids(eve, f"/api/v1/accounts/{alice.id}/followers") == []


async def test_a_page_of_people_is_a_few_questions_whatever_its_length(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            others = [await make_remote(tx, f"n{number}@peer.test") for number in range(12)]
            for each in others:
                await make_follow(tx, alice.id, each.id)
        mine = f"/api/v1/accounts/{alice.id}/following"
        between = "/api/v1/accounts/relationships?" + "&".join(f"id[]={each.id}" for each in others)
        for few, many, most in ((f"{mine}?limit=2", mine, 12), (between.partition("&")[0], between, 8)):
            with asked(database) as first:
                await app.get(few)
            with asked(database) as second:
                assert len(await app.get(many)) == 12
            assert len(second) <= len(first) <= most
