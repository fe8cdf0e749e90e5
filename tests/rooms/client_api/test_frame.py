"""What every endpoint has in common: tokens, scopes, parameters, errors."""

import pytest

from privapub.client_api import params
from privapub.client_api.routes import ENDPOINTS
from privapub.database.connect import Database
from program import town


async def test_a_persona_is_who_its_token_says(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        me = await app.get("/api/v1/accounts/verify_credentials")
    assert (me["id"], me["username"], me["acct"]) == (str(alice.id), "alice", "alice")
    assert me["source"]["privacy"] == "public"


async def test_a_post_is_written_and_read_at_home(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/statuses", {"status": "hello", "visibility": "unlisted"})
        assert (made["content"], made["visibility"]) == ("<p>hello</p>", "unlisted")
        assert await sut.stranger.get(f"/api/v1/statuses/{made['id']}")


async def test_who_shows_nothing_or_nonsense_is_told_so(database: Database) -> None:
    async with town(database) as sut:
        _, reader = await sut.program("alice", "read")
        assert await sut.stranger.refused("GET", "/api/v1/timelines/home") == (401, "The access token is invalid")
        wrong = await sut.stranger.sut.ask("GET", "/api/v1/timelines/home", [("Authorization", "Bearer x")])
        assert wrong.status == 401
        outside = (403, "This action is outside the authorized scopes")
        assert await reader.refused("POST", "/api/v1/statuses", {"status": "x"}) == outside
        assert await reader.refused("GET", "/api/v1/statuses/99") == (404, "Record not found")
        assert await reader.refused("GET", "/api/v1/nothing") == (404, "Not Found")


async def test_a_slash_at_the_end_says_nothing_else(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/statuses/", {"status": "hello"})
        assert (await app.get(f"/api/v1/statuses/{made['id']}/"))["content"] == "<p>hello</p>"
        assert await app.refused("GET", f"/api/v1/statuses/{made['id']}//") == (404, "Not Found")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"a=1&b=", {"a": "1", "b": ""}),
        (b"a[]=1&a[]=2", {"a": ["1", "2"]}),
        (b"a[b]=1&a[c]=2", {"a": {"b": "1", "c": "2"}}),
        (b"poll[options][]=x&poll[options][]=y&poll[a]=60", {"poll": {"options": ["x", "y"], "a": "60"}}),
        (b"w[][k]=a&w[][x]=1&w[][k]=b", {"w": [{"k": "a", "x": "1"}, {"k": "b"}]}),
        (b"f[0][name]=a&f[0][value]=b", {"f": {"0": {"name": "a", "value": "b"}}}),
        (b"a=1&a[]=2", {"a": "1"}),
        (b"a[=1", {"a[": "1"}),
    ],
)  # fmt: skip
def test_forms_are_read_as_rails_does(body: bytes, found: dict[str, object]) -> None:
    assert params.of_form(body) == found


@pytest.mark.parametrize("query", ["id[" + "9" * 5000 + "]=1", "id[0][a]=1&id[00][a]=2", "id[x]=1", "id[-1]=1"])
async def test_lists_in_odd_forms_are_no_fault_of_the_server(database: Database, query: str) -> None:
    async with town(database) as sut:
        assert await sut.stranger.get(f"/api/v1/accounts?{query}") == []


def test_no_address_is_there_twice() -> None:
    assert len({(each.method, each.path) for each in ENDPOINTS}) == len(ENDPOINTS)
