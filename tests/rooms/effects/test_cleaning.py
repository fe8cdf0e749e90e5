"""What is kept of a blocked domain is deleted after a while, but for what is also ours."""

import pytest
from sqlalchemy import func, select

from makers import ADDRESSES, make_follow, make_persona, make_post, make_remote
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.effects import clean_domain
from privapub.effects.clean_domain import AFTER, CLEAN
from privapub.effects.domain_ruled import domain_ruled
from privapub.follows import domains
from privapub.jobs.job import Done, Job, Retry
from privapub.jobs.tables import job as jobs
from privapub.moderation.domain_rules import Rule
from privapub.moderation.facts import DomainRuled
from privapub.notifications import notify
from privapub.notifications.tables import notification
from privapub.outbound.client import Door
from privapub.outbound.gate import OpenGate
from privapub.posts import boost, react, read
from privapub.posts.publish import publish
from privapub.posts.tables import boost as boosts
from privapub.posts.tables import post, reaction
from privapub.proxy import cache
from privapub.proxy.tables import remote_file
from privapub.server import Server
from privapub.settings import Settings
from privapub.telemetry.fetches import FetchRecorder

NOW = 1_800_000_000.0


def server(database: Database) -> Server:
    recorder = FetchRecorder(database)
    door = Door(recorder=recorder, gate=OpenGate(), user_agent="PrivaPub (test)")
    return Server.around(Settings(base_url="https://sut.test"), database, door, recorder)


def cleaning(domain: str = "peer.test") -> Job:
    return Job(1, CLEAN, CLEAN, {"domain": domain}, 1, "stamp", "", 0.0, 0.0, 0.0)


async def block(tx: Transaction, domain: str = "peer.test") -> None:
    await domains.keep(tx, [Rule(domain, "block")], (), NOW)


async def count(tx: Transaction, table: object) -> int:
    found: int = await tx.scalar(select(func.count()).select_from(table))  # type: ignore[arg-type]  # of any table
    return found


async def test_what_nobody_here_touched_goes_and_the_rest_stays(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, dave = await make_persona(tx), await make_remote(tx), await make_remote(tx, "dave@other.test")
        await make_follow(tx, alice.id, carol.id)
        plain, liked, boosted, answered, theirs = [await make_post(tx, each.id) for each in (carol,) * 4 + (dave,)]
        ours = await make_post(tx, alice.id)
        await react.react(tx, alice.id, liked.id, "", "https://sut.test/activities/1", NOW)
        await boost.boost(tx, alice.id, boosted.id, "https://sut.test/activities/2", NOW)
        for author, uri in ((alice, answered.uri), (alice, ours.uri)):
            await publish(
                tx, author_id=author.id, audience="public", source="x", content_html="x", in_reply_to=uri,
                addresses=ADDRESSES, now=NOW,
            )  # fmt: skip
        await tx.execute(
            post.update().where(post.c.id == theirs.id).values(in_reply_to=plain.uri, in_reply_to_id=plain.id)
        )
        await react.receive(tx, carol.id, ours.id, "", None, "https://peer.test/l/1", NOW)
        await react.receive(tx, dave.id, ours.id, "", None, "https://other.test/l/1", NOW)
        await boost.receive(tx, carol.id, theirs.id, "public", "https://peer.test/b/1", NOW, NOW)
        await notify.of_reaction(tx, ours, carol.id, "", NOW)
        await block(tx)
    assert await clean_domain.clean_domain(server(database), cleaning()) == Done()
    async with database.write() as tx:
        known = await read.by_ids(tx, [each.id for each in (plain, liked, boosted, answered, theirs, ours)])
        assert set(known) == {each.id for each in (liked, boosted, answered, theirs, ours)}
        assert (known[theirs.id].in_reply_to, known[theirs.id].in_reply_to_id) == (plain.uri, None)
        assert await count(tx, notification) == 0
        assert {row.actor_id for row in await tx.all(select(reaction.c.actor_id))} == {alice.id, dave.id}
        assert {row.actor_id for row in await tx.all(select(boosts.c.actor_id))} == {alice.id}
        await domains.drop(tx, "peer.test", NOW)
        assert {each.id for each in await read.of_author(tx, carol.id)} == {liked.id, boosted.id, answered.id}


async def test_it_goes_on_where_it_stopped_and_makes_room_meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clean_domain, "AT_ONCE", 2)
    async with database.write() as tx:
        for number in range(5):
            person = await make_remote(tx, f"p{number}@peer.test")
            for _ in range(3):
                await make_post(tx, person.id)
        await block(tx)
    monkeypatch.setattr(clean_domain, "LONGEST", 0.0)
    left, runs = 15, 0
    while left:
        ended = await clean_domain.clean_domain(server(database), cleaning())
        runs += 1
        async with database.read() as tx:
            before, left = left, await count(tx, post)
        assert left < before or isinstance(ended, Retry)
        assert runs < 50
    assert runs == 8
    monkeypatch.setattr(clean_domain, "LONGEST", 300.0)
    assert await clean_domain.clean_domain(server(database), cleaning()) == Done()


async def test_nothing_goes_of_what_is_blocked_no_more_nor_of_what_another_rule_decides(database: Database) -> None:
    async with database.write() as tx:
        carol, dave = await make_remote(tx), await make_remote(tx, "dave@good.peer.test")
        for each in (carol, dave):
            await make_post(tx, each.id)
        await domains.keep(tx, [Rule("peer.test", "block"), Rule("good.peer.test", "allow")], (), NOW)
        await domains.drop(tx, "peer.test", NOW)
    assert await clean_domain.clean_domain(server(database), cleaning()) == Done()
    async with database.write() as tx:
        assert await count(tx, post) == 2
        await block(tx)
    assert await clean_domain.clean_domain(server(database), cleaning()) == Done()
    async with database.read() as tx:
        assert [row.author_id for row in await tx.all(select(post.c.author_id))] == [dave.id]


async def test_it_is_planned_once_for_an_hour_after_a_block_and_for_nothing_else(database: Database) -> None:
    async with database.write() as tx:
        await domains.keep(tx, [Rule("loud.test", "limit")], (), NOW)
        for _ in range(2):
            await block(tx)
            for domain in ("peer.test", "loud.test", "unknown.test"):
                await domain_ruled(tx, DomainRuled(domain), ADDRESSES, NOW)
    async with database.read() as tx:
        (row,) = await tx.all(select(jobs.c.args, jobs.c.run_at).where(jobs.c.kind == CLEAN))
    assert (row.args, row.run_at) == ('{"domain":"peer.test"}', NOW + AFTER)


async def test_files_of_a_host_whose_rule_is_taken_away_meanwhile_stay(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.write() as tx:
        await cache.ensure(tx, Settings())
        await domains.keep(tx, [Rule("peer.test", "none", reject_media=True)], (), NOW)
        for number in range(3):
            row = {"key": f"k{number}", "host": "peer.test", "state": cache.READY, "files": [], "turn": 0, "tries": 0}
            await tx.execute(remote_file.insert().values(**row))
    real = cache.forget_host
    monkeypatch.setattr(cache, "_AT_ONCE", 1)

    async def forget_host(tx: Transaction, host: str) -> int:
        gone = await real(tx, host)
        await domains.drop(tx, "peer.test", NOW)
        return gone

    monkeypatch.setattr(cache, "forget_host", forget_host)
    assert await clean_domain.clean_domain(server(database), cleaning()) == Done()
    async with database.read() as tx:
        assert await count(tx, remote_file) == 2
