"""Reports, ours and others'."""

import pytest

from makers import facts, make_persona, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.errors import InvalidInput, NotFound
from privapub.moderation import reports

FLAG = "https://peer.test/flags/1"


async def test_a_report_is_filed_and_forwarded_if_that_is_wanted(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        for forward in (True, False):
            number = await reports.file(
                tx,
                alice.id,
                carol.id,
                f"https://sut.test/activities/{forward}",
                post_uris=["https://peer.test/n/1", "https://peer.test/n/1"],
                comment="spam",
                forward=forward,
                now=clock.now(),
            )
            filed = await reports.by_id(tx, number)
            assert filed is not None
            assert (filed.local, filed.post_uris, filed.comment) == (True, ("https://peer.test/n/1",), "spam")
            assert await facts(tx, "report_filed") == [{"report_id": filed.id}] if forward else True
        assert len(await facts(tx, "report_filed")) == 1
        assert len(await reports.newest(tx)) == 2


async def test_nobody_reports_themselves_nor_at_endless_length(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        for target, comment, posts in ((alice.id, "", 0), (carol.id, "x" * 1001, 0), (carol.id, "", 101)):
            with pytest.raises(InvalidInput):
                await reports.file(
                    tx,
                    alice.id,
                    target,
                    FLAG,
                    comment=comment,
                    post_uris=[f"https://peer.test/n/{n}" for n in range(posts)],
                    forward=False,
                    now=clock.now(),
                )
        assert await reports.newest(tx) == []


async def test_a_report_from_elsewhere_is_kept_once_and_what_is_too_long_is_cut(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        posts = [f"https://sut.test/posts/{number}" for number in range(200)]
        kept = [await reports.receive(tx, FLAG, carol.id, alice.id, posts, "x" * 9000, clock.now()) for _ in range(2)]
        assert kept == [True, False]
        (report,) = await reports.newest(tx)
        assert (len(report.post_uris), len(report.comment), report.local) == (100, 5000, False)


async def test_a_report_that_was_dealt_with_is_shown_no_more(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await reports.receive(tx, FLAG, carol.id, alice.id, [], "", clock.now())
        (report,) = await reports.newest(tx)
        assert [await reports.close(tx, report.id, clock.now()) for _ in range(2)] == [True, False]
        assert await reports.newest(tx) == []
        assert len(await reports.newest(tx, closed=True)) == 1
        with pytest.raises(NotFound):
            await reports.close(tx, 7, clock.now())
