"""Under any interleaving the queue does what its model does, and a job is in one state from which its path ends."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from agreements.queues import ModelQueue, Queue, RealQueue, new, numbers
from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.jobs import breaker
from privapub.jobs.job import STATES, Done, GiveUp, Job, Outcome, Retry

LANES = st.sampled_from(["host:a.example", "host:b.example", "host:c.example"])
# Times are such that no sum of steps meets the length of a lease or of a wait exactly.
STEPS = st.sampled_from([20, 60, 120, 5000, 8 * 86400])
HEARD = st.sampled_from([True, False, False, None])
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(Done, heard=HEARD),
    st.builds(GiveUp, st.just("no"), heard=HEARD),
    st.builds(
        Retry,
        st.sampled_from([30.0, 90.0]),
        st.just("again"),
        spends_attempt=st.booleans(),
        whole_lane=st.booleans(),
        heard=HEARD,
    ),
)
KEYS = st.one_of(
    st.just({}),
    st.builds(lambda key: {"dedupe_key": key}, st.just("x")),
    st.builds(lambda key: {"dedupe_key": key, "unique_while_waiting": True}, st.just("p")),
    st.builds(lambda key: {"ordering_key": key}, st.sampled_from(["o", "q"])),
    st.just({"ordering_key": "o"}),
    st.builds(lambda part: {"ordering_key": "o", "part": part}, st.sampled_from(["first", "last"])),
    st.just({"trigger": "request"}),
)


class Agreement(RuleBasedStateMachine):
    """Each step is taken on the real queue and on the model, and must show the same."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.database = Database(url)
        self.real: Queue = RealQueue(self.database, scope=identifiers.token())
        self.model: Queue = ModelQueue()
        self.count = 0
        self.leases: list[tuple[Job, Job]] = []  # the real one and the model's, stale ones too

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()
        clock.reset()

    def both(self, verb: str, *values: Any) -> Any:
        async def ask() -> tuple[Any, Any]:
            async with asyncio.timeout(30):
                return await getattr(self.real, verb)(*values), await getattr(self.model, verb)(*values)

        real, model = self.runner.run(ask())
        if verb in ("lease", "lease_alone"):
            assert numbers(real) == numbers(model)
            by_number = {job.args["n"]: job for job in model}
            self.leases += [(job, by_number[job.args["n"]]) for job in real]
        else:
            assert real == model, verb
        return real

    def on_leases(self, verb: str, indexes: list[int], outcomes: list[Outcome] | None = None) -> None:
        recent = self.leases[-8:]
        chosen = [recent[index % len(recent)] for index in dict.fromkeys(indexes)]
        chosen = list({pair[0].id: pair for pair in chosen}.values())

        def arguments(side: int) -> list[Any]:
            jobs = [pair[side] for pair in chosen]
            if outcomes is not None:
                return list(zip(jobs, outcomes, strict=False))
            return [jobs] if verb == "renew" else jobs

        async def ask() -> tuple[Any, Any]:
            async with asyncio.timeout(30):
                return await getattr(self.real, verb)(*arguments(0)), await getattr(self.model, verb)(*arguments(1))

        real, model = self.runner.run(ask())
        assert real == model, verb

    @rule(jobs=st.lists(st.tuples(LANES, KEYS), min_size=1, max_size=3))
    def put(self, jobs: list[tuple[str, dict[str, Any]]]) -> None:
        wanted = []
        for lane, values in jobs:
            self.count += 1
            # Jobs of one key go to one place, as an activity's copies for one inbox do.
            keyed = values.get("dedupe_key") or values.get("ordering_key")
            wanted.append(new(self.count, f"host:{keyed}.example" if keyed else lane, **values))
        self.both("put", *wanted)

    @rule(free=st.sampled_from([8, 16]))
    def lease(self, free: int) -> None:
        self.both("lease", free)

    @rule(outcome=OUTCOMES)
    def work_through(self, outcome: Outcome) -> None:
        before = len(self.leases)
        self.both("lease", 8)
        if len(self.leases) > before:
            self.on_leases("finish", list(range(8)), [outcome] * 8)

    @rule()
    def lease_alone(self) -> None:
        self.both("lease_alone")

    @rule(seconds=STEPS)
    def time_passes(self, seconds: float) -> None:
        clock.advance(seconds)

    @rule()
    def reap(self) -> None:
        self.both("reap")

    @rule()
    def give_up_waiting(self) -> None:
        self.both("give_up_waiting")

    @rule(lane=LANES, verb=st.sampled_from(["wrote", "try_host", "forget_host"]))
    def something_of_a_host(self, lane: str, verb: str) -> None:
        self.both(verb, lane)

    @rule()
    def prune(self) -> None:
        self.both("prune")

    @precondition(lambda self: self.leases)
    @rule(
        indexes=st.lists(st.integers(0, 7), min_size=3, max_size=3),
        outcomes=st.lists(OUTCOMES, min_size=3, max_size=3),
    )
    def finish(self, indexes: list[int], outcomes: list[Outcome]) -> None:
        self.on_leases("finish", indexes, outcomes)

    @precondition(lambda self: self.leases)
    @rule(indexes=st.lists(st.integers(0, 7), min_size=1, max_size=4))
    def renew(self, indexes: list[int]) -> None:
        self.on_leases("renew", indexes)

    @precondition(lambda self: self.leases)
    @rule(indexes=st.lists(st.integers(0, 7), min_size=1, max_size=2))
    def release(self, indexes: list[int]) -> None:
        self.on_leases("release", indexes)

    @precondition(lambda self: self.count)
    @rule(n=st.integers(1, 100))
    def cancel(self, n: int) -> None:
        self.both("cancel", n % self.count + 1)

    @precondition(lambda self: self.count)
    @rule(n=st.integers(1, 100))
    def retry(self, n: int) -> None:
        self.both("retry", n % self.count + 1)

    @invariant()
    def they_show_the_same_and_no_lane_forgets_a_job(self) -> None:
        async def look() -> tuple[Any, Any, int]:
            real = await self.real.rows(), await self.real.health()
            return real, (await self.model.rows(), await self.model.health()), await self.real.repair()

        (real, health), model, forgotten = self.runner.run(look())
        assert (real, health) == model
        assert {seen.state for seen in real.values()} <= set(STATES)
        assert forgotten == 0


async def test_the_queue_does_what_its_model_does(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaker, "FAILURES", 3)  # ten in a row are seldom met by chance
    await asyncio.to_thread(
        run_state_machine_as_test,
        lambda: Agreement(database_url),
        settings=settings(
            max_examples=20,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],  # shrinking dozens of transactions takes minutes
        ),
    )
