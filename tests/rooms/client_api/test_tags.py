"""Hashtags by the API: followed, shown in a profile, suggested for it."""

from typing import Any
from urllib.parse import quote

from makers import at_home, make_persona, make_remote
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.posts.read import by_id
from privapub.posts.receive import ReceivedPost, receive
from privapub.timelines.fill import fill
from program import town


async def tagged(database: Database, author_id: int, tag: str, audience: str = "public") -> int:
    """A post that came from elsewhere with this hashtag, in the timelines where it belongs."""
    tags: tuple[dict[str, Any], ...] = (
        {"type": "Hashtag", "name": f"#{tag}", "href": f"https://peer.test/tags/{tag}"},
    )
    record = ReceivedPost(
        uri=f"https://peer.test/n/{identifiers.token()}", content=f"<p>#{tag}</p>", published_at=clock.now(), tags=tags
    )
    async with database.write() as tx:
        post_id = await receive(tx, record, author_id, audience, (), clock.now())
        assert post_id is not None
        post = await by_id(tx, post_id)
        assert post is not None
        await fill(tx, post, clock.now())
    return post_id


async def home(database: Database, persona_id: int) -> list[int]:
    async with database.read() as tx:
        return [each.id for each in await at_home(tx, persona_id)]


async def test_the_public_posts_of_a_followed_tag_come_home(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, _ = await sut.program("bob")
        async with database.write() as tx:
            carol = await make_remote(tx)
        before = await tagged(database, carol.id, "Cats")
        followed = await app.told("POST", "/api/v1/tags/cats/follow")
        assert (followed["id"], followed["name"], followed["following"]) == ("cats", "cats", True)
        assert followed["url"] == "https://sut.test/tags/cats"
        came = await tagged(database, carol.id, "CATS")
        await tagged(database, carol.id, "cats", "unlisted")
        await tagged(database, carol.id, "dogs")
        assert await home(database, alice.id) == [came]
        assert await home(database, bob.id) == []
        await app.told("POST", f"/api/v1/accounts/{carol.id}/mute")
        assert await home(database, alice.id) == []
        await app.told("POST", f"/api/v1/accounts/{carol.id}/unmute")
        assert (await app.told("POST", "/api/v1/tags/CATS/unfollow"))["following"] is False
        assert await home(database, alice.id) == []
        assert before != came


async def test_followed_tags_are_listed_the_last_first(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        for name in ("one", "Zwölf"):
            await app.told("POST", f"/api/v1/tags/{quote(name)}/follow")
        assert {each["name"] for each in await app.get("/api/v1/followed_tags")} == {"one", "Zwölf"}
        assert await other.get("/api/v1/followed_tags") == []
        first = await app.ask("GET", "/api/v1/followed_tags?limit=1")
        assert 'rel="next"' in first.headers["link"]
        assert (await app.get("/api/v1/tags/ZW%C3%96LF"))["following"] is True
        assert "following" not in await sut.stranger.get("/api/v1/tags/one")
        for nonsense in ("1", "a%20b", "x" * 200):
            assert await app.refused("GET", f"/api/v1/tags/{nonsense}") == (404, "Record not found")
            assert await app.refused("POST", f"/api/v1/tags/{nonsense}/follow") == (404, "Record not found")


async def test_tags_are_shown_in_a_profile_and_taken_off(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await app.told("POST", "/api/v1/statuses", {"status": "my #Garden"})
        await app.told("POST", "/api/v1/statuses", {"status": "my #garden and my #bike"})
        suggested = await app.get("/api/v1/featured_tags/suggestions")
        assert [each["name"] for each in suggested] == ["garden", "bike"]
        made = await app.told("POST", "/api/v1/featured_tags", {"name": "#Garden"})
        assert (made["name"], made["statuses_count"], made["url"]) == (
            "Garden",
            "2",
            "https://sut.test/@alice/tagged/garden",
        )
        assert made["last_status_at"] == clock.iso_day(clock.now())
        assert await app.get("/api/v1/featured_tags") == [made]
        assert await sut.stranger.get(f"/api/v1/accounts/{alice.id}/featured_tags") == [made]
        assert [each["name"] for each in await app.get("/api/v1/featured_tags/suggestions")] == ["bike"]
        assert (await app.told("POST", "/api/v1/tags/bike/feature"))["featuring"] is True
        assert (await app.told("POST", "/api/v1/tags/bike/unfeature"))["featuring"] is False
        assert await app.told("DELETE", f"/api/v1/featured_tags/{made['id']}") == {}
        assert await app.refused("DELETE", f"/api/v1/featured_tags/{made['id']}") == (404, "Record not found")
        refused = await app.refused("POST", "/api/v1/featured_tags", {"name": "no tag"})
        assert refused == (422, "Validation failed: Tag is invalid")


async def test_the_directory_has_who_asks_to_be_found(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            await make_persona(tx, "hidden")
            carol = await make_remote(tx, discoverable=True)
        await app.told("PATCH", "/api/v1/accounts/update_credentials", {"discoverable": True})
        await app.told("POST", "/api/v1/statuses", {"status": "hello"})
        listed = [each["acct"] for each in await sut.stranger.get("/api/v1/directory")]
        assert listed == ["alice", "carol@peer.test"]
        newest = [each["acct"] for each in await sut.stranger.get("/api/v1/directory?order=new")]
        assert newest == ["carol@peer.test", "alice"]
        assert [each["acct"] for each in await sut.stranger.get("/api/v1/directory?local=true")] == ["alice"]
        assert [each["acct"] for each in await sut.stranger.get("/api/v1/directory?offset=1&limit=5")] == newest[:1]
        await app.told("POST", f"/api/v1/accounts/{carol.id}/block")
        assert [each["acct"] for each in await app.get("/api/v1/directory")] == ["alice"]


async def test_nobody_is_suggested(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await sut.program("bob")
        assert await app.get("/api/v1/suggestions") == await app.get("/api/v2/suggestions") == []
        assert await app.told("DELETE", f"/api/v1/suggestions/{alice.id}") == {}
