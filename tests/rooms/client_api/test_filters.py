"""Filters: made, changed and taken away by programs, whole and in parts, in both versions of the API."""

from typing import Any

import pytest

from makers import make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.timelines import filters
from program import Program, town

V1, V2 = "/api/v1/filters", "/api/v2/filters"


async def made(app: Program, **more: object) -> dict[str, Any]:
    given = {"title": "fruit", "context": ["home"], "keywords_attributes": [{"keyword": "apple", "whole_word": False}]}
    found = await app.told("POST", V2, given | more)
    assert isinstance(found, dict)
    return found


async def test_a_filter_is_made_read_and_taken_away(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        one = await made(app, filter_action="hide", expires_in=3600)
        assert (one["title"], one["context"], one["filter_action"]) == ("fruit", ["home"], "hide")
        assert [(each["keyword"], each["whole_word"]) for each in one["keywords"]] == [("apple", False)]
        assert one["expires_at"] is not None
        assert await app.get(V2) == [one]
        assert await app.get(f"{V2}/{one['id']}") == one
        async with database.read() as tx:
            (in_force,) = await filters.in_force(tx, alice.id, "home", clock.now())
        assert in_force.action == "hide"
        assert await app.told("DELETE", f"{V2}/{one['id']}") == {}
        assert await app.get(V2) == []


async def test_a_form_makes_the_same_filter(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        form = {
            "title": "x", "context[]": ["home", "public"], "keywords_attributes[0][keyword]": "a",
            "keywords_attributes[0][whole_word]": "false", "keywords_attributes[1][keyword]": "b",
        }  # fmt: skip
        one = await app.told("POST", V2, form, form=True)
        assert one["context"] == ["home", "public"]
        assert [(each["keyword"], each["whole_word"]) for each in one["keywords"]] == [("a", False), ("b", True)]


async def test_what_is_given_changes_and_the_rest_stays_with_its_numbers(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        one = await made(app, expires_in=3600)
        first = one["keywords"][0]["id"]
        path = f"{V2}/{one['id']}"
        more = {"title": "food", "keywords_attributes": [{"keyword": "pear"}, {"id": first, "whole_word": True}]}
        changed = await app.told("PUT", path, more)
        assert (changed["title"], changed["context"], changed["expires_at"]) == ("food", ["home"], one["expires_at"])
        assert [(each["keyword"], each["whole_word"]) for each in changed["keywords"]] == [
            ("apple", True),
            ("pear", True),
        ]
        assert changed["keywords"][0]["id"] == first
        gone = await app.told("PUT", path, {"expires_in": "", "keywords_attributes": [{"id": first, "_destroy": True}]})
        assert ([each["keyword"] for each in gone["keywords"]], gone["expires_at"]) == (["pear"], None)
        assert (await app.refused("PUT", path, {"keywords_attributes": [{"id": "7", "keyword": "x"}]}))[0] == 404


async def test_words_come_and_go_one_by_one(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        one = await made(app)
        word = await app.told("POST", f"{V2}/{one['id']}/keywords", {"keyword": "plum"})
        assert (word["keyword"], word["whole_word"]) == ("plum", True)
        assert [each["keyword"] for each in await app.get(f"{V2}/{one['id']}/keywords")] == ["apple", "plum"]
        path = f"{V2}/keywords/{word['id']}"
        assert await app.get(path) == word
        assert (await app.told("PUT", path, {"keyword": "prune", "whole_word": False}))["keyword"] == "prune"
        _, bob = await sut.program("bob")
        for method in ("GET", "PUT", "DELETE"):
            assert await bob.refused(method, path) == (404, "Record not found")
        assert await app.told("DELETE", path) == {}
        assert (await app.refused("GET", path))[0] == 404
        assert (await app.refused("POST", f"{V2}/{one['id']}/keywords", {"keyword": " "}))[0] == 422


async def test_a_filter_names_posts_that_its_persona_may_see(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        one = await made(app)
        async with database.write() as tx:
            carol = await make_remote(tx)
            seen = await make_post(tx, carol.id)
            hidden = await make_post(tx, carol.id, "followers")
        path = f"{V2}/{one['id']}/statuses"
        named = await app.told("POST", path, {"status_id": str(seen.id)})
        assert named["status_id"] == str(seen.id)
        assert await app.get(path) == [named]
        assert (await app.get(f"{V2}/{one['id']}"))["statuses"] == [named]
        for number in (str(hidden.id), "7", "x"):
            assert await app.refused("POST", path, {"status_id": number}) == (404, "Record not found")
        assert (await app.refused("POST", path, {"status_id": str(seen.id)}))[0] == 422
        async with database.read() as tx:
            (found,) = await filters.of(tx, alice.id)
        assert filters.about([found], seen, alice.id)[0].by_post
        single = f"{V2}/statuses/{named['id']}"
        _, bob = await sut.program("bob")
        assert (await bob.refused("GET", single))[0] == (await bob.refused("DELETE", single))[0] == 404
        assert await app.get(single) == named
        assert await app.told("DELETE", single) == named
        assert await app.get(path) == []


async def test_the_first_version_knows_words(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        given = {"phrase": "spoiler", "context": ["home", "thread"], "irreversible": True}
        one = await app.told("POST", V1, given)
        assert (one["phrase"], one["whole_word"], one["irreversible"]) == ("spoiler", True, True)
        assert (one["context"], one["expires_at"]) == (["home", "thread"], None)
        assert await app.get(V1) == [one]
        assert await app.get(f"{V1}/{one['id']}") == one
        changed = await app.told("PUT", f"{V1}/{one['id']}", {"phrase": "end", "context": ["home"], "expires_in": 60})
        assert (changed["id"], changed["phrase"], changed["context"]) == (one["id"], "end", ["home"])
        assert changed["expires_at"] is not None
        _, bob = await sut.program("bob")
        for method in ("GET", "PUT", "DELETE"):
            assert (await bob.refused(method, f"{V1}/{one['id']}"))[0] == 404
        assert await app.told("DELETE", f"{V1}/{one['id']}") == {}
        assert await app.get(V1) == await app.get(V2) == []


async def test_the_first_version_does_not_change_what_several_words_share(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        await made(app, keywords_attributes=[{"keyword": "a"}, {"keyword": "b"}])
        first, second = await app.get(V1)
        assert (await app.refused("PUT", f"{V1}/{first['id']}", {"phrase": "c", "context": ["public"]}))[0] == 422
        assert (await app.told("PUT", f"{V1}/{first['id']}", {"phrase": "c", "context": ["home"]}))["phrase"] == "c"
        await app.told("DELETE", f"{V1}/{first['id']}")
        assert await app.get(V1) == [second]


@pytest.mark.parametrize(
    "given",
    [
        {"context": ["home"]},
        {"title": "x"},
        {"title": "x", "context": ["nowhere"]},
        {"title": "x", "context": ["home"], "filter_action": "explode"},
        {"title": "x", "context": ["home"], "keywords_attributes": [{"keyword": ""}]},
        {"title": "x", "context": ["home"], "keywords_attributes": [{"keyword": "y" * 300}]},
        {"title": "x" * 300, "context": ["home"]},
    ],
)
async def test_what_can_be_no_filter_is_refused_and_nothing_is_kept(
    database: Database, given: dict[str, object]
) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        assert (await app.refused("POST", V2, given))[0] == 422
        assert await app.get(V2) == []


async def test_filters_are_refused_without_their_scope(database: Database) -> None:
    async with town(database) as sut:
        _, reader = await sut.program("alice", "read:filters write:statuses")
        for path in (V1, V2):
            assert (await sut.stranger.refused("GET", path))[0] == 401
            assert (await reader.refused("POST", path, {"title": "x"}))[0] == 403
            assert await reader.get(path) == []
