"""Posts by programs: written, read, changed, taken back."""

import asyncio
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

from fakes.asked import asked
from makers import make_follow, make_medium, make_post, make_remote
from privapub import clock
from privapub.composing import once
from privapub.composing.compose import write_post
from privapub.composing.tables import said_once
from privapub.database.connect import Database
from privapub.jobs.tables import job
from privapub.posts.receive import ReceivedPost, receive_edit
from privapub.posts.tables import post
from program import Program, town

NOT_FOUND = (404, "Record not found")


async def write(app: Program, text: str = "hello", **given: Any) -> Any:
    return await app.told("POST", "/api/v1/statuses", {"status": text, **given})


async def test_all_that_is_said_of_a_post_is_kept(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            cat = await make_medium(tx, alice.id)
        first = await write(app, "first")
        made = await write(
            app,
            "a cat",
            in_reply_to_id=first["id"],
            media_ids=[str(cat)],
            sensitive=True,
            spoiler_text="claws",
            visibility="private",
            language="de",
            quote_approval_policy="nobody",
        )
    assert (made["spoiler_text"], made["sensitive"], made["visibility"], made["language"]) == (
        "claws", True, "private", "de",
    )  # fmt: skip
    assert (made["in_reply_to_id"], made["in_reply_to_account_id"]) == (first["id"], str(alice.id))
    assert [each["id"] for each in made["media_attachments"]] == [str(cat)]
    assert made["quote_approval"]["automatic"] == []
    assert made["application"] == {"name": "Test", "website": None}


async def test_a_poll_is_asked_with_json_and_with_a_form(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        poll = {"options": ["tea", "coffee"], "expires_in": 3600, "multiple": True}
        asked = await write(app, "which?", poll=poll)
        form = {"status": "which?", "poll[options][]": ["tea", "milk"], "poll[expires_in]": "600"}
        other = await app.told("POST", "/api/v1/statuses", form, form=True)
    assert [each["title"] for each in asked["poll"]["options"]] == ["tea", "coffee"]
    assert (asked["poll"]["multiple"], asked["poll"]["own_votes"]) == (True, [])
    assert [each["title"] for each in other["poll"]["options"]] == ["tea", "milk"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"status": " "}, "Validation failed: Text can't be blank"),
        ({"status": "x" * 5001}, "Validation failed: Text character limit of 5000 exceeded"),
        ({"status": "x", "visibility": "all"}, "Validation failed: Visibility is not included in the list"),
        ({"status": "x", "poll": {"options": ["a"]}}, "Validation failed: Options must have more than one item"),
        ({"status": "x", "poll": {"options": ["a", "a"]}}, "Validation failed: Options contain duplicate items"),
        (
            {"status": "x", "poll": {"options": ["a", "b"], "expires_in": 1}},
            "Validation failed: Expires at is too soon",
        ),
        ({"status": "x", "media_ids": ["1"]}, "Media not found or already attached to another post"),
        ({"status": "x", "media_ids": ["1", "2", "3", "4", "5"]}, "Cannot attach more than 4 files"),
        ({"status": "x", "scheduled_at": "soon"}, "Record invalid"),
        (
            {"status": "x", "quote_approval_policy": "x"},
            "Validation failed: Quote approval policy is not included in the list",
        ),
    ],
)  # fmt: skip
async def test_what_cannot_be_said_is_refused(database: Database, given: dict[str, Any], words: str) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        assert await app.refused("POST", "/api/v1/statuses", given) == (422, words)
        async with database.read() as tx:
            assert await tx.scalar(select(func.count()).select_from(post)) == 0


async def test_what_may_not_be_seen_is_neither_answered_nor_quoted(database: Database) -> None:
    async with town(database) as sut:
        _, bob = await sut.program("bob")
        hidden = await write(bob, "mine", visibility="private")
        _, app = await sut.program("alice")
        for name in ("in_reply_to_id", "quoted_status_id"):
            for number in (hidden["id"], "1", "x"):
                assert await app.refused("POST", "/api/v1/statuses", {"status": "x", name: number}) == NOT_FOUND


async def test_media_that_are_still_processed_are_refused_for_now(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            waiting = await make_medium(tx, alice.id, state="waiting")
        words = "Cannot attach files that have not finished processing. Try again in a moment!"
        given = {"status": "", "media_ids": [str(waiting)]}
        assert await app.refused("POST", "/api/v1/statuses", given) == (422, words)


async def test_a_direct_post_to_nobody_is_its_authors_alone(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        made = await write(app, "to myself", visibility="direct")
        assert made["visibility"] == "direct"
        assert await bob.refused("GET", f"/api/v1/statuses/{made['id']}") == NOT_FOUND


# Said twice


async def say(app: Program, key: str, text: str = "once") -> Any:
    answer = await app.ask("POST", "/api/v1/statuses", {"status": text}, idempotency_key=key)
    assert answer.status == 200
    return msgspec.json.decode(answer.body)


async def test_what_is_said_twice_with_one_key_is_done_once(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        other = await sut.another(alice)
        at_once = await asyncio.gather(*(say(app, "k") for _ in range(4)))
        assert len({each["id"] for each in at_once}) == 1
        assert (await say(app, "k", "another text"))["id"] == at_once[0]["id"]
        assert (await say(app, "l"))["id"] != at_once[0]["id"]
        assert (await say(other, "k"))["id"] != at_once[0]["id"]
        clock.advance(3601)
        assert (await say(app, "k"))["id"] != at_once[0]["id"]
        async with database.read() as tx:
            assert await tx.scalar(select(func.count()).select_from(post)) == 4
        async with database.write() as tx:
            await once.prune(tx, clock.now())
            assert await tx.scalar(select(func.count()).select_from(said_once)) == 1


# Read


async def test_several_are_read_by_their_numbers(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        one, two = await write(app, "one"), await write(app, "two", visibility="private")
        path = f"/api/v1/statuses?id[]={two['id']}&id[]={one['id']}&id[]=5&id[]=x"
        assert [each["id"] for each in await app.get(path)] == [two["id"], one["id"]]
        assert [each["id"] for each in await bob.get(path)] == [one["id"]]
        assert [each["id"] for each in await sut.stranger.get(path)] == [one["id"]]


async def test_only_its_author_is_told_the_program(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        made = await write(app)
        assert "application" not in await bob.get(f"/api/v1/statuses/{made['id']}")
        assert "application" not in await sut.stranger.get(f"/api/v1/statuses/{made['id']}")


# Changed


async def test_an_edit_changes_what_it_names_and_the_versions_are_kept(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            cat, dog = await make_medium(tx, alice.id), await make_medium(tx, alice.id)
        made = await write(app, "first", media_ids=[str(cat)])
        path = f"/api/v1/statuses/{made['id']}"
        given = {
            "status": "second", "spoiler_text": "w", "media_ids": [str(dog), str(cat)],
            "media_attributes": [{"id": str(dog), "description": "a dog", "focus": "0.5,0"}], "language": "fr",
        }  # fmt: skip
        changed = await app.told("PUT", path, given)
        assert (changed["content"], changed["spoiler_text"], changed["language"]) == ("<p>second</p>", "w", "fr")
        assert [(each["id"], each["description"]) for each in changed["media_attachments"]] == [
            (str(dog), "a dog"), (str(cat), "a cat"),
        ]  # fmt: skip
        assert [each["meta"]["focus"]["x"] for each in changed["media_attachments"]] == [0.5, -0.5]
        assert changed["edited_at"]
        fewer = await app.told("PUT", path, {"status": "second", "media_ids": [str(dog)]})
        assert [each["id"] for each in fewer["media_attachments"]] == [str(dog)]
        past = await sut.stranger.get(f"{path}/history")
        assert [each["content"] for each in past] == ["<p>first</p>", "<p>second</p>", "<p>second</p>"]
        assert [len(each["media_attachments"]) for each in past] == [1, 2, 1]
        assert past[0]["created_at"] == made["created_at"]
        source = await app.get(f"{path}/source")
        assert source == {"id": made["id"], "text": "second", "spoiler_text": ""}


async def test_what_is_anothers_is_not_changed_or_deleted(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}"
        assert await bob.refused("PUT", path, {"status": "x"}) == NOT_FOUND
        assert await bob.refused("DELETE", path) == NOT_FOUND
        assert await sut.stranger.refused("DELETE", path) == (401, "The access token is invalid")
        assert (await app.get(path))["content"] == "<p>hello</p>"


async def test_versions_from_elsewhere_are_kept_too(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            carol = await make_remote(tx)
            note = await make_post(tx, carol.id, text="before")
            again = ReceivedPost(uri=note.uri, content="<p>after</p>", updated_at=clock.now())
            assert await receive_edit(tx, again, carol.id, (), clock.now())
        past = await sut.stranger.get(f"/api/v1/statuses/{note.id}/history")
    assert [each["content"] for each in past] == ["<p>before</p>", "<p>after</p>"]


# Taken back


async def test_a_deleted_post_is_told_as_it_was_typed_so_that_it_can_be_written_anew(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            cat = await make_medium(tx, alice.id)
        made = await write(app, "a *cat*", media_ids=[str(cat)])
        gone = await app.told("DELETE", f"/api/v1/statuses/{made['id']}")
        assert (gone["text"], [each["id"] for each in gone["media_attachments"]]) == ("a *cat*", [str(cat)])
        assert await app.refused("GET", f"/api/v1/statuses/{made['id']}") == NOT_FOUND
        anew = await write(app, "a cat", media_ids=[str(cat)])
        assert [each["id"] for each in anew["media_attachments"]] == [str(cat)]
        await app.told("DELETE", f"/api/v1/statuses/{anew['id']}?delete_media=true")
        assert (await app.refused("POST", "/api/v1/statuses", {"status": "x", "media_ids": [str(cat)]}))[0] == 422


# Threads


async def test_a_thread_is_told_as_far_as_its_reader_may_see_it(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        top = await write(app, "top")
        middle = await write(app, "middle", in_reply_to_id=top["id"], visibility="private")
        low = await write(app, "low", in_reply_to_id=middle["id"])
        other = await write(bob, "other", in_reply_to_id=low["id"])
        more = await write(app, "more", in_reply_to_id=low["id"])
        last = await write(bob, "last", in_reply_to_id=other["id"])
        mine = await app.get(f"/api/v1/statuses/{low['id']}/context")
        assert [each["id"] for each in mine["ancestors"]] == [top["id"], middle["id"]]
        assert [each["id"] for each in mine["descendants"]] == [more["id"], other["id"], last["id"]]
        theirs = await bob.get(f"/api/v1/statuses/{low['id']}/context")
        assert [each["id"] for each in theirs["ancestors"]] == [top["id"]]
        assert await bob.refused("GET", f"/api/v1/statuses/{middle['id']}/context") == NOT_FOUND
        outside = await sut.stranger.get(f"/api/v1/statuses/{top['id']}/context")
        assert [each["id"] for each in outside["descendants"]] == [low["id"], more["id"], other["id"], last["id"]]


async def test_the_rest_of_a_thread_is_asked_for_once_an_hour(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            note = await make_post(tx, carol.id)
        path = f"/api/v1/statuses/{note.id}/context"
        assert "mastodon-async-refresh" not in (await sut.stranger.ask("GET", path)).headers
        said = (await app.ask("GET", path)).headers["mastodon-async-refresh"]
        assert said == f'id="context-{note.id}", retry=3, result_count=0'
        refresh = await app.get(f"/api/v1_alpha/async_refreshes/context-{note.id}")
        assert refresh == {"async_refresh": {"id": f"context-{note.id}", "status": "running", "result_count": 0}}
        async with database.write() as tx:
            assert await tx.scalar(select(func.count()).where(job.c.kind == "context")) == 1
            trigger = await tx.scalar(select(job.c.trigger).where(job.c.kind == "context"))
            await tx.execute(job.delete().where(job.c.kind == "context"))
        assert trigger == "request"
        assert "mastodon-async-refresh" not in (await app.ask("GET", path)).headers
        refresh = await app.get(f"/api/v1_alpha/async_refreshes/context-{note.id}")
        assert refresh["async_refresh"]["status"] == "finished"
        assert await app.refused("GET", "/api/v1_alpha/async_refreshes/x") == NOT_FOUND


async def test_nothing_is_translated(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await write(app)
        assert await app.refused("POST", f"/api/v1/statuses/{made['id']}/translate") == NOT_FOUND


# Quotes


async def test_quotes_are_given_listed_and_taken_back(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        quoted = await write(app, "quote me")
        assert (await bob.get(f"/api/v1/statuses/{quoted['id']}"))["quote_approval"]["current_user"] == "automatic"
        quoting = await write(bob, "look", quoted_status_id=quoted["id"])
        assert (quoting["quote"]["state"], quoting["quote"]["quoted_status"]["id"]) == ("accepted", quoted["id"])
        assert [each["id"] for each in await app.get(f"/api/v1/statuses/{quoted['id']}/quotes")] == [quoting["id"]]
        assert (await app.get(f"/api/v1/statuses/{quoted['id']}"))["quotes_count"] == 1
        path = f"/api/v1/statuses/{quoted['id']}/quotes/{quoting['id']}/revoke"
        assert await bob.refused("POST", path) == (403, "This action is not allowed")
        assert (await app.told("POST", path))["quote"]["state"] in {"rejected", "revoked"}
        assert await app.get(f"/api/v1/statuses/{quoted['id']}/quotes") == []


async def test_who_may_quote_is_changed(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        made = await write(app)
        path = f"/api/v1/statuses/{made['id']}/interaction_policy"
        assert (await app.told("PUT", path, {"quote_approval_policy": "nobody"}))["quote_approval"]["automatic"] == []
        assert (await bob.refused("PUT", path, {"quote_approval_policy": "public"})) == NOT_FOUND
        assert (await app.refused("PUT", path, {"quote_approval_policy": "x"}))[0] == 422
        status, _ = await bob.refused("POST", "/api/v1/statuses", {"status": "x", "quoted_status_id": made["id"]})
        assert status in {403, 422}


async def test_every_endpoint_wants_its_scope_and_a_post_that_is_there(database: Database) -> None:
    async with town(database) as sut:
        _, reader = await sut.program("alice", "read")
        _, writer = await sut.program("bob", "write")
        outside = (403, "This action is outside the authorized scopes")
        for action in ("favourite", "reblog", "bookmark", "mute", "pin", "unpin", "unmute", "unbookmark", "unreblog"):
            assert await reader.refused("POST", f"/api/v1/statuses/7/{action}") == outside
            assert await writer.refused("POST", f"/api/v1/statuses/7/{action}") == NOT_FOUND
        for what in ("context", "history", "source", "favourited_by", "reblogged_by", "quotes"):
            assert await writer.refused("GET", f"/api/v1/statuses/7/{what}") == outside
            assert await reader.refused("GET", f"/api/v1/statuses/x/{what}") == NOT_FOUND


async def test_a_post_that_waits_behind_another_says_for_whom_it_will_be(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            film = await make_medium(tx, alice.id, state="waiting")
        await write_post(sut.sut.server, alice.id, "a film", "public", media=[film], may_wait=True)
        made = await write(app, "after it", visibility="unlisted")
        assert made["visibility"] == "unlisted"
        assert await sut.stranger.refused("GET", f"/api/v1/statuses/{made['id']}") == NOT_FOUND


async def test_many_posts_cost_as_many_questions_as_few(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        numbers = [(await write(app, str(each)))["id"] for each in range(9)]
        for some in (numbers[:2], numbers):  # what is made once is made
            await app.get("/api/v1/statuses?" + "&".join(f"id[]={each}" for each in some))
        costs = []
        for some in (numbers[:2], numbers):
            with asked(database) as statements:
                found = await app.get("/api/v1/statuses?" + "&".join(f"id[]={each}" for each in some))
            assert len(found) == len(some)
            costs.append(len(statements))
    assert costs[0] == costs[1]


async def test_the_page_of_a_post_is_found_by_its_number(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        await sut.program("bob")
        made = await app.told("POST", "/api/v1/statuses", {"status": "hello"})
        assert made["url"] == f"https://sut.test/@alice/{made['id']}"
        found = await app.get(f"/api/v2/search?resolve=true&q={made['url']}")
        assert [each["id"] for each in found["statuses"]] == [made["id"]]
        assert (await sut.stranger.get(f"/api/oembed?url={made['url']}"))["type"] == "rich"
        assert (await sut.stranger.refused("GET", f"/api/oembed?url=https://far.test/{made['id']}"))[0] == 404
        page = await sut.sut.get(made["url"], accept="text/html")
        assert (page.status, page.headers["location"]) == (302, made["uri"])
        hidden = await app.told("POST", "/api/v1/statuses", {"status": "hello", "visibility": "private"})
        for url in (hidden["url"], f"/@bob/{made['id']}", "/@alice/99", "/@alice/x"):
            assert (await sut.sut.get(url, accept="text/html")).status == 404


async def test_who_may_quote_is_told_as_it_is_for_the_reader(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        follower, bob = await sut.program("bob")
        _, other = await sut.program("carl")
        async with database.write() as tx:
            await make_follow(tx, follower.id, alice.id)
        told: dict[str, list[str]] = {}
        for policy in ("public", "followers", "nobody"):
            made = await app.told("POST", "/api/v1/statuses", {"status": "x", "quote_approval_policy": policy})
            path = f"/api/v1/statuses/{made['id']}"
            shown = [(await each.get(path))["quote_approval"] for each in (app, bob, other, sut.stranger)]
            assert {tuple(each["automatic"]) for each in shown} == {() if policy == "nobody" else (policy,)}
            told[policy] = [each["current_user"] for each in shown]
            for each, may in zip((bob, other), told[policy][1:3], strict=True):
                given = {"status": "y", "quoted_status_id": made["id"]}
                answer = await each.ask("POST", "/api/v1/statuses", given)
                assert (answer.status == 200) is (may == "automatic")
        assert told == {
            "public": ["automatic", "automatic", "automatic", "denied"],
            "followers": ["automatic", "automatic", "denied", "denied"],
            "nobody": ["automatic", "denied", "denied", "denied"],
        }
