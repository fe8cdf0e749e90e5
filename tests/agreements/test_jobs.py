"""What a queue promises: one suite for SQLite, for PostgreSQL and for the plain-Python model."""

from collections.abc import AsyncIterator

import pytest

from agreements.queues import Health, ModelQueue, Queue, RealQueue, new, numbers
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


async def fail(queue: Queue, times: int, lane: str = "host:a.example") -> None:
    """So many failures of a host in a row, each of a job of its own."""
    for n in range(1000, 1000 + times):
        await queue.put(new(n, lane, run_at=0))
        (job,) = await queue.lease(1)
        await queue.finish((job, Retry(1e6, "refused", heard=False)))


async def test_ten_failures_in_a_row_leave_a_host_alone_for_an_hour_then_one_probe_goes_out_alone(queue: Queue) -> None:
    await fail(queue, 9)
    assert await queue.health() == {"host:a.example": Health(9, 0.0, left_alone=False)}
    await queue.put(new(1), new(2), new(3, "host:b.example"))
    running = {job.args["n"]: job for job in await queue.lease()}
    await queue.finish((running[1], Retry(30, "refused", heard=False)), (running[3], Done(heard=True)))
    assert await queue.health() == {"host:a.example": Health(10, 3600.0, left_alone=True)}
    await queue.finish((running[2], Retry(30, "refused", heard=False)))
    assert await queue.health() == {"host:a.example": Health(10, 3600.0, left_alone=True)}, "it began before"

    clock.advance(3500)
    assert await queue.lease() == []
    clock.advance(200)
    (probe,) = await queue.lease()
    assert probe.probe
    assert await queue.lease() == [], "it goes out alone"
    attempts = probe.attempt
    await queue.finish((probe, Retry(30, "refused", heard=False)))
    assert (await queue.rows())[probe.args["n"]].attempt == attempts - 1, "a probe spends no attempt"
    assert await queue.health() == {"host:a.example": Health(11, 7200.0, left_alone=True)}

    clock.advance(7300)
    (probe,) = await queue.lease()
    await queue.finish((probe, Done(heard=True)))
    assert await queue.health() == {}
    assert len(await queue.lease()) >= 1


async def test_an_answer_resets_the_count(queue: Queue) -> None:
    await fail(queue, 9)
    await queue.put(new(1))
    (job,) = await queue.lease()
    await queue.finish((job, GiveUp("answered 404", heard=True)))
    assert await queue.health() == {}


async def test_what_says_nothing_of_the_host_counts_for_nothing(queue: Queue) -> None:
    await fail(queue, 9)
    await queue.put(new(1), new(2))
    one, two = await queue.lease()
    await queue.finish((one, Retry(30, "our fault")), (two, Retry(30, "busy", spends_attempt=False, whole_lane=True)))
    assert await queue.health() == {"host:a.example": Health(9, 0.0, left_alone=False)}


async def test_a_host_that_writes_is_probed_at_once(queue: Queue) -> None:
    await fail(queue, 10)
    await queue.put(new(1))
    assert await queue.lease() == []
    await queue.wrote("host:a.example")
    (probe,) = await queue.lease()
    assert probe.probe
    assert await queue.lease() == []
    await queue.finish((probe, Retry(30, "refused", heard=False)))
    assert await queue.health() == {"host:a.example": Health(11, 7200.0, left_alone=True)}


async def test_an_operator_tries_a_host_or_forgets_what_it_did(queue: Queue) -> None:
    assert not await queue.try_host("host:a.example")
    assert not await queue.forget_host("host:a.example")
    await fail(queue, 10)
    await queue.put(new(1), new(2))
    assert await queue.try_host("host:a.example")
    (probe,) = await queue.lease()
    assert probe.probe
    assert await queue.forget_host("host:a.example")
    assert await queue.health() == {}
    assert len(await queue.lease()) == 1, "two at a time again"


async def test_what_waited_for_thirty_days_is_given_up_and_lets_go_of_what_waited_for_it(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="o"))
    await fail(queue, 10)
    clock.advance(20 * 86400)
    await queue.put(new(2, ordering_key="o"), new(3))
    clock.advance(9 * 86400)
    assert await queue.give_up_waiting() == 0
    clock.advance(2 * 86400)
    assert await queue.give_up_waiting() == 11
    rows = await queue.rows()
    assert (rows[1].state, rows[1].why) == ("failed", "waited for 30 days")
    assert {rows[2].state, rows[3].state} == {"waiting"}
    assert await queue.give_up_waiting() == 0


async def test_a_last_job_goes_nowhere_if_the_first_never_went(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="o", part="first"))
    await queue.put(new(2, ordering_key="o"), new(3, ordering_key="other", part="first"))
    await queue.put(new(4, ordering_key="o", part="last"))
    assert await states(queue) == {1: "cancelled", 2: "cancelled", 3: "waiting", 4: "cancelled"}
    assert numbers(await queue.lease()) == [3]


async def test_a_last_job_takes_back_what_is_to_be_tried_again_and_goes_itself(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="o", part="first"))
    (job,) = await queue.lease()
    await queue.finish((job, Retry(3000, "refused")))
    await queue.put(new(2, ordering_key="o"))
    await queue.put(new(3, ordering_key="o", part="last"))
    assert await states(queue) == {1: "cancelled", 2: "cancelled", 3: "waiting"}
    assert not await queue.retry(1)


async def test_what_runs_when_its_last_job_comes_is_not_tried_again(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="o", part="first"))
    (job,) = await queue.lease()
    await queue.put(new(2, ordering_key="o", part="last"))
    assert await states(queue) == {1: "leased", 2: "blocked"}
    await queue.finish((job, Retry(3000, "refused")))
    assert await states(queue) == {1: "cancelled", 2: "waiting"}


async def test_a_story_told_again_keeps_the_end_of_the_first_one(queue: Queue) -> None:
    await queue.put(new(1, ordering_key="o", part="first"))
    (job,) = await queue.lease()
    await queue.finish((job, Done()))
    await queue.put(new(2, ordering_key="o", part="last"))
    await queue.put(new(3, ordering_key="o", part="first"))
    await queue.put(new(4, ordering_key="o", part="last"))
    assert await states(queue) == {1: "done", 2: "waiting", 3: "cancelled", 4: "cancelled"}
