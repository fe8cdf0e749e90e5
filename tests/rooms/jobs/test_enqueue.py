"""Putting jobs, and the lanes they leave, on both databases."""

from dataclasses import dataclass
from typing import Any

import anyio
import msgspec
import pytest
from sqlalchemy import select, update

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.jobs import hosts as hosts_of
from privapub.jobs import read, reaper
from privapub.jobs.enqueue import fact_kind, put, put_fact
from privapub.jobs.job import Done, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane
from privapub.jobs.worker import Worker


class PostPublished(msgspec.Struct, frozen=True):
    post: int
    audience: str


@dataclass(frozen=True)
class FollowAsked:
    by: int


async def done(_job: Job) -> Outcome:
    return Done()


WORK = JobKind("work", fetch=done)


async def take(database: Database, scope: str = "") -> list[Any]:
    found = await lease(database, [Slot(WORK, 8)], identifiers.token(), scope=scope)
    return [job.args for job in found.jobs]


async def test_a_fact_is_a_job_of_its_name(database: Database) -> None:
    async with database.write() as tx:
        await put_fact(tx, PostPublished(7, "followers"), about="post 7")
        await put_fact(tx, FollowAsked(3), about="follow 3", trigger="request")
    async with database.read() as tx:
        rows = await tx.all(select(table).order_by(table.c.id))
    assert [(row.kind, row.lane, row.args, row.trigger) for row in rows] == [
        ("post_published", "facts", '{"post":7,"audience":"followers"}', ""),
        ("follow_asked", "facts", '{"by":3}', "request"),
    ]
    assert fact_kind(PostPublished) == "post_published"


async def test_a_job_of_a_transaction_that_is_rolled_back_never_was(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.write() as tx:
            assert await put(tx, [NewJob("work", "work")]) == 1
            raise ZeroDivisionError
    assert await take(database) == []
    async with database.read() as tx:
        assert await tx.all(select(lane)) == []


async def test_a_scope_sees_its_own_jobs_only(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", {"n": 1}, dedupe_key="same")], scope="a")
        assert await put(tx, [NewJob("work", "work", {"n": 2}, dedupe_key="same")], scope="b") == 1
    with anyio.fail_after(30):
        assert await Worker(database, {"work": WORK}, scope="a").drain() == 1
    assert await take(database) == []
    assert await take(database, "b") == [{"n": 2}]


async def test_a_lane_that_has_forgotten_its_jobs_is_put_right(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("work", "work", {"n": 1})])
        await put(tx, [NewJob("work", "ordered", {"n": 2}, ordering_key="x")])
    async with database.write() as tx:
        await tx.execute(update(lane).values(next_at=None))
        await tx.execute(update(table).where(table.c.ordering_key == "x").values(state="blocked"))
    assert await take(database) == []
    assert await reaper.repair(database) == 2
    assert await reaper.repair(database) == 0
    assert sorted(args["n"] for args in await take(database)) == [1, 2]


async def test_after_many_that_ended_the_tables_of_postgresql_are_tidied_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite uses a free page again at once")

    async def vacuums() -> int:
        async with database.read() as tx:
            return int((await tx.raw("SELECT pg_stat_get_vacuum_count('job'::regclass)"))[0][0])

    monkeypatch.setattr(reaper, "MANY", 3)
    before = await vacuums()
    for count in (2, 3):
        async with database.write() as tx:
            await put(tx, [NewJob("work", f"lane{n}") for n in range(count)])
        assert await Worker(database, {"work": WORK}).drain() == count
        clock.advance(reaper.KEPT + 1)
        assert await reaper.prune(database) == count
        assert await vacuums() == before + (count >= 3)


async def test_many_are_put_at_once_and_the_operator_sees_them(database: Database) -> None:
    async with database.write() as tx:
        jobs = [NewJob("work", f"host:{n % 40}.example", {"n": n}, dedupe_key=f"{n % 1600}") for n in range(2000)]
        assert await put(tx, jobs) == 1600
    async with database.read() as tx:
        assert await read.counts(tx) == {"work": {"waiting": 1600}}
        assert len(await read.list_jobs(tx, "work", "host:3.example", "waiting", 10)) == 10
        hosts = await hosts_of.list_hosts(tx, 100)
        assert (len(hosts), sum(row.waiting for row in hosts), sum(row.leased for row in hosts)) == (40, 1600, 0)
        (host,) = await hosts_of.show_host(tx, "3.example")
        assert host.waiting == 40
        with pytest.raises(NotFound):
            await read.show(tx, 10_000_000)
        with pytest.raises(NotFound):
            await hosts_of.show_host(tx, "nobody.example")


async def test_the_first_that_is_new_of_an_order_waits_for_nothing_and_the_others_for_it(database: Database) -> None:
    async with database.write() as tx:
        await put(tx, [NewJob("work", "there", {"n": 0}, dedupe_key="there")])
        # One that is there already, and whatever stands behind it in its order, among more than one statement holds.
        jobs = [NewJob("work", f"lane{n}", {"n": n}, ordering_key=f"order {n}", dedupe_key=f"a{n}") for n in range(600)]
        behind = [NewJob("work", f"lane{n}", {"n": n}, ordering_key=f"order {n}", dedupe_key=f"b{n}") for n in (1, 599)]
        known = NewJob("work", "there", {"n": 0}, ordering_key="order 600", dedupe_key="there")
        after = NewJob("work", "there", {"n": 601}, ordering_key="order 600", dedupe_key="b600")
        assert await put(tx, [*jobs, *behind, known, after]) == 603
    async with database.write() as tx:
        await put(tx, [NewJob("work", "lane2", {"n": 2}, ordering_key="order 2")])
    async with database.read() as tx:
        rows = await tx.all(select(table).order_by(table.c.id))
    assert {row.dedupe_key for row in rows if row.state != "waiting"} == {"b1", "b599", None}
    assert {row.state for row in rows} == {"waiting", "blocked"}
    assert {row.created_at for row in rows if row.run_at != row.created_at} == set()


async def test_a_key_for_while_it_waits_asks_for_a_key_and_no_order(database: Database) -> None:
    async with database.write() as tx:
        with pytest.raises(ValueError, match="dedupe key"):
            await put(tx, [NewJob("work", "work", unique_while_waiting=True)])
        with pytest.raises(ValueError, match="ordering key"):
            await put(tx, [NewJob("work", "work", dedupe_key="a", ordering_key="b", unique_while_waiting=True)])


async def test_what_follows_from_facts_about_one_thing_is_done_in_their_order(database: Database) -> None:
    done: list[str] = []

    async def first(_tx: Transaction, job: Job, _fetched: Any, _now: float) -> Outcome:
        if job.attempt == 1:
            return Retry(0.0, "not yet")
        done.append(job.kind)
        return Done()

    async def then(_tx: Transaction, job: Job, _fetched: Any, _now: float) -> None:
        done.append(job.kind)

    async with database.write() as tx:
        await put_fact(tx, PostPublished(7, "followers"), about="post 7")
    async with database.write() as tx:
        await put_fact(tx, FollowAsked(7), about="post 7")
        await put_fact(tx, FollowAsked(8), about="post 8")
    kinds = [JobKind("post_published", write=first), JobKind("follow_asked", write=then)]
    with anyio.fail_after(60):
        await Worker(database, {kind.name: kind for kind in kinds}).drain()
    assert sorted(done) == ["follow_asked", "follow_asked", "post_published"]
    assert done.index("post_published") < len(done) - 1 - done[::-1].index("follow_asked")
