"""What a queue promises: one suite for SQLite, for PostgreSQL and for the plain-Python model."""

from collections.abc import AsyncIterator

import pytest

from agreements.queues import ModelQueue, Queue, RealQueue, new, numbers
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.jobs.job import Done, GiveUp, Retry

LEASE = 110.0


@pytest.fixture(params=["model", "sqlite_url", "agreements_postgresql_url"])
def where(request: pytest.FixtureRequest) -> str | None:
    """The URL of a database, or None for the model."""
    return None if request.param == "model" else request.getfixturevalue(request.param)


@pytest.fixture
async def queue(where: str | None) -> AsyncIterator[Queue]:
    if where is None:
        yield ModelQueue()
        return
    database = Database(where)
    yield RealQueue(database, scope=identifiers.token())
    await database.close()


async def states(queue: Queue) -> dict[int, str]:
    return {n: seen.state for n, seen in (await queue.rows()).items()}


async def test_the_oldest_are_leased_first_and_two_a_lane(queue: Queue) -> None:
    now = clock.now()
    await queue.put(*(new(n, run_at=now - 100 + n) for n in range(4)))
    await queue.put(new(9, "host:b.example", run_at=now - 50))
    assert numbers(await queue.lease(2)) == [0, 1]
    assert numbers(await queue.lease()) == [9]
    assert numbers(await queue.lease()) == []
    assert await states(queue) == {0: "leased", 1: "leased", 2: "waiting", 3: "waiting", 9: "leased"}


async def test_a_slot_that_is_freed_is_used(queue: Queue) -> None:
    await queue.put(*(new(n) for n in range(4)))
    first, second = await queue.lease()
    assert await queue.lease() == []
    assert await queue.finish((first, Done())) == [first.args["n"]]
    assert len(await queue.lease()) == 1
    assert await queue.release(second) == {second.args["n"]}
    assert numbers(await queue.lease()) == [second.args["n"]], "it is the oldest again"


async def test_what_is_for_later_waits(queue: Queue) -> None:
    await queue.put(new(1, run_at=clock.now() + 60))
    assert await queue.lease() == []
    clock.advance(70)
    (job,) = await queue.lease()
    assert job.attempt == 1


async def test_every_act_on_a_lease_names_its_stamp(queue: Queue) -> None:
    await queue.put(new(1))
    (stale,) = await queue.lease()
    clock.advance(LEASE + 10)
    assert await queue.reap() == 1
    (job,) = await queue.lease_alone()
    assert job.stamp != stale.stamp
    assert await queue.renew([stale]) == set()
    assert await queue.finish((stale, GiveUp("late"))) == []
    assert await queue.release(stale) == set()
    assert (await queue.rows())[1].state == "leased"
    assert await queue.renew([job]) == {1}
    assert await queue.finish((job, Done())) == [1]
    assert await queue.finish((job, GiveUp("twice"))) == []
    assert await states(queue) == {1: "done"}


async def test_a_renewed_lease_does_not_expire(queue: Queue) -> None:
    await queue.put(new(1))
    (job,) = await queue.lease()
    for _ in range(5):
        clock.advance(LEASE - 20)
        assert await queue.renew([job]) == {1}
        assert await queue.reap() == 0
    assert await queue.finish((job, Done())) == [1]


async def test_an_expired_lease_goes_back_to_be_run_alone_and_ends_when_its_attempts_are_spent(queue: Queue) -> None:
    await queue.put(new(1), new(2))
    poison, innocent = sorted(await queue.lease(), key=lambda job: int(job.args["n"]))
    await queue.finish((innocent, Done()))
    for attempt in (1, 2, 3):
        assert poison.attempt == attempt
        clock.advance(LEASE + 10)
        assert await queue.lease_alone() == [], "it is not taken before it has been given back"
        assert await queue.reap() == 1
        assert await queue.lease() == [], "it does not run beside others"
        if attempt < 3:
            (poison,) = await queue.lease_alone()
    seen = (await queue.rows())[1]
    assert (seen.state, seen.why, seen.attempt) == ("failed", "worker died", 3)
    assert await queue.lease_alone() == []


async def test_an_expired_lease_takes_no_slot(queue: Queue) -> None:
    await queue.put(*(new(n) for n in range(4)))
    assert len(await queue.lease()) == 2
    clock.advance(LEASE + 10)
    assert len(await queue.lease()) == 2


async def test_150_long_jobs_do_not_hide_ten_dead_ones(queue: Queue) -> None:
    await queue.put(*(new(n, f"host:{n}.example") for n in range(160)))
    running = [job for _ in range(20) for job in await queue.lease()]
    assert len(running) == 160
    clock.advance(LEASE - 20)
    await queue.renew(running[:150])
    clock.advance(60)
    assert await queue.reap() == 10
    assert list((await states(queue)).values()).count("leased") == 150


async def test_a_retry_waits_and_its_attempts_are_bounded(queue: Queue) -> None:
    await queue.put(new(1))
    for attempt in (1, 2, 3):
        (job,) = await queue.lease()
        assert job.attempt == attempt
        await queue.finish((job, Retry(30, "no answer")))
        assert await queue.lease() == []
        clock.advance(40)
    seen = (await queue.rows())[1]
    assert (seen.state, seen.why) == ("failed", "no answer")


async def test_an_attempt_that_is_given_back_is_not_counted(queue: Queue) -> None:
    await queue.put(new(1))
    for _ in range(5):
        (job,) = await queue.lease()
        assert job.attempt == 1
        await queue.finish((job, Retry(30, "busy", spends_attempt=False)))
        clock.advance(40)
    assert (await queue.rows())[1].state == "waiting"


async def test_a_host_that_asks_to_wait_makes_its_whole_lane_wait(queue: Queue) -> None:
    await queue.put(*(new(n) for n in range(3)), new(9, "host:b.example"))
    leased = [job for job in await queue.lease() if job.lane == "host:a.example"]
    await queue.finish((leased[0], Retry(90, "slow down", spends_attempt=False, whole_lane=True)))
    await queue.put(new(4))
    assert await queue.lease() == []
    clock.advance(60)
    assert await queue.lease() == []
    clock.advance(40)
    assert len(await queue.lease()) == 1, "the other one of the two still runs"


async def test_a_delivery_is_queued_once_for_ever(queue: Queue) -> None:
    assert await queue.put(new(1, dedupe_key="create to inbox"), new(2, dedupe_key="create to inbox")) == 1
    assert await queue.put(new(3, dedupe_key="create to inbox")) == 0
    (job,) = await queue.lease()
    await queue.finish((job, Done()))
    assert await queue.put(new(4, dedupe_key="create to inbox"), new(5, dedupe_key="other")) == 1
    assert sorted(await states(queue)) == [job.args["n"], 5]


async def test_other_jobs_are_unique_while_they_wait_and_one_waits_for_a_running_twin(queue: Queue) -> None:
    async def ask(n: int) -> int:
        return await queue.put(new(n, dedupe_key="preview", unique_while_waiting=True))

    assert await ask(1) == 1
    assert await ask(2) == 0
    (job,) = await queue.lease()
    await ask(3)
    await ask(4)
    assert await states(queue) == {1: "leased", 3: "blocked"}
    assert await queue.lease() == []
    await queue.finish((job, Retry(30, "again")))
    assert await states(queue) == {1: "waiting", 3: "blocked"}, "it waits for the end, not for a failure"
    clock.advance(40)
    (job,) = await queue.lease()
    await queue.finish((job, Done()))
    assert await states(queue) == {1: "done", 3: "waiting"}
    assert await ask(5) == 0
    (job,) = await queue.lease()
    assert job.args["n"] == 3
    await queue.finish((job, Done()))
    assert await ask(6) == 1


async def test_jobs_of_one_order_run_one_after_the_other(queue: Queue) -> None:
    await queue.put(*(new(n, ordering_key="post 1") for n in range(2)))
    await queue.put(new(2, ordering_key="post 1"), new(7, ordering_key="post 2"))
    jobs = await queue.lease()
    assert numbers(jobs) == [0, 7]
    first = next(job for job in jobs if job.args["n"] == 0)
    await queue.finish((first, Retry(30, "again")))
    clock.advance(40)
    (first,) = await queue.lease()
    assert first.args["n"] == 0
    await queue.finish((first, GiveUp("no")))
    (second,) = await queue.lease()
    assert second.args["n"] == 1
    await queue.finish((second, Done()))
    assert numbers(await queue.lease()) == [2]


async def test_a_dead_worker_frees_the_next_of_its_order(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="post"), new(2, ordering_key="post"))
    await queue.lease()
    for _ in range(3):
        clock.advance(LEASE + 10)
        await queue.reap()
        await queue.lease_alone()
    assert await states(queue) == {1: "failed", 2: "waiting"}
    assert numbers(await queue.lease()) == [2]


async def test_of_what_a_reader_caused_no_row_remains(queue: Queue) -> None:
    await queue.put(new(1, trigger="request"), new(2, trigger="request"))
    jobs = await queue.lease()
    await queue.finish((jobs[0], Done()), (jobs[1], GiveUp("no")))
    assert await states(queue) == {}


async def test_ended_jobs_are_kept_for_seven_days(queue: Queue) -> None:
    await queue.put(new(1), new(2))
    first, _ = await queue.lease()
    await queue.finish((first, Done()))
    clock.advance(6.9 * 86400)
    assert await queue.prune() == 0
    clock.advance(0.2 * 86400)
    assert await queue.prune() == 1
    assert list((await states(queue)).values()) == ["leased"]


async def test_a_failed_job_is_tried_again_unless_a_later_one_of_its_order_is_there(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="a"), new(2, ordering_key="b"))
    jobs = await queue.lease()
    assert not await queue.retry(1), "it runs"
    await queue.finish(*((job, GiveUp("no")) for job in jobs))
    await queue.put(new(3, ordering_key="b"))
    assert await queue.retry(1)
    assert not await queue.retry(2)
    assert (await queue.rows())[1].attempt == 0
    assert numbers(await queue.lease()) == [1, 3]


async def test_a_cancelled_job_is_over_also_when_it_runs(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="a"), new(2, ordering_key="a"), new(3))
    jobs = {job.args["n"]: job for job in await queue.lease()}
    assert await queue.cancel(1)
    assert not await queue.cancel(1)
    assert await queue.renew(list(jobs.values())) == {3}
    assert await queue.finish((jobs[1], Done())) == []
    assert await states(queue) == {1: "cancelled", 2: "waiting", 3: "leased"}
