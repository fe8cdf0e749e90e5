"""What the operator tells everyone, and what each persona does with it."""

from privapub import clock
from privapub.database.connect import Database
from privapub.moderation import announcements
from program import town

PATH = "/api/v1/announcements"


async def test_what_is_told_is_shown_until_it_ends_and_each_puts_it_aside_alone(database: Database) -> None:
    async with town(database) as sut:
        _, alice = await sut.program("alice")
        _, night = await sut.program("night")
        async with database.write() as tx:
            now = clock.now()  # what is written within a millisecond is in no order
            first = await announcements.write(tx, "Hello <b>all</b> #news", None, None, now - 1)
            await announcements.write(tx, "For an hour", None, now + 3600, now)
        told = await alice.get(PATH)
        assert [each["read"] for each in told] == [False, False]
        assert "&lt;b&gt;all" in told[1]["content"]
        assert told[0]["ends_at"] is not None
        assert told[1]["ends_at"] is None
        assert await alice.told("POST", f"{PATH}/{first.id}/dismiss") == {}
        assert await alice.told("POST", f"{PATH}/{first.id}/dismiss") == {}
        assert [each["read"] for each in await alice.get(PATH)] == [False, True]
        assert [each["read"] for each in await night.get(PATH)] == [False, False]
        clock.advance(3601)
        assert [each["id"] for each in await night.get(PATH)] == [str(first.id)]
        async with database.write() as tx:
            await announcements.edit(tx, first.id, "Hello again", clock.now())
        assert [each["read"] for each in await alice.get(PATH)] == [False]
        async with database.write() as tx:
            assert await announcements.remove(tx, first.id)
        assert await alice.get(PATH) == []


async def test_emojis_are_put_under_it_and_taken_back(database: Database) -> None:
    async with town(database) as sut:
        _, alice = await sut.program("alice")
        _, night = await sut.program("night")
        async with database.write() as tx:
            first = await announcements.write(tx, "Hello", None, None, clock.now())
        at = f"{PATH}/{first.id}/reactions/"
        party, heart = "%F0%9F%8E%89", "%E2%9D%A4%EF%B8%8F"
        for app, name in ((alice, party), (alice, party), (night, party), (night, heart)):
            assert await app.told("PUT", at + name) == {}
            clock.advance(1)
        ((party_seen, heart_seen),) = [each["reactions"] for each in await alice.get(PATH)]
        assert (party_seen["name"], party_seen["count"], party_seen["me"]) == ("🎉", 2, True)
        assert (heart_seen["count"], heart_seen["me"]) == (1, False)
        assert await alice.told("DELETE", at + party) == {}
        assert [one["me"] for one in (await alice.get(PATH))[0]["reactions"]] == [False, False]
        assert await alice.refused("PUT", at + "nonsense") == (
            422,
            "Validation failed: Name is not a recognized emoji",
        )
        for number in range(6):
            await alice.told("PUT", at + f"%F0%9F%8D%8{number}")
        assert (await alice.refused("PUT", at + "%F0%9F%8E%B8"))[0] == 422
        await alice.told("PUT", at + party)


async def test_who_may_not_is_refused(database: Database) -> None:
    async with town(database) as sut:
        _, reader = await sut.program("alice", "read")
        _, app = await sut.program("bob")
        async with database.write() as tx:
            first = await announcements.write(tx, "Hello", None, None, clock.now())
        assert (await sut.stranger.refused("GET", PATH))[0] == 401
        for method, path in (("POST", "dismiss"), ("PUT", "reactions/%F0%9F%8E%89"), ("DELETE", "reactions/x")):
            assert (await reader.refused(method, f"{PATH}/{first.id}/{path}"))[0] == 403
            assert (await sut.stranger.refused(method, f"{PATH}/{first.id}/{path}"))[0] == 401
            assert (await app.refused(method, f"{PATH}/{first.id + 1}/{path}")) == (404, "Record not found")
            assert (await app.refused(method, f"{PATH}/x/{path}"))[0] == 404
