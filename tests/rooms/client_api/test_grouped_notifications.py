"""Notifications in groups, the policy about people whom one does not know, and what it keeps apart."""

from collections.abc import Collection
from itertools import count

import pytest
from sqlalchemy import delete, select, update

from makers import make_follow, make_post, make_remote
from privapub import clock
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.follows.tables import follow
from privapub.notifications import notify
from privapub.personas.read import Persona
from privapub.posts import boost, react
from privapub.posts.read import Post
from program import Program, Town, town

V1, V2 = "/api/v1/notifications", "/api/v2/notifications"
REQUESTS, POLICY = f"{V1}/requests", f"{V2}/policy"
HALF_DAY = 43_200
# One after the other, and within one half day, whatever time it is.
MOMENTS = count(clock.now() // HALF_DAY * HALF_DAY + HALF_DAY / 2)


async def liked(sut: Town, alice: Persona, who: Collection[str]) -> Post:
    """A post of Alice that these people elsewhere like, in their order."""
    async with sut.database.write() as tx:
        post = await make_post(tx, alice.id)
        for address in who:
            carol = await make_remote(tx, address)
            now = next(MOMENTS)
            await react.receive(tx, carol.id, post.id, "", None, f"https://peer.test/{post.id}/{carol.id}", now)
            await notify.of_reaction(tx, post, carol.id, "", now)
    return post


async def mention(
    sut: Town,
    alice: Persona,
    address: str = "carol@peer.test",
    audience: str = "public",
    *,
    ago: float = 0.0,
    standing: str = "open",
) -> Post:
    """Somebody, known for some time, names Alice."""
    async with sut.database.write() as tx:
        carol = await make_remote(tx, address)
        values = {"created_at": clock.now() - ago, "standing": standing}
        await tx.execute(update(actor).where(actor.c.id == carol.id).values(**values))
        post = await make_post(tx, carol.id, audience, "hello", named=[alice.id])
        await notify.of_post(tx, post, next(MOMENTS))
    return post


async def types(app: Program, query: str = "") -> list[str]:
    return [each["type"] for each in (await app.get(f"{V2}{query}"))["notification_groups"]]


async def test_what_several_did_is_one_group_with_all_who_did_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        post = await liked(sut, alice, [f"u{number}@peer.test" for number in range(10)])
        other = await mention(sut, alice)
        found = await app.get(V2)
        named, group = found["notification_groups"]
        assert (group["type"], group["notifications_count"], group["status_id"]) == ("favourite", 10, str(post.id))
        assert len(group["sample_account_ids"]) == 8
        handles = {each["id"]: each["acct"] for each in found["accounts"]}
        assert [handles[number] for number in group["sample_account_ids"]][:2] == ["u9@peer.test", "u8@peer.test"]
        assert (named["type"], named["notifications_count"], named["status_id"]) == ("mention", 1, str(other.id))
        assert {each["id"] for each in found["statuses"]} == {str(post.id), str(other.id)}
        single = await app.get(f"{V2}/{group['group_key']}")
        assert single["notification_groups"][0]["notifications_count"] == 10
        people = await app.get(f"{V2}/{group['group_key']}/accounts?limit=3")
        assert [each["acct"] for each in people] == ["u9@peer.test", "u8@peer.test", "u7@peer.test"]
        (first_v1, *_) = await app.get(f"{V1}?types[]=favourite")
        assert first_v1["group_key"] == group["group_key"]


async def test_a_group_is_dismissed_whole_and_by_its_own_persona_alone(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, ["u1@peer.test", "u2@peer.test"])
        await mention(sut, alice)
        named, group = (await app.get(V2))["notification_groups"]
        _, bob = await sut.program("bob")
        for key in (group["group_key"], named["group_key"], "nonsense", "follow-99", "favourite-x-1"):
            assert await bob.refused("GET", f"{V2}/{key}") == (404, "Record not found")
            assert (await bob.refused("GET", f"{V2}/{key}/accounts"))[0] == 404
        await bob.told("POST", f"{V2}/{group['group_key']}/dismiss")
        assert await types(app) == ["mention", "favourite"]
        assert await app.told("POST", f"{V2}/{group['group_key']}/dismiss") == {}
        assert await types(app) == ["mention"]
        await app.told("POST", f"{V2}/{named['group_key']}/dismiss")
        assert await types(app) == []
        assert (await app.refused("POST", f"{V2}/nonsense/dismiss"))[0] == 404


async def test_pages_are_of_groups_and_nothing_is_lost_between(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        for number in range(3):
            await liked(sut, alice, [f"a{number}@peer.test", f"b{number}@peer.test"])
            await mention(sut, alice, f"c{number}@peer.test")
        first = await app.ask("GET", f"{V2}?limit=4")
        older = first.headers["link"].partition(">")[0].removeprefix("<https://sut.test")
        assert await types(app, "?limit=4") == ["mention", "favourite"] * 2
        assert await types(app, older.removeprefix(V2)) == ["mention", "favourite"]
        everything = (await app.get(V2))["notification_groups"]
        upwards = (await app.get(f"{V2}?limit=2&min_id={everything[-1]['page_max_id']}"))["notification_groups"]
        assert upwards == everything[-3:-1]
        assert await app.get(f"{V2}/unread_count") == {"count": 6}
        await app.told("POST", "/api/v1/markers", {"notifications": {"last_read_id": everything[2]["page_max_id"]}})
        assert await app.get(f"{V2}/unread_count") == {"count": 2}


async def test_who_groups_nothing_gets_each_by_itself_and_pictures_alone_where_asked(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await liked(sut, alice, ["u1@peer.test", "u2@peer.test"])
        apart = await app.get(f"{V2}?grouped_types[]=reblog")
        assert [each["notifications_count"] for each in apart["notification_groups"]] == [1, 1]
        small = await app.get(f"{V2}?expand_accounts=partial_avatars")
        assert [each["acct"] for each in small["accounts"]] == ["u2@peer.test"]
        assert [(each["acct"], "note" in each) for each in small["partial_accounts"]] == [("u1@peer.test", False)]
        assert await types(app, "?types[]=mention") == []


async def test_a_private_mention_by_a_stranger_is_kept_apart_until_it_is_accepted(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        post = await mention(sut, alice, audience="direct")
        assert await types(app) == await app.get(V1) == []
        assert await types(app, "?include_filtered=true") == ["mention"]
        (asked,) = await app.get(REQUESTS)
        assert (asked["account"]["acct"], asked["notifications_count"]) == ("carol@peer.test", "1")
        assert asked["last_status"]["id"] == str(post.id)
        assert await app.get(f"{REQUESTS}/{asked['id']}") == asked
        summary = {"pending_requests_count": 1, "pending_notifications_count": 1}
        assert (await app.get(POLICY))["summary"] == summary
        _, bob = await sut.program("bob")
        for method, path in (("GET", ""), ("POST", "/accept"), ("POST", "/dismiss")):
            assert await bob.refused(method, f"{REQUESTS}/{asked['id']}{path}") == (404, "Record not found")
        assert await app.told("POST", f"{REQUESTS}/{asked['id']}/accept") == {}
        assert await app.get(REQUESTS) == []
        assert await app.get(f"{REQUESTS}/merged") == {"merged": True}
        await mention(sut, alice, audience="direct")
        assert await types(app) == ["mention", "mention"]


async def test_several_requests_are_accepted_and_dismissed_at_once(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        for address in ("a@peer.test", "b@peer.test", "c@peer.test", "d@peer.test"):
            await mention(sut, alice, address, "direct")
        d, c, b, a = await app.get(REQUESTS)
        assert await app.get(f"{REQUESTS}?limit=1") == [d]
        assert await app.told("POST", f"{REQUESTS}/dismiss", {"id": [d["id"], "7"]}) == {}
        assert await app.told("POST", f"{REQUESTS}/accept", {"id": [c["id"], b["id"], "x"]}) == {}
        assert await app.get(REQUESTS) == [a]
        assert await types(app) == ["mention", "mention"]
        assert (await app.refused("GET", f"{REQUESTS}/{d['id']}"))[0] == 404


async def test_no_answer_to_oneself_and_nothing_by_whom_one_follows_is_kept_apart(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            await make_follow(tx, alice.id, carol.id)
        await mention(sut, alice, audience="direct")
        assert await types(app) == ["mention"]


@pytest.mark.parametrize(
    ("name", "spared"),
    [("for_not_following", "followed"), ("for_not_followers", "follower"), ("for_new_accounts", "old")],
)
async def test_each_rule_is_about_its_own_people(database: Database, name: str, spared: str) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        long = 40 * 86400.0
        async with database.write() as tx:
            dave = await make_remote(tx, "dave@peer.test")
            if spared == "followed":
                await make_follow(tx, alice.id, dave.id)
            if spared == "follower":
                number = await make_follow(tx, dave.id, alice.id)
                await tx.execute(update(follow).where(follow.c.id == number).values(created_at=clock.now() - long))
        assert (await app.told("PATCH", POLICY, {name: "filter"}))[name] == "filter"
        await mention(sut, alice)
        await mention(sut, alice, "dave@peer.test", ago=long)
        told = (await app.get(V1))[0]["account"]["acct"], [each["account"]["acct"] for each in await app.get(REQUESTS)]
        assert told == ("dave@peer.test", ["carol@peer.test"])
        await app.told("PATCH", POLICY, {name: "drop"})
        await mention(sut, alice)
        assert (await app.get(REQUESTS))[0]["notifications_count"] == "1"


async def test_limited_servers_are_kept_out_unless_the_policy_asks_for_them(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        assert (await app.get(POLICY))["for_limited_accounts"] == "drop"
        for choice, shown in (("drop", ([], [])), ("filter", ([], ["1"])), ("accept", (["mention"], ["1"]))):
            await app.told("PATCH", POLICY, {"for_limited_accounts": choice})
            await mention(sut, alice, standing="limited")
            found = await types(app), [each["notifications_count"] for each in await app.get(REQUESTS)]
            assert found == shown, choice


async def test_the_first_version_knows_two_choices(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        await app.told("PATCH", POLICY, {"for_not_following": "drop"})
        changed = await app.told(
            "PUT", f"{V1}/policy", {"filter_not_following": True, "filter_private_mentions": False}
        )
        assert (changed["filter_not_following"], changed["filter_private_mentions"]) == (True, False)
        assert await app.get(f"{V1}/policy") == changed
        found = await app.get(POLICY)
        assert (found["for_not_following"], found["for_private_mentions"]) == ("drop", "accept")
        assert (await app.refused("PATCH", POLICY, {"for_not_following": "explode"}))[0] == 422
        assert await app.get(POLICY) == found


async def test_it_is_refused_without_its_scope(database: Database) -> None:
    async with town(database) as sut:
        _, narrow = await sut.program("alice", "read:statuses write:statuses")
        for method, path in (
            ("GET", V2), ("GET", f"{V2}/x"), ("GET", f"{V2}/x/accounts"), ("POST", f"{V2}/x/dismiss"),
            ("GET", f"{V2}/unread_count"), ("GET", POLICY), ("PATCH", POLICY), ("GET", f"{V1}/policy"),
            ("PUT", f"{V1}/policy"), ("GET", REQUESTS), ("GET", f"{REQUESTS}/1"), ("GET", f"{REQUESTS}/merged"),
            ("POST", f"{REQUESTS}/accept"), ("POST", f"{REQUESTS}/dismiss"), ("POST", f"{REQUESTS}/1/accept"),
            ("POST", f"{REQUESTS}/1/dismiss"),
        ):  # fmt: skip
            assert (await sut.stranger.refused(method, path))[0] == 401, path
            assert (await narrow.refused(method, path))[0] == 403, path


async def test_a_group_counts_what_the_list_shows(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        post = await liked(sut, alice, [f"u{number}@peer.test" for number in range(4)])
        async with database.write() as tx:
            people = [await make_remote(tx, f"u{number}@peer.test") for number in range(4)]
            for each, emoji in zip(people[:3], ("👍", "👍", ":cat:"), strict=True):
                now, uri = next(MOMENTS), f"https://peer.test/emoji/{each.id}"
                await react.receive(tx, each.id, post.id, emoji, None, uri, now)
                await notify.of_reaction(tx, post, each.id, emoji, now)
            for each in people[:3]:
                now = next(MOMENTS)
                await boost.receive(tx, each.id, post.id, "public", f"https://peer.test/boost/{each.id}", now, now)
                await notify.of_boost(tx, post, each.id, now)
            # What is undone at this very moment is told of until the job has run that takes the notification back.
            await react.undo(tx, people[0].id, uri=f"https://peer.test/{post.id}/{people[0].id}")
            await react.undo(tx, people[2].id, uri=f"https://peer.test/emoji/{people[2].id}")
            await boost.undo(tx, people[1].id, uri=f"https://peer.test/boost/{people[1].id}")
        listed = [each["type"] for each in await app.get(f"{V1}?limit=80")]
        groups = (await app.get(V2))["notification_groups"]
        counted = {each["type"]: each["notifications_count"] for each in groups}
        assert counted == {kind: listed.count(kind) for kind in set(listed)}
        assert counted["favourite"] == 5  # with reactions, which programs know as likes
        assert counted["reblog"] == 2
        for group in groups:
            shown = await app.get(f"{V2}/{group['group_key']}/accounts")
            assert [each["id"] for each in shown] == group["sample_account_ids"]


async def test_a_group_counts_follows_that_stand(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            for number in range(3):
                carol = await make_remote(tx, f"u{number}@peer.test")
                await make_follow(tx, carol.id, alice.id)
                made = await tx.first(select(follow).where(follow.c.follower_id == carol.id))
                told = {"about": str(made.id), "now": next(MOMENTS)}
                await notify.notify(tx, alice.id, notify.FOLLOW, carol.id, **told)
            await tx.execute(delete(follow).where(follow.c.follower_id == carol.id))
        (group,) = (await app.get(V2))["notification_groups"]
        assert (group["type"], group["notifications_count"], len(group["sample_account_ids"])) == ("follow", 2, 2)
        assert len(await app.get(V1)) == 2
