"""What programs do with posts: liked, boosted, kept, muted, pinned; and who did."""

from typing import Any

import pytest
from sqlalchemy import select

from makers import make_follow, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.notifications import notify
from privapub.posts import boost, react
from privapub.posts.delete import delete
from privapub.posts.tables import bookmark, reaction
from program import Program, town

NOT_FOUND = (404, "Record not found")


async def write(app: Program, text: str = "hello", **given: Any) -> Any:
    return await app.told("POST", "/api/v1/statuses", {"status": text, **given})


async def test_a_post_is_liked_and_not(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}"
        for _ in range(2):  # twice is as good as once
            liked = await other.told("POST", f"{path}/favourite")
            assert (liked["favourited"], liked["favourites_count"]) == (True, 1)
        assert (await app.get(path))["favourited"] is False
        assert [each["id"] for each in await sut.stranger.get(f"{path}/favourited_by")] == [str(bob.id)]
        assert [each["id"] for each in await other.get("/api/v1/favourites")] == [made["id"]]
        assert await app.get("/api/v1/favourites") == []
        gone = await other.told("POST", f"{path}/unfavourite")
        assert (gone["favourited"], gone["favourites_count"]) == (False, 0)


async def test_a_post_is_boosted_and_not(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}"
        boosted = await other.told("POST", f"{path}/reblog", {"visibility": "unlisted"})
        assert (boosted["reblog"]["id"], boosted["visibility"], boosted["account"]["id"]) == (
            made["id"], "unlisted", str(bob.id),
        )  # fmt: skip
        assert (boosted["reblog"]["reblogged"], boosted["reblog"]["reblogs_count"]) == (True, 1)
        assert (await other.told("POST", f"{path}/reblog"))["id"] == boosted["id"]
        assert (await other.get(f"/api/v1/statuses/{boosted['id']}"))["reblog"]["id"] == made["id"]
        assert [each["id"] for each in await app.get(f"{path}/reblogged_by")] == [str(bob.id)]
        gone = await other.told("POST", f"{path}/unreblog")
        assert (gone["id"], gone["reblogged"], gone["reblogs_count"]) == (made["id"], False, 0)
        assert await other.refused("GET", f"/api/v1/statuses/{boosted['id']}") == NOT_FOUND


async def test_a_boost_is_taken_back_by_its_own_number(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        made = await write(app)
        boosted = await other.told("POST", f"/api/v1/statuses/{made['id']}/reblog")
        assert await app.refused("DELETE", f"/api/v1/statuses/{boosted['id']}") == NOT_FOUND
        await other.told("DELETE", f"/api/v1/statuses/{boosted['id']}")
        assert (await other.get(f"/api/v1/statuses/{made['id']}"))["reblogged"] is False


async def test_what_is_not_for_everybody_is_boosted_by_nobody_else(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, bob.id, alice.id)
        for word in ("private", "direct"):
            made = await write(app, "@bob only you", visibility=word)
            path = f"/api/v1/statuses/{made['id']}/reblog"
            assert await other.refused("POST", path) == (403, "This action is not allowed")
        public = await write(app)
        status, _ = await other.refused("POST", f"/api/v1/statuses/{public['id']}/reblog", {"visibility": "direct"})
        assert status == 403


async def test_bookmarks_are_ones_own_and_page_by_when_they_were_made(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        _, other = await sut.program("bob")
        made = [await write(app, str(number)) for number in range(3)]
        for each in (made[1], made[0], made[2]):
            assert (await other.told("POST", f"/api/v1/statuses/{each['id']}/bookmark"))["bookmarked"] is True
            clock.advance(1)
        first = await other.ask("GET", "/api/v1/bookmarks?limit=2")
        assert [each["id"] for each in first.json] == [made[2]["id"], made[0]["id"]]
        older = first.headers["link"].split(">")[0].removeprefix("<https://sut.test")
        assert [each["id"] for each in await other.get(older)] == [made[1]["id"]]
        assert await app.get("/api/v1/bookmarks") == []
        assert (await app.get(f"/api/v1/statuses/{made[0]['id']}"))["bookmarked"] is False
        gone = await other.told("POST", f"/api/v1/statuses/{made[0]['id']}/unbookmark")
        assert gone["bookmarked"] is False
        async with database.write() as tx:
            await delete(tx, int(made[1]["id"]), alice.id, clock.now())
        assert [each["id"] for each in await other.get("/api/v1/bookmarks")] == [made[2]["id"]]


async def test_a_bookmark_shows_nothing_that_may_not_be_seen_any_more(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        made = await write(app)
        await other.told("POST", f"/api/v1/statuses/{made['id']}/bookmark")
        await other.told("POST", f"/api/v1/statuses/{made['id']}/favourite")
        await app.told("POST", f"/api/v1/accounts/{bob.id}/block")
        assert await other.get("/api/v1/bookmarks") == []
        assert await other.get("/api/v1/favourites") == []
        assert alice.id


async def test_of_a_muted_thread_nothing_is_told(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        top = await write(app, "top")
        answer = await write(app, "mine too", in_reply_to_id=top["id"])
        other = await write(app, "another thread")
        muted = await app.told("POST", f"/api/v1/statuses/{answer['id']}/mute")
        assert muted["muted"] is True
        assert (await app.get(f"/api/v1/statuses/{top['id']}"))["muted"] is True
        assert (await app.get(f"/api/v1/statuses/{other['id']}"))["muted"] is False

        async def told(about: Any, kind: str) -> bool:
            number = int(about["id"])
            async with database.write() as tx:
                at = clock.now()
                return await notify.notify(tx, alice.id, kind, carol.id, post_id=number, about=kind, now=at) is not None

        assert not await told(top, "favourite")
        assert not await told(answer, "reblog")
        assert await told(other, "favourite")
        assert (await app.told("POST", f"/api/v1/statuses/{top['id']}/unmute"))["muted"] is False
        assert await told(answer, "reblog")


async def test_posts_are_pinned_by_their_authors(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}"
        assert (await app.told("POST", f"{path}/pin"))["pinned"] is True
        words = "Validation failed: Someone else's post cannot be pinned"
        assert await other.refused("POST", f"{path}/pin") == (422, words)
        assert "pinned" not in await other.get(path)
        assert (await app.told("POST", f"{path}/unpin"))["pinned"] is False
        direct = await write(app, "x", visibility="direct")
        assert (await app.refused("POST", f"/api/v1/statuses/{direct['id']}/pin"))[0] == 422


async def test_who_liked_and_boosted_comes_in_parts(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await write(app)
        async with database.write() as tx:
            people = [await make_remote(tx, f"p{number}@peer.test") for number in range(3)]
            for number, each in enumerate(people):
                at, uri = clock.now() + number, f"https://peer.test/{number}"
                await react.receive(tx, each.id, int(made["id"]), "", None, f"{uri}/like", at)
                await boost.receive(tx, each.id, int(made["id"]), "public", f"{uri}/boost", at, at)
        for what in ("favourited_by", "reblogged_by"):
            path = f"/api/v1/statuses/{made['id']}/{what}"
            first = await app.ask("GET", f"{path}?limit=2")
            assert [each["username"] for each in first.json] == ["p2", "p1"]
            older = first.headers["link"].split(">")[0].removeprefix("<https://sut.test")
            assert [each["username"] for each in await app.get(older)] == ["p0"]


async def test_a_post_from_elsewhere_is_bookmarked_and_liked(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            note = await make_post(tx, (await make_remote(tx)).id)
            hidden = await make_post(tx, (await make_remote(tx)).id, "followers")
        assert (await app.told("POST", f"/api/v1/statuses/{note.id}/favourite"))["favourited"] is True
        for action in ("favourite", "bookmark", "reblog", "mute"):
            assert await app.refused("POST", f"/api/v1/statuses/{hidden.id}/{action}") == NOT_FOUND


async def test_a_boost_is_told_to_whom_it_is_for_and_to_nobody_whom_its_booster_blocks(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        follower, friend = await sut.program("carol")
        _, passing = await sut.program("dan")
        foe, blocked = await sut.program("eve")
        async with database.write() as tx:
            await make_follow(tx, follower.id, bob.id)
        made = await app.told("POST", "/api/v1/statuses", {"status": "hello"})
        path = f"/api/v1/statuses/{made['id']}/reblog"
        closed = f"/api/v1/statuses/{(await other.told('POST', path, {'visibility': 'private'}))['id']}"
        assert (await friend.get(closed))["account"]["acct"] == (await other.get(closed))["account"]["acct"] == "bob"
        for program in (passing, sut.stranger):
            assert await program.refused("GET", closed) == (404, "Record not found")
            assert await program.get(f"/api/v1/statuses/{made['id']}")
        await other.told("POST", f"/api/v1/accounts/{foe.id}/block")
        opened = f"/api/v1/statuses/{(await friend.told('POST', path))['id']}"
        assert await blocked.get(opened)
        await friend.told("POST", f"/api/v1/accounts/{foe.id}/block")
        assert (await blocked.refused("GET", opened))[0] == 404
        assert await sut.stranger.get(opened)


async def out_of_sight(app: Program, other: Program, how: str, mine: int, theirs: int) -> None:
    """What alice (`mine`) wrote is seen by bob (`theirs`) no more."""
    if how == "block":
        await app.told("POST", f"/api/v1/accounts/{theirs}/block")
    else:
        await other.told("POST", f"/api/v1/accounts/{mine}/unfollow")


@pytest.mark.parametrize("how", ["block", "unfollow"])
async def test_what_was_done_is_undone_also_out_of_sight_and_nothing_of_the_post_is_shown(
    database: Database, how: str
) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, bob.id, alice.id)
        private = {} if how == "block" else {"visibility": "private"}
        made = await write(app, "#secret https://peer.test", spoiler_text="hush", language="de", **private)
        path = f"/api/v1/statuses/{made['id']}"
        does = ["favourite", "bookmark", "mute"] + (["reblog"] if how == "block" else [])
        states = {"favourite": "favourited", "bookmark": "bookmarked", "mute": "muted", "reblog": "reblogged"}
        for verb in does:
            await other.told("POST", f"{path}/{verb}")
        await out_of_sight(app, other, how, alice.id, bob.id)
        assert await other.refused("GET", path) == NOT_FOUND
        for verb in does:
            assert await other.refused("POST", f"{path}/{verb}") == NOT_FOUND
            shown = await other.told("POST", f"{path}/un{verb}")
            assert shown[states[verb]] is False
            assert (shown["id"], shown["account"]["id"]) == (made["id"], str(alice.id))
            said = {name: shown[name] for name in ("content", "spoiler_text", "language", "card", "poll", "quote")}
            assert said == {
                "content": "",
                "spoiler_text": "",
                "language": None,
                "card": None,
                "poll": None,
                "quote": None,
            }
            assert shown["tags"] == shown["mentions"] == shown["media_attachments"] == []
            assert shown["favourites_count"] == 0
            assert await other.refused("POST", f"{path}/un{verb}") == NOT_FOUND  # there is nothing left to undo
        async with database.read() as tx:
            assert await tx.all(select(bookmark)) == []
            assert await tx.all(select(reaction)) == []


async def test_of_a_deleted_post_nothing_is_undone(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}"
        for verb in ("favourite", "bookmark"):
            await other.told("POST", f"{path}/{verb}")
        await app.told("DELETE", path)
        for verb in ("favourite", "bookmark", "mute", "reblog"):
            assert await other.refused("POST", f"{path}/un{verb}") == NOT_FOUND
            assert await other.refused("POST", f"/api/v1/statuses/77/un{verb}") == NOT_FOUND
