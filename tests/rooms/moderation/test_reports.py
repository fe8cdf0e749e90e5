"""Reports, ours and others'."""

import pytest

from makers import facts, make_persona, make_remote
from privapub import clock
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput, NotFound
from privapub.moderation import reports
from privapub.personas.read import Persona

NOW = 1_800_000_000.0
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


async def received(tx: Transaction, reporter: Actor, target: Persona, number: int, first: int = 0) -> list[bool]:
    """Whether each of so many reports is taken."""
    taken = []
    for each in range(first, first + number):
        uri = f"{reporter.uri}/flags/{each}"
        try:
            taken.append(await reports.receive(tx, uri, reporter.id, target.id, [], "", NOW + each))
        except Conflict:
            taken.append(False)
    return taken


async def test_the_open_reports_of_one_actor_are_bounded(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@peer.test")
        kept = await received(tx, carol, alice, reports.MOST_BY_ONE + 2)
        assert kept == [True] * reports.MOST_BY_ONE + [False] * 2
        assert await received(tx, dave, alice, 1) == [True]
        hers = [each.id for each in await reports.newest(tx, limit=200) if each.reporter_id == carol.id]
        await reports.close(tx, hers[0], NOW)
        assert await received(tx, carol, alice, 2, first=500) == [True, False]


async def test_the_open_reports_of_one_host_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_BY_HOST", 4)
    async with database.write() as tx:
        alice, other = await make_persona(tx), await make_remote(tx, "erin@other.test")
        kept = [
            said
            for name in ("carol", "dave", "frank")
            for said in await received(tx, await make_remote(tx, f"{name}@peer.test"), alice, 2)
        ]
        assert kept == [True] * 4 + [False] * 2
        assert await received(tx, other, alice, 1) == [True]


async def test_a_persona_reports_no_more_than_can_be_looked_at(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "MOST_BY_ONE", 1)
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await reports.file(tx, alice.id, carol.id, FLAG, forward=False, now=NOW)
        with pytest.raises(Conflict):
            await reports.file(tx, alice.id, carol.id, FLAG + "2", forward=False, now=NOW)


async def test_what_was_dealt_with_is_forgotten_and_what_is_open_here_is_not(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        ours = await reports.file(tx, alice.id, carol.id, "https://sut.test/flags/1", forward=False, now=NOW)
        await received(tx, carol, alice, 2)
        closed, left = [each for each in await reports.newest(tx) if not each.local]
        await reports.close(tx, closed.id, NOW)
        assert await reports.prune(tx, NOW + reports.KEPT_CLOSED) == 0
        assert await reports.prune(tx, NOW + reports.KEPT_CLOSED + 1) == 1
        assert {each.id for each in await reports.newest(tx, closed=True)} == {ours, left.id}
        assert await reports.prune(tx, NOW + reports.KEPT_OPEN + 2) == 1
        assert [each.id for each in await reports.newest(tx, closed=True)] == [ours]


async def test_of_the_open_reports_from_elsewhere_the_newest_stay(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "MOST_ELSEWHERE", 3)
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        ours = await reports.file(tx, alice.id, carol.id, "https://sut.test/flags/1", forward=False, now=NOW - 9)
        await received(tx, carol, alice, 5)
        newest = [each.id for each in await reports.newest(tx, limit=3)]
        assert await reports.prune(tx, NOW) == 2
        assert [each.id for each in await reports.newest(tx)] == [*newest, ours]
