"""Every address below `/api`, and what is none: answered in the words of the API, and counted by its group."""

import csv
import re
from collections import Counter
from collections.abc import Iterator

from asgi import Answered
from privapub.client_api.routes import ENDPOINTS, GROUPS
from privapub.database.connect import Database
from privapub.telemetry.traffic import API_GROUPS
from program import EVERYTHING, Program, Town, town
from shared import shared

SERVED = ("core", "expected")
ABROAD = {"Origin": "https://app.test"}
OUTSIDE = (403, "This action is outside the authorized scopes")
NOWHERE = (404, "Not Found")


def documented() -> Iterator[tuple[str, str, str]]:
    """Class, method and path of every endpoint that Mastodon has."""
    with shared("api/endpoints.tsv").open(newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            for method in row["method"].split("/"):
                yield row["class"], method, re.sub(r"\(\*any\)|\{[^}]*\}", "1", row["path"])


def words(answer: Answered) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json.keys() == {"error"}
    return answer.status, answer.json["error"]


async def ask(by: Program, method: str, path: str) -> Answered:
    return await by.ask(method, path, None if method == "GET" else {}, **ABROAD)


def of_api(sut: Town) -> Counter[tuple[str, str, int]]:
    """What was counted of the API since this was last asked: kind, method and class of the status."""
    counts = sut.sut.server.traffic._counts
    found = Counter({(str(key[1]), str(key[2]), int(key[3])): times for key, times in counts.items()})
    counts.clear()
    return found


async def test_what_is_documented_and_not_served_is_not_there(database: Database) -> None:
    wanted = {(method, path) for kind, method, path in documented() if kind == "niche"}
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for method, path in sorted(wanted):
            said = words(await ask(app, method, path))
            assert said in {NOWHERE, (404, "Record not found")}, (method, path, said)


async def test_what_admins_do_is_outside_of_what_any_token_may(database: Database) -> None:
    wanted = {(method, path) for kind, method, path in documented() if kind == "admin"}
    assert len(wanted) > 50
    async with town(database) as sut:
        _, app = await sut.program("alice", EVERYTHING)
        for method, path in sorted(wanted):
            assert words(await ask(app, method, path)) == OUTSIDE, (method, path)
            assert words(await ask(sut.stranger, method, path)) == (401, "The access token is invalid"), (method, path)


async def test_what_is_to_be_served_is_served() -> None:
    ours = {(each.method, re.sub(r"\{[^}]*\}", "1", each.path)) for each in ENDPOINTS}
    # The page where a person signs in, and the streams, are no endpoints with a JSON answer.
    apart = {"/oauth/authorize"}
    wanted = {(method, path) for kind, method, path in documented() if kind in SERVED}
    assert {each for each in wanted - ours if each[1] not in apart and "/streaming" not in each[1]} == set()


async def test_a_method_that_an_address_has_not_is_not_there(database: Database) -> None:
    by_path: dict[str, set[str]] = {}
    for each in ENDPOINTS:
        by_path.setdefault(each.path, set()).add(each.method)
    async with town(database) as sut:
        for path, methods in sorted(by_path.items()):
            method = next(one for one in ("PATCH", "DELETE", "POST", "GET") if one not in methods)
            answer = await sut.stranger.ask(method, re.sub(r"\{[^}]*\}", "1", path))
            assert (answer.status, answer.json) == (404, {"error": "Not Found"}), (method, path)


async def test_answers_are_counted_by_group_and_class_and_nothing_else(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice", "read")
        of_api(sut)
        for path in ("verify_credentials", "1", "2", "3/statuses"):
            await app.ask("GET", f"/api/v1/accounts/{path}")
        await sut.stranger.ask("POST", "/api/v1/accounts", {"username": "x"})
        await app.ask("POST", "/api/v1/statuses", {"status": "x"})
        await app.ask("GET", "/api/v1/timelines/tag/secret")
        await app.ask("GET", "/api/v1/streaming/health")
        await app.ask("HEAD", "/health")
        assert of_api(sut) == {
            ("api:accounts", "GET", 200): 1,
            ("api:accounts", "GET", 400): 3,
            ("api:accounts", "POST", 400): 1,
            ("api:statuses", "POST", 400): 1,
            ("api:timelines", "GET", 200): 1,
            ("api:streaming", "GET", 200): 1,
            ("api:instance", "HEAD", 200): 1,
        }


async def test_who_asks_for_what_is_not_there_invents_no_rows(database: Database) -> None:
    async with town(database) as sut:
        for path in ("/api/alice", "/api/v1/alice", "/api/v9/accounts/alice", "/api/v1/admin/alice", "/oauth/token"):
            await sut.stranger.ask("PUT", path, {})
        assert of_api(sut) == {("api:other", "PUT", 400): 5}


def test_every_endpoint_is_in_a_group_that_is_counted() -> None:
    assert {each.group for each in ENDPOINTS} == set(GROUPS)
    assert set(GROUPS) | {"streaming", "other"} == API_GROUPS
