"""Reports by programs."""

from makers import facts, make_post, make_remote
from privapub.database.connect import Database
from privapub.moderation import reports
from program import town

PATH = "/api/v1/reports"


async def test_somebody_and_what_they_wrote_are_reported(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            post = await make_post(tx, carol.id)
        given = {"account_id": str(carol.id), "status_ids": [str(post.id)], "comment": "spam!", "category": "spam"}
        told = await app.told("POST", PATH, given)
        assert (told["category"], told["comment"], told["status_ids"]) == ("spam", "spam!", [str(post.id)])
        assert (told["action_taken"], told["forwarded"], told["target_account"]["id"]) == (False, False, str(carol.id))
        async with database.read() as tx:
            (kept,) = await reports.newest(tx)
            assert await facts(tx, "report_filed") == []
        assert (kept.reporter_id, kept.target_id, kept.post_uris) == (alice.id, carol.id, (post.uri,))
        assert (str(kept.id), kept.category) == (told["id"], "spam")


async def test_it_is_forwarded_only_where_that_is_asked_for(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        form = {"account_id": str(carol.id), "forward": "true", "rule_ids[]": ["1", "2"]}
        told = await app.told("POST", PATH, form, form=True)
        assert (told["forwarded"], told["category"], told["rule_ids"]) == (True, "violation", ["1", "2"])
        async with database.read() as tx:
            assert len(await facts(tx, "report_filed")) == 1


async def test_what_cannot_be_reported_is_refused(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            hidden = await make_post(tx, carol.id, "followers")
        who = str(carol.id)
        for given in (
            {},
            {"account_id": "7"},
            {"account_id": "x"},
            {"account_id": who, "status_ids": [str(hidden.id)]},
        ):
            assert await app.refused("POST", PATH, given) == (404, "Record not found")
        for more in ({"comment": "x" * 1001}, {"category": "boredom"}, {"rule_ids": ["9" * 30]}):
            assert (await app.refused("POST", PATH, {"account_id": who} | more))[0] == 422
        assert (await app.refused("POST", PATH, {"account_id": str(alice.id)}))[0] == 422
        narrow = await sut.another(alice, "read write:statuses")
        assert (await narrow.refused("POST", PATH, {"account_id": who}))[0] == 403
        assert (await sut.stranger.refused("POST", PATH, {"account_id": who}))[0] == 401
        async with database.read() as tx:
            assert await reports.newest(tx) == []
