"""The rules in memory: what is decided without a database, and what is heard of a change."""

import pytest
from sqlalchemy.exc import OperationalError

from privapub import clock
from privapub.database.connect import Database
from privapub.follows import domains
from privapub.moderation import gate as gates
from privapub.moderation import rules
from privapub.moderation.domain_rules import Rule
from privapub.moderation.gate import DomainGate, own_hosts


async def keep(database: Database, rule: Rule) -> None:
    async with database.write() as tx:
        await domains.keep(tx, [rule], (), clock.now())


async def test_what_is_changed_in_this_process_counts_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "LOOK_EVERY", 3600.0)
    gate = DomainGate(database, own_hosts("https://sut.test", "sut.test:443"))
    assert await gate.refuses("peer.test") is None
    await keep(database, Rule("peer.test", "block"))
    assert await gate.refuses("peer.test") == "it is blocked by the rule for peer.test"
    assert (await gate.takes_media("peer.test"), await gate.takes_reports("peer.test")) == (False, False)
    await keep(database, Rule("peer.test", "none", reject_media=True))
    assert await gate.refuses("peer.test") is None
    assert (await gate.takes_media("peer.test"), await gate.takes_reports("peer.test")) == (False, True)


async def test_the_rules_are_read_once_for_many_decisions(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "LOOK_EVERY", 3600.0)
    gate = DomainGate(database, ())
    await keep(database, Rule("peer.test", "block"))
    assert await gate.refuses("peer.test")
    monkeypatch.setattr(database, "read", None)  # nobody could ask it
    for number in range(100):
        assert await gate.refuses(f"{number}.peer.test")
        assert await gate.refuses(f"{number}.other.test") is None


async def test_what_is_known_counts_while_the_database_is_away(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("SELECT", {}, Exception("away"))

    gate = DomainGate(database, ())
    await keep(database, Rule("peer.test", "block"))
    assert await gate.refuses("peer.test")
    monkeypatch.setattr(gates, "LOOK_EVERY", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(database, "read", away)
        assert await gate.refuses("peer.test")
        with pytest.raises(OperationalError):  # who knows nothing lets nobody through
            await DomainGate(database, ()).refuses("other.test")
    async with database.write() as tx:
        await domains.drop(tx, "peer.test", clock.now())
    assert await gate.refuses("peer.test") is None


async def test_a_change_that_is_taken_back_is_none(database: Database) -> None:
    gate = DomainGate(database, ())
    with pytest.raises(ZeroDivisionError):
        async with database.write() as tx:
            await domains.keep(tx, [Rule("peer.test", "block")], (), clock.now())
            _ = 1 / 0
    assert await gate.refuses("peer.test") is None


async def test_each_change_has_a_version_of_its_own(database: Database) -> None:
    found = []
    for change in ("block", "limit", "", "block"):
        async with database.write() as tx:
            if change:
                await rules.keep(tx, Rule("peer.test", change), clock.now())  # type: ignore[arg-type]  # one there is
            else:
                assert await rules.drop(tx, "peer.test") is not None
                assert await rules.drop(tx, "peer.test") is None
            found.append(await rules.policy(tx))
    assert found == [(1, False), (2, False), (3, False), (4, False)]
    async with database.write() as tx:
        assert await rules.allow_only(tx, True)
        assert not await rules.allow_only(tx, True)
        assert await rules.policy(tx) == (5, True)
        await rules.keep(tx, Rule("peer.test", "allow"), clock.now())
        assert await rules.policy(tx) == (6, True)
