"""What a persona was told, as programs read it."""

from makers import make_follow, make_post, make_remote
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.notifications import notify
from privapub.notifications.notify import FOLLOW, MOVE
from privapub.personas.read import Persona
from privapub.posts import react
from privapub.posts.read import Post
from privapub.timelines import filters
from program import Program, Town, town

PATH = "/api/v1/notifications"


async def named(sut: Town, alice: Persona, text: str = "hello", audience: str = "public") -> tuple[Actor, Post]:
    """Carol elsewhere names Alice."""
    async with sut.database.write() as tx:
        carol = await make_remote(tx)
        post = await make_post(tx, carol.id, audience, text, named=[alice.id])
        await notify.of_post(tx, post, clock.now())
    return carol, post


async def liked(sut: Town, alice: Persona, *who: str, emoji: str = "") -> Post:
    """A post of Alice that these people elsewhere like, in their order."""
    async with sut.database.write() as tx:
        post = await make_post(tx, alice.id)
        for address in who:
            actor = await make_remote(tx, address)
            uri = f"https://{actor.host}/likes/{actor.id}"
            await react.receive(tx, actor.id, post.id, emoji, None, uri, clock.now())
            await notify.of_reaction(tx, post, actor.id, emoji, clock.now())
    return post


async def kinds(app: Program, query: str = "") -> list[str]:
    return [each["type"] for each in await app.get(f"{PATH}{query}")]


async def test_a_mention_is_told_with_its_post_and_its_author(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        carol, post = await named(sut, alice)
        (one,) = await app.get(PATH)
        assert (one["type"], one["account"]["acct"]) == ("mention", carol.address)
        assert (one["status"]["id"], one["group_key"]) == (str(post.id), f"ungrouped-{one['id']}")
        assert await app.get(f"{PATH}/{one['id']}") == one
        _, bob = await sut.program("bob")
        assert await bob.get(PATH) == []
        for path in (f"{PATH}/{one['id']}", f"{PATH}/99", f"{PATH}/nonsense"):
            assert await bob.refused("GET", path) == (404, "Record not found")


async def test_kinds_and_people_are_chosen_and_what_the_api_has_no_word_for_is_left_out(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, "dave@peer.test", emoji="🎉")
        carol, _ = await named(sut, alice)
        async with database.write() as tx:
            number = await make_follow(tx, carol.id, alice.id)
            await notify.notify(tx, alice.id, FOLLOW, carol.id, about=str(number), now=clock.now())
            await notify.notify(tx, alice.id, MOVE, carol.id, about="1", now=clock.now())
        assert sorted(await kinds(app)) == ["favourite", "follow", "mention"]
        assert await kinds(app, "?types[]=mention&types[]=move") == ["mention"]
        assert sorted(await kinds(app, "?exclude_types[]=mention")) == ["favourite", "follow"]
        assert sorted(await kinds(app, f"?account_id={carol.id}")) == ["follow", "mention"]
        assert await kinds(app, "?account_id=nobody") == await kinds(app, "?types[]=nothing") == []


async def test_it_is_read_in_pages_whose_links_keep_what_was_chosen(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, *(f"u{number}@peer.test" for number in range(5)))
        await named(sut, alice)
        first = await app.ask("GET", f"{PATH}?types[]=favourite&limit=2")
        older = first.headers["link"].partition(">")[0].removeprefix("<https://sut.test")
        assert "types[]=favourite" in older
        assert len(await app.get(older)) == 2
        everything = await app.get(PATH)
        assert len(everything) == 6
        assert await app.get(f"{PATH}?since_id={everything[1]['id']}") == everything[:1]
        assert await app.get(f"{PATH}?min_id={everything[3]['id']}&limit=1") == everything[2:3]


async def test_what_is_dismissed_is_gone_and_clearing_takes_everything(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, "dave@peer.test", "eve@peer.test")
        newest, oldest = await app.get(PATH)
        _, bob = await sut.program("bob")
        assert (await bob.refused("POST", f"{PATH}/{newest['id']}/dismiss"))[0] == 404
        assert await app.told("POST", f"{PATH}/{newest['id']}/dismiss") == {}
        assert await app.get(PATH) == [oldest]
        assert (await app.refused("POST", f"{PATH}/{newest['id']}/dismiss"))[0] == 404
        assert await app.told("POST", f"{PATH}/clear") == {}
        assert await app.get(PATH) == []


async def test_unread_is_what_came_after_the_marker(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, "dave@peer.test", "eve@peer.test", "fay@peer.test")
        told = await app.get(PATH)
        assert await app.get(f"{PATH}/unread_count") == {"count": 3}
        assert await app.get(f"{PATH}/unread_count?limit=2") == {"count": 2}
        await app.told("POST", "/api/v1/markers", {"notifications": {"last_read_id": told[1]["id"]}})
        assert await app.get(f"{PATH}/unread_count") == {"count": 1}
        assert await app.get(f"{PATH}/unread_count?types[]=mention") == {"count": 0}


async def test_a_word_filter_hides_or_is_told_with_the_post(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await named(sut, alice, "about apples")
        now = clock.now()
        async with database.write() as tx:
            number = await filters.add(
                tx, alice.id, "fruit", places=["notifications"], words=[("apples", True)], now=now
            )
        (one,) = await app.get(PATH)
        assert [each["keyword_matches"] for each in one["status"]["filtered"]] == [["apples"]]
        async with database.write() as tx:
            await filters.change(tx, alice.id, number, action="hide", now=now)
        assert await app.get(PATH) == []


async def test_who_shows_no_token_or_a_wrong_one_is_refused(database: Database) -> None:
    async with town(database) as sut:
        _, narrow = await sut.program("alice", "read:statuses write:statuses")
        outside = (403, "This action is outside the authorized scopes")
        for method, path in (
            ("GET", PATH), ("GET", f"{PATH}/1"), ("GET", f"{PATH}/unread_count"), ("POST", f"{PATH}/clear"),
            ("POST", f"{PATH}/1/dismiss"),
        ):  # fmt: skip
            assert (await sut.stranger.refused(method, path))[0] == 401
            assert await narrow.refused(method, path) == outside


async def test_a_marker_is_kept_and_is_not_overwritten_by_who_knows_less(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        markers = "/api/v1/markers"
        assert await app.get(f"{markers}?timeline[]=home") == {}
        made = await app.told("POST", markers, {"home": {"last_read_id": "103"}})
        assert (made["home"]["last_read_id"], made["home"]["version"]) == ("103", 1)
        again = await app.ask("POST", markers, {"home[last_read_id]": "104"}, form=True)
        assert again.status == 200
        found = await app.get(f"{markers}?timeline[]=home&timeline[]=notifications")
        assert list(found) == ["home"]
        assert (found["home"]["last_read_id"], found["home"]["version"]) == ("104", 2)
        late = {"home": {"last_read_id": "90", "version": 1}}
        assert await app.refused("POST", markers, late) == (409, "Conflict during update, please try again")
        assert (await app.get(f"{markers}?timeline[]=home"))["home"]["last_read_id"] == "104"
        _, bob = await sut.program("bob")
        assert await bob.get(f"{markers}?timeline[]=home") == {}
        assert (await app.refused("POST", markers, {"home": {"last_read_id": "x"}}))[0] == 422
        assert await app.told("POST", markers, {"home": "x", "lists": {"last_read_id": 1}}) == {}
        assert (await sut.stranger.refused("GET", markers))[0] == 401
