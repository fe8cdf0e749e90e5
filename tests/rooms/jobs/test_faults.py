"""A crash between any two statements of what the queue does: all of it is there or nothing, and every job ends."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select, text, update

from agreements.queues import WORK, RealQueue, new
from fakes.faults import GONE, Faults, connect_again, faulty, only_one_is_left
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import ENDED, STATES, Done, GiveUp, Job, Outcome, Retry
from privapub.jobs.tables import job as jobs
from privapub.jobs.tables import lane as lanes
from privapub.jobs.worker import Worker

KILLS = int(os.environ.get("PRIVAPUB_TEST_KILLS", "15"))
LEASE = WORK.lease
A, B = "host:a.example", "host:b.example"

State = dict[str, list[Any]]


async def effect(tx: Transaction, job: Job, _fetched: Any = None, _now: float = 0.0) -> Outcome:
    await tx.execute(text("INSERT INTO made_by_test VALUES (:s, :n)").bindparams(s=job.scope, n=job.args["n"]))
    return Done()


async def recorded(tx: Transaction, pairs: Sequence[tuple[Job, Outcome]], _now: float) -> None:
    for job, outcome in pairs:
        if isinstance(outcome, Done):
            await effect(tx, job)


KINDS = {"work": replace(WORK, fetch=None, write=effect)}


@pytest.fixture
async def broken(database: Database, database_url: str) -> AsyncIterator[tuple[Database, Faults]]:
    """The same database through a connection that can be made to fail."""
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(scope TEXT, n INTEGER)"))
    opened, faults = faulty(database_url)
    yield opened, faults
    await opened.close()


def queue_of(database: Database, scope: str) -> RealQueue:
    queue = RealQueue(database, scope)
    queue.kinds = {"work": replace(WORK, record=recorded)}
    return queue


async def state(database: Database, scope: str) -> State:
    """What there is in a scope, without what differs from one time to the next."""
    now = clock.now()
    async with database.read() as tx:
        rows = await tx.all(select(jobs).where(jobs.c.scope == scope))
        places = await tx.all(select(lanes).where(lanes.c.scope == scope))
        effects = await tx.all(text("SELECT n FROM made_by_test WHERE scope = :s").bindparams(s=scope))
    return {
        "jobs": sorted(
            (
                json.loads(row.args)["n"], row.state, row.attempt, bool(row.alone), bool(row.twin), row.why or "",
                row.stamp is not None, (row.lease_until or 0.0) > now + LEASE - 10, row.first_leased_at is not None,
                row.finished_at is not None,
            )
            for row in rows
        ),
        "lanes": sorted((place.lane, place.next_at is not None, place.not_before > now) for place in places),
        "effects": sorted(row.n for row in effects),
    }  # fmt: skip


async def sound(database: Database, scope: str) -> None:
    """What holds at any moment, and what holds once lanes were looked after."""
    await queue_of(database, scope).repair()
    async with database.read() as tx:
        rows = await tx.all(select(jobs).where(jobs.c.scope == scope).order_by(jobs.c.run_at, jobs.c.id))
        places = {row.lane: row for row in await tx.all(select(lanes).where(lanes.c.scope == scope))}
    for row in rows:
        assert row.state in STATES
        assert (row.state == "leased") == (row.stamp is not None) == (row.lease_until is not None)
        assert (row.state in ENDED) == (row.finished_at is not None)
        if row.state == "waiting" and not row.alone:
            place = places[row.lane]
            assert place.next_at is not None
            assert place.next_at <= max(row.run_at, place.open_until, place.not_before)
        if row.state == "blocked":
            assert any(
                other.finished_at is None
                and other.id != row.id
                and (other.dedupe_key == row.dedupe_key if row.twin else other.ordering_key == row.ordering_key)
                for other in rows
            )


async def all_end(database: Database, scope: str) -> None:
    """Every job ends, and what a handler wrote is there once if it ended well and else not at all."""
    worker = Worker(database, KINDS, scope=scope)
    for _ in range(8):
        await queue_of(database, scope).reap()
        await worker.drain()
        async with database.read() as tx:
            left = await tx.first(select(jobs.c.id).where(jobs.c.scope == scope, jobs.c.finished_at.is_(None)))
        if left is None:
            break
        clock.advance(LEASE + 10)
    found = await state(database, scope)
    assert [row[1] for row in found["jobs"] if row[1] not in ENDED] == []
    assert len(set(found["effects"])) == len(found["effects"]), "nothing happened twice"
    for row in found["jobs"]:
        assert (row[0] in found["effects"]) == (row[1] == "done")


# What is done to a queue, and what is there before


Prepare = Callable[[RealQueue], Awaitable[Any]]
Act = Callable[[RealQueue, Any], Awaitable[Any]]


@dataclass(frozen=True)
class Verb:
    name: str
    prepare: Prepare
    act: Act


async def a_running_twin_and_a_first_of_an_order(queue: RealQueue) -> None:
    earlier = clock.now() - 1
    await queue.put(new(1, dedupe_key="p", unique_while_waiting=True, run_at=earlier), new(2, B, ordering_key="o"))
    await queue.lease(1)


async def put_many(queue: RealQueue, _: Any) -> None:
    async with queue.database.write() as tx:
        asked = [
            new(12, B, ordering_key="o"),
            new(10),
            new(11, B, ordering_key="o"),
            new(13, B, dedupe_key="once"),
            new(14, dedupe_key="p", unique_while_waiting=True),
        ]
        await put(tx, asked, scope=queue.scope)
        await put(tx, [new(15, "host:c.example")], scope=queue.scope)


async def some_wait(queue: RealQueue) -> None:
    await queue.put(*(new(n, lane) for n, lane in enumerate((A, A, A, B))))


async def one_must_run_alone(queue: RealQueue) -> None:
    await queue.put(new(1))
    await queue.lease()
    clock.advance(LEASE + 10)
    await queue.reap()


async def some_run(queue: RealQueue) -> dict[int, Job]:
    await queue.put(new(1, ordering_key="o"), new(2, dedupe_key="p", unique_while_waiting=True))
    await queue.put(new(3, B, trigger="request"), new(4, B))
    leased = {job.args["n"]: job for job in await queue.lease()}
    assert sorted(leased) == [1, 2, 3, 4]
    await queue.put(new(5, ordering_key="o"), new(6, dedupe_key="p", unique_while_waiting=True), new(7, B))
    clock.advance(20)
    return leased


async def finish_four(queue: RealQueue, leased: dict[int, Job]) -> None:
    slow = Retry(30, "slow down", spends_attempt=False, whole_lane=True)
    await queue.finish((leased[1], Done()), (leased[2], GiveUp("no")), (leased[3], Done()), (leased[4], slow))


async def numbered(queue: RealQueue, n: int) -> None:
    """Cancel it, or try it again."""


async def one_failed_before_its_next(queue: RealQueue) -> None:
    await queue.put(new(1, ordering_key="o"), new(2, B))
    await queue.finish(*((job, GiveUp("no")) for job in await queue.lease()))


async def dead_ones(queue: RealQueue) -> None:
    """One that is to be given back, and one whose attempts are spent, with one that waits for it."""
    await queue.put(new(1, ordering_key="o"), new(2, ordering_key="o"))
    for _ in range(2):
        assert await queue.lease() or await queue.lease_alone()
        clock.advance(LEASE + 10)
        await queue.reap()
    assert await queue.lease_alone()
    await queue.put(new(3, B, trigger="request"), new(4, B))
    assert len(await queue.lease()) == 2
    clock.advance(LEASE + 10)


async def old_ones(queue: RealQueue) -> None:
    await queue.put(new(1), new(2))
    await queue.finish(*((job, GiveUp("no")) for job in await queue.lease()))
    clock.advance(8 * 86400)


async def forgotten_ones(queue: RealQueue) -> None:
    """A lane that forgot what it holds, and one that waits for nobody."""
    await queue.put(new(1), new(2, B, ordering_key="o"))
    async with queue.database.write() as tx:
        await tx.execute(update(lanes).where(lanes.c.scope == queue.scope).values(next_at=None))
        await tx.execute(update(jobs).where(jobs.c.scope == queue.scope, jobs.c.lane == B).values(state="blocked"))


VERBS = (
    Verb("put", a_running_twin_and_a_first_of_an_order, put_many),
    Verb("lease", some_wait, lambda queue, _: queue.lease(2)),
    Verb("lease alone", one_must_run_alone, lambda queue, _: queue.lease_alone()),
    Verb("finish", some_run, finish_four),
    Verb("renew", some_run, lambda queue, leased: queue.renew(list(leased.values()))),
    Verb("release", some_run, lambda queue, leased: queue.release(*leased.values())),
    Verb("cancel", some_run, lambda queue, _: queue.cancel(1)),
    Verb("retry", one_failed_before_its_next, lambda queue, _: queue.retry(1)),
    Verb("reap", dead_ones, lambda queue, _: queue.reap()),
    Verb("prune", old_ones, lambda queue, _: queue.prune()),
    Verb("repair", forgotten_ones, lambda queue, _: queue.repair()),
)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
async def test_a_connection_that_dies_at_any_statement_leaves_all_of_it_or_nothing(
    verb: Verb, database: Database, broken: tuple[Database, Faults]
) -> None:
    failing, faults = broken

    async def prepared() -> tuple[str, Any]:
        scope = identifiers.token()
        return scope, await verb.prepare(queue_of(database, scope))

    scope, at_hand = await prepared()
    nothing = await state(database, scope)
    await verb.act(queue_of(database, scope), at_hand)
    everything = await state(database, scope)
    assert everything != nothing
    seen = []
    for n, after in ((n, after) for n in count(1) for after in (False, True)):
        assert n < 40, "it never ends"
        scope, at_hand = await prepared()
        assert await state(database, scope) == nothing
        await connect_again(failing)
        with faults.armed(n, after=after):
            try:
                await verb.act(queue_of(failing, scope), at_hand)
            except GONE:
                assert faults.struck, "nothing else fails"
        await only_one_is_left(database)
        found = await state(database, scope)
        if not faults.struck:
            assert found == everything
            break
        assert found in (nothing, everything), (faults.statements, after)
        await sound(database, scope)
        if KILLS > 15 or (found == everything) not in seen:  # from the same rows the same follows
            await all_end(database, scope)
        seen.append(found == everything)
    assert False in seen
    assert True in seen, "a commit of which nobody heard is one"
