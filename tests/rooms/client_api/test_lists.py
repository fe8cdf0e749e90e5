"""Lists of people by the API."""

from makers import make_follow, make_remote
from privapub.database.connect import Database
from program import town


async def test_lists_are_made_changed_and_taken_away(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/lists", {"title": "Friends"})
        assert made == {"id": made["id"], "title": "Friends", "replies_policy": "list", "exclusive": False}
        given = {"title": "Friends", "replies_policy": "none", "exclusive": "true"}
        changed = await app.told("PUT", f"/api/v1/lists/{made['id']}", given, form=True)
        assert (changed["replies_policy"], changed["exclusive"]) == ("none", True)
        assert (await app.told("PUT", f"/api/v1/lists/{made['id']}", {"title": "People"}))["exclusive"] is True
        assert [each["title"] for each in await app.get("/api/v1/lists")] == ["People"]
        assert await app.told("DELETE", f"/api/v1/lists/{made['id']}") == {}
        assert await app.refused("GET", f"/api/v1/lists/{made['id']}") == (404, "Record not found")
        assert await app.refused("DELETE", f"/api/v1/lists/{made['id']}") == (404, "Record not found")


async def test_people_come_on_a_list_and_off_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dan = await make_remote(tx, "carol@peer.test"), await make_remote(tx, "dan@peer.test")
            await make_follow(tx, alice.id, carol.id)
        made = await app.told("POST", "/api/v1/lists", {"title": "Friends"})
        path = f"/api/v1/lists/{made['id']}/accounts"
        assert await app.told("POST", path, {"account_ids[]": [carol.id]}, form=True) == {}
        assert [each["acct"] for each in await app.get(f"{path}?limit=0")] == ["carol@peer.test"]
        assert await app.get(f"/api/v1/accounts/{carol.id}/lists") == [made]
        assert await app.get(f"/api/v1/accounts/{dan.id}/lists") == []
        assert (await app.refused("POST", path, {"account_ids": [dan.id]}))[0] == 404
        assert await app.told("DELETE", path, {"account_ids": [carol.id]}) == {}
        assert await app.get(path) == []


async def test_somebody_elses_list_is_none(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, other = await sut.program("bob")
        made = await app.told("POST", "/api/v1/lists", {"title": "Friends"})
        for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/accounts"), ("POST", "/accounts")):
            refused = await other.refused(method, f"/api/v1/lists/{made['id']}{path}", {"title": "x"})
            assert refused == (404, "Record not found"), (method, path)
        assert await other.get("/api/v1/lists") == []


async def test_nonsense_is_no_list(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for given in ({}, {"title": " "}, {"title": "x" * 300}, {"title": "x", "replies_policy": "all"}):
            assert (await app.refused("POST", "/api/v1/lists", given))[0] == 422, given
