"""Posts for later: kept, moved, cancelled, and published when their time has come."""

from typing import Any

import msgspec
import pytest

from makers import make_medium
from privapub import clock
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.media import let_go
from program import Program, Town, town

NOT_FOUND = (404, "Record not found")


def after(seconds: float) -> str:
    return clock.iso(clock.now() + seconds)


async def later(app: Program, seconds: float = 3600, **given: Any) -> Any:
    said = {"status": "later", "scheduled_at": after(seconds), **given}
    return await app.told("POST", "/api/v1/statuses", said)


async def run(sut: Town) -> None:
    await Worker(sut.database, job_kinds(sut.sut.server), only=("scheduled",)).drain()


async def written(sut: Town, persona_id: int) -> list[Any]:
    found: list[Any] = await sut.stranger.get(f"/api/v1/accounts/{persona_id}/statuses")
    return found


async def test_a_post_is_published_when_its_time_has_come(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            cat = await make_medium(tx, alice.id)
        kept = await later(app, media_ids=[str(cat)], spoiler_text="w", visibility="unlisted", language="de")
        assert (kept["params"]["text"], kept["params"]["visibility"]) == ("later", "unlisted")
        assert [each["id"] for each in kept["media_attachments"]] == [str(cat)]
        status, words = await app.refused("POST", "/api/v1/statuses", {"status": "x", "media_ids": [str(cat)]})
        assert status == 422, words  # it is kept for the other
        await run(sut)
        assert await written(sut, alice.id) == []
        clock.advance(2 * let_go.UNATTACHED)
        async with database.write() as tx:
            await let_go.prune(tx, clock.now())
        await run(sut)
        (made,) = await written(sut, alice.id)
        assert (made["content"], made["spoiler_text"], made["visibility"], made["language"]) == (
            "<p>later</p>", "w", "unlisted", "de",
        )  # fmt: skip
        assert [each["id"] for each in made["media_attachments"]] == [str(cat)]
        assert await app.get("/api/v1/scheduled_statuses") == []


async def test_a_poll_for_later_lasts_from_when_it_is_asked(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        kept = await later(app, poll={"options": ["a", "b"], "expires_in": 600})
        assert kept["params"]["poll"] == {
            "options": ["a", "b"],
            "expires_in": 600,
            "multiple": False,
            "hide_totals": False,
        }
        clock.advance(3700)
        await run(sut)
        (made,) = await written(sut, alice.id)
        assert made["poll"]["expired"] is False


async def test_it_is_moved_and_cancelled(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        kept, other = await later(app), await later(app)
        path = f"/api/v1/scheduled_statuses/{kept['id']}"
        at = after(7200)
        assert (await app.told("PUT", path, {"scheduled_at": at}))["scheduled_at"] == at
        assert (await app.get(path))["scheduled_at"] == at
        assert await app.told("DELETE", f"/api/v1/scheduled_statuses/{other['id']}") == {}
        clock.advance(3700)
        await run(sut)
        assert await written(sut, alice.id) == []
        clock.advance(3700)
        await run(sut)
        assert len(await written(sut, alice.id)) == 1


async def test_what_is_for_later_is_its_authors_alone(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        kept = await later(app)
        path = f"/api/v1/scheduled_statuses/{kept['id']}"
        assert await bob.get("/api/v1/scheduled_statuses") == []
        assert await bob.refused("GET", path) == NOT_FOUND
        assert await bob.refused("PUT", path, {"scheduled_at": after(9000)}) == NOT_FOUND
        assert await bob.refused("DELETE", path) == NOT_FOUND
        assert await sut.stranger.refused("GET", path) == (401, "The access token is invalid")
        assert [each["id"] for each in await app.get("/api/v1/scheduled_statuses")] == [kept["id"]]


@pytest.mark.parametrize("seconds", [10, 299])
async def test_it_is_refused_where_it_is_too_soon(database: Database, seconds: float) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        words = "Validation failed: Scheduled at The scheduled date must be in the future"
        given = {"status": "x", "scheduled_at": after(seconds)}
        assert await app.refused("POST", "/api/v1/statuses", given) == (422, words)


async def test_what_is_no_moment_is_refused_in_mastodons_words(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await later(app)
        for verb, path in (("POST", "/api/v1/statuses"), ("PUT", f"/api/v1/scheduled_statuses/{made['id']}")):
            given = {"status": "x", "scheduled_at": "banana"}
            assert await app.refused(verb, path, given) == (422, "Record invalid")


async def test_of_a_day_there_are_not_too_many(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        day = (clock.now() // 86_400 + 2) * 86_400
        for number in range(25):
            at = clock.iso(day + number)
            await app.told("POST", "/api/v1/statuses", {"status": "x", "scheduled_at": at})
        status, words = await app.refused("POST", "/api/v1/statuses", {"status": "x", "scheduled_at": clock.iso(day)})
        assert (status, words) == (
            422,
            "Validation failed: You have exceeded the limit of 25 scheduled posts for today",
        )


async def test_what_is_for_a_moment_that_is_over_is_published_at_once(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        made = await app.told("POST", "/api/v1/statuses", {"status": "now", "scheduled_at": after(-5)})
        assert made["content"] == "<p>now</p>"


async def test_one_key_makes_one_post_for_later(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        said = {"status": "x", "scheduled_at": after(3600)}
        answers = [await app.ask("POST", "/api/v1/statuses", said, idempotency_key="k") for _ in range(2)]
        assert len({msgspec.json.decode(each.body)["id"] for each in answers}) == 1
        assert len(await app.get("/api/v1/scheduled_statuses")) == 1


async def test_what_is_said_again_after_its_time_is_the_post(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        said = {"status": "later", "scheduled_at": after(301)}
        assert (await app.ask("POST", "/api/v1/statuses", said, Idempotency_Key="k")).status == 200
        clock.advance(400)
        await run(sut)
        (made,) = await written(sut, alice.id)
        again = await app.ask("POST", "/api/v1/statuses", said, Idempotency_Key="k")
        assert (again.status, again.json["id"]) == (200, made["id"])
        assert len(await written(sut, alice.id)) == 1


async def test_what_cannot_be_published_by_then_stays(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        asked = await bob.told("POST", "/api/v1/statuses", {"status": "well?"})
        await later(app, in_reply_to_id=asked["id"])
        await bob.told("DELETE", f"/api/v1/statuses/{asked['id']}")
        clock.advance(3700)
        await run(sut)
        assert await written(sut, alice.id) == []
        assert len(await app.get("/api/v1/scheduled_statuses")) == 1
