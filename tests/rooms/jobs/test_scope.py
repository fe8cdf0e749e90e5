"""Two scopes in one database, with the same keys, lanes and kinds: neither ever touches or sees the other's."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from sqlalchemy import Table, select, update

from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.jobs import hosts, pause, read, reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry, topic
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, release, renew
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.tables import job, lane
from privapub.jobs.wake import hear_others
from privapub.jobs.worker import Worker

OURS, THEIRS = "ours", "theirs"
HOST = "host:a.example"


async def done(_job: Job) -> Outcome:
    return Done()


SEND = JobKind("send", fetch=done, per_lane=2, breaker=True, hold=3600.0, attempts=2)
KINDS = {"send": SEND}
JOBS = (
    NewJob("send", HOST, {"n": 1}, dedupe_key="once"),
    NewJob("send", HOST, {"n": 2}, ordering_key="order"),
    NewJob("send", HOST, {"n": 3}, ordering_key="order"),
    NewJob("send", HOST, {"n": 4}, dedupe_key="waiting", unique_while_waiting=True),
)


@dataclass
class Queue:
    """The queue of one scope."""

    database: Database
    scope: str

    async def rows(self) -> list[tuple[Any, ...]]:
        """Everything that it is made of."""
        async with self.database.read() as tx:
            found = [
                tuple(row) for row in await tx.all(select(job).where(job.c.scope == self.scope).order_by(job.c.id))
            ]
            lanes = select(lane).where(lane.c.scope == self.scope).order_by(lane.c.kind, lane.c.lane)
            return found + [tuple(row) for row in await tx.all(lanes)]

    async def ids(self, *states: str) -> list[int]:
        async with self.database.read() as tx:
            wanted = select(job.c.id).where(job.c.scope == self.scope).order_by(job.c.id)
            return [row[0] for row in await tx.all(wanted.where(job.c.state.in_(states)) if states else wanted)]

    async def put(self, *jobs: NewJob) -> int:
        async with self.database.write() as tx:
            return await put(tx, jobs, scope=self.scope)

    async def lease(self, *, alone: bool = False) -> list[Job]:
        found = await lease(self.database, [Slot(SEND, 8, 8)], f"stamp of {self.scope}", scope=self.scope, alone=alone)
        return found.jobs

    async def end(self, outcome: Outcome) -> None:
        """Lease what there is, and end it so."""
        leased = await self.lease()
        async with self.database.write() as tx:
            await finish(tx, KINDS, [(each, outcome) for each in leased], await moment(tx), scope=self.scope)

    async def say(self, table: Table, **values: Any) -> None:
        """Write this into every row of the scope."""
        async with self.database.write() as tx:
            await tx.execute(update(table).where(table.c.scope == self.scope).values(**values))


async def _now(database: Database) -> float:
    async with database.read() as tx:
        return await moment(tx)


Step = Callable[[Queue], Awaitable[Any]]


async def nothing(_queue: Queue) -> None:
    return


async def leased(queue: Queue) -> None:
    assert await queue.lease()


async def expired(queue: Queue) -> None:
    await leased(queue)
    await queue.say(job, lease_until=1.0)


async def must_run_alone(queue: Queue) -> None:
    await expired(queue)
    assert await reaper.reap(queue.database, KINDS, scope=queue.scope) == 2


async def died_twice(queue: Queue) -> None:
    await expired(queue)
    await queue.say(job, attempt=2)


async def ended(queue: Queue) -> None:
    await queue.end(GiveUp("no"))


async def ended_long_ago(queue: Queue) -> None:
    await ended(queue)
    async with queue.database.write() as tx:
        over = job.c.scope == queue.scope, job.c.finished_at.is_not(None)
        await tx.execute(update(job).where(*over).values(finished_at=1.0))


async def stranded(queue: Queue) -> None:
    await queue.say(lane, next_at=None)


async def forgotten(queue: Queue) -> None:
    """What was blocked waits for nothing any more."""
    async with queue.database.write() as tx:
        first = job.c.scope == queue.scope, job.c.ordering_key == "order", job.c.state == "waiting"
        await tx.execute(update(job).where(*first).values(state="cancelled", finished_at=await moment(tx)))


async def quarantined(queue: Queue) -> None:
    until = await _now(queue.database) + 3600
    await queue.say(lane, fails=10, opened_at=1.0, open_until=until, quarantine=3600.0, next_at=until)


async def old(queue: Queue) -> None:
    await queue.say(job, created_at=1.0)


async def not_heard_of(queue: Queue) -> None:
    async with queue.database.write() as tx:
        await read.cancel_all(tx, await queue.ids(), 1.0)
    await queue.say(lane, heard_at=1.0, next_at=None)


async def paused(queue: Queue) -> None:
    await queue.say(job, state="paused")
    await queue.say(lane, next_at=None)


async def renewed(queue: Queue) -> None:
    held = await queue.lease()
    await queue.say(job, lease_until=await _now(queue.database) + 1)
    async with queue.database.write() as tx:
        assert await renew(tx, held) == {each.id for each in held}


async def released(queue: Queue) -> None:
    held = await queue.lease()
    async with queue.database.write() as tx:
        assert await release(tx, held, scope=queue.scope) == {each.id for each in held}
        await put(tx, [NewJob("send", "host:b.example")], scope=queue.scope)


async def in_transaction(queue: Queue, verb: Callable[[Transaction, float], Awaitable[Any]]) -> Any:
    async with queue.database.write() as tx:
        return await verb(tx, await moment(tx))


VERBS: dict[str, tuple[Step, Step]] = {
    "put": (nothing, lambda q: q.put(NewJob("send", HOST, dedupe_key="other"), *JOBS)),
    "put what waits for its running twin": (leased, lambda q: q.put(JOBS[3])),
    "lease": (nothing, Queue.lease),
    "lease alone": (must_run_alone, lambda q: q.lease(alone=True)),
    "renew": (nothing, renewed),
    "release": (nothing, released),
    "done": (nothing, lambda q: q.end(Done())),
    "give up": (nothing, lambda q: q.end(GiveUp("no"))),
    "retry later": (nothing, lambda q: q.end(Retry(60, "busy"))),
    "leave the lane alone": (nothing, lambda q: q.end(Retry(60, "busy", whole_lane=True))),
    "fail": (nothing, lambda q: q.end(Retry(None, "timeout", heard=False))),
    "reap": (expired, lambda q: reaper.reap(q.database, KINDS, scope=q.scope)),
    "reap for good": (died_twice, lambda q: reaper.reap(q.database, KINDS, scope=q.scope)),
    "give up what waited too long": (old, lambda q: reaper.give_up_waiting(q.database, KINDS, scope=q.scope)),
    "repair a lane": (stranded, lambda q: reaper.repair(q.database, scope=q.scope)),
    "repair an order": (forgotten, lambda q: reaper.repair(q.database, scope=q.scope)),
    "prune": (ended_long_ago, lambda q: reaper.prune(q.database, scope=q.scope)),
    "prune hosts": (
        not_heard_of,
        lambda q: in_transaction(q, lambda tx, now: hosts.prune(tx, now, scope=q.scope)),
    ),
    "a host wrote": (
        quarantined,
        lambda q: in_transaction(q, lambda tx, now: hosts.wrote(tx, "send", [HOST], now, scope=q.scope)),
    ),
    "try a host": (
        quarantined,
        lambda q: in_transaction(q, lambda tx, now: hosts.try_host(tx, "a.example", now, scope=q.scope)),
    ),
    "forget a host": (
        quarantined,
        lambda q: in_transaction(q, lambda tx, _: hosts.forget_host(tx, "a.example", scope=q.scope)),
    ),
    "resume": (paused, lambda q: in_transaction(q, lambda tx, _: pause.resume(tx, scope=q.scope))),
    "drain": (nothing, lambda q: Worker(q.database, KINDS, scope=q.scope).drain()),
}


@pytest.fixture
async def queues(database: Database) -> tuple[Queue, Queue]:
    """Ours and theirs, filled alike; theirs first, so that nothing of ours is older."""
    both = Queue(database, OURS), Queue(database, THEIRS)
    for queue in reversed(both):
        assert await queue.put(*JOBS) == len(JOBS)
    return both


@pytest.mark.parametrize("verb", VERBS)
async def test_a_verb_of_one_scope_changes_and_wakes_nothing_of_another(queues: tuple[Queue, Queue], verb: str) -> None:
    ours, theirs = queues
    prepare, act = VERBS[verb]
    woken: list[str] = []
    with anyio.fail_after(60):
        await prepare(theirs)
        await prepare(ours)
        before = await ours.rows(), await theirs.rows()
        for scope in (OURS, THEIRS, ""):
            ours.database.listen(topic(scope), lambda scope=scope: woken.append(scope))  # type: ignore[misc]  # the scope of its own round
        await act(ours)
        assert await ours.rows() != before[0], "it did something"
        assert await theirs.rows() == before[1]
        assert set(woken) <= {OURS}
        await act(theirs)
        assert await theirs.rows() != before[1], "and does the same for them"


async def test_equal_keys_of_two_scopes_are_strangers(queues: tuple[Queue, Queue]) -> None:
    ours, theirs = queues
    await theirs.end(Done())
    assert await ours.put(JOBS[0]) == 0, "it is there in this scope"
    assert await theirs.put(JOBS[0]) == 0, "and was there in that one"
    assert (await ours.put(JOBS[3]), await theirs.put(JOBS[3])) == (0, 1), "its twin waits here, and has ended there"
    other = Queue(ours.database, "third")
    assert await other.put(*JOBS) == len(JOBS)
    assert len(await other.ids("blocked")) == 1, "the second of an order waits for the first of its own scope"
    async with ours.database.write() as tx:
        await read.cancel_all(tx, await other.ids("waiting"), await moment(tx))
    assert len(await other.ids("blocked")) == 0
    assert len(await ours.ids("blocked")) == 1


async def test_the_limit_of_a_lane_is_a_scope_s_own(queues: tuple[Queue, Queue]) -> None:
    ours, theirs = queues
    assert (len(await ours.lease()), len(await ours.lease())) == (2, 0)
    assert (len(await theirs.lease()), len(await theirs.lease())) == (2, 0)
    assert {each.scope for each in await Queue(ours.database, "").lease()} == set()


async def test_a_look_for_jobs_tells_nothing_of_another_scope(queues: tuple[Queue, Queue]) -> None:
    _, theirs = queues
    await must_run_alone(theirs)
    await theirs.put(NewJob("send", HOST, run_at=await _now(theirs.database) + 60))
    found = await lease(theirs.database, [Slot(SEND, 8, 8)], "a stamp", scope="third")
    assert (found.jobs, found.next_at, found.alone_waits) == ([], None, False)
    seen = await lease(theirs.database, [Slot(SEND, 0, 0)], "another", scope=THEIRS)
    assert seen.alone_waits


async def test_listing_shows_one_scope(queues: tuple[Queue, Queue]) -> None:
    ours, theirs = queues
    await theirs.put(NewJob("send", "host:b.example"))
    await ended(theirs)
    await quarantined(theirs)
    async with ours.database.read() as tx:
        assert {row.id for row in await read.list_jobs(tx, scope=OURS)} == set(await ours.ids())
        assert {row.id for row in await read.list_jobs(tx, state="failed", scope=OURS)} == set()
        assert await read.chosen(tx, read.Filter(), scope=OURS) == await ours.ids()
        assert await read.counts(tx, scope=OURS) == {"send": {"blocked": 1, "waiting": 3}}
        assert await read.given_up(tx, "send", 0.0, scope=OURS) == []
        assert [(row.lane, row.waiting, row.fails) for row in await hosts.list_hosts(tx, scope=OURS)] == [(HOST, 3, 0)]
        assert len(await hosts.show_host(tx, "a.example", scope=OURS)) == 1
        assert await hosts.left_alone(tx, scope=OURS) == []
        with pytest.raises(NotFound):
            await hosts.show_host(tx, "b.example", scope=OURS)
        assert len(await hosts.left_alone(tx, scope=THEIRS)) == 2
        assert await read.given_up(tx, "send", 0.0, scope=THEIRS) != []
        assert await pause.count(tx, scope=OURS) == 0
    await paused(theirs)
    async with ours.database.read() as tx:
        assert (await pause.count(tx, scope=OURS), await pause.count(tx, scope=THEIRS) > 0) == (0, True)


@pytest.mark.parametrize("state", [nothing, expired, stranded, ended_long_ago, old, not_heard_of, quarantined])
async def test_a_worker_of_one_scope_leaves_the_rows_of_another_alone(queues: tuple[Queue, Queue], state: Step) -> None:
    ours, theirs = queues
    await state(theirs)
    before = await theirs.rows()
    worker = Worker(ours.database, KINDS, scope=OURS, poll=0.05, reap_every=0.05)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(worker.run)
            await all_gone(ours, "waiting", "blocked", "leased")
            await pruned_by_the_worker(ours)
            worker.stop()
    assert await theirs.rows() == before


async def all_gone(queue: Queue, *states: str) -> None:
    while await queue.ids(*states):  # noqa: ASYNC110 - it is the database that is looked at
        await asyncio.sleep(0.02)


async def pruned_by_the_worker(queue: Queue) -> None:
    """Wait until the chores have been done once more: what ended long ago goes then."""
    await queue.say(job, finished_at=1.0)
    await all_gone(queue)


async def test_who_waits_for_one_scope_is_not_woken_by_another_process_that_puts_into_another(
    postgresql_url: str,
) -> None:
    here, there = Database(postgresql_url), Database(postgresql_url)
    heard, ready = asyncio.Event(), asyncio.Event()
    told: list[str] = []
    here.listen(topic(OURS), heard.set)
    here.listen(topic(THEIRS), lambda: told.append(THEIRS))
    with anyio.fail_after(60):
        hearing = asyncio.create_task(hear_others(here, topic(OURS), ready))
        await ready.wait()
        heard.clear()
        await Queue(there, OURS).put(JOBS[0])
        await heard.wait()
        assert told == []
        hearing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await hearing
    await here.close()
    await there.close()


@pytest.mark.parametrize("table", [job, lane], ids=lambda table: table.name)
def test_every_index_is_led_by_the_scope(table: Table) -> None:
    assert len(table.indexes) >= 2
    assert {index.name for index in table.indexes if next(iter(index.columns)).name != "scope"} == set()


def test_a_lane_s_key_is_led_by_the_scope() -> None:
    assert next(iter(lane.primary_key.columns)).name == "scope"
