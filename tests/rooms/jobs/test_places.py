"""Who holds a place of a process: the counting, without a database."""

from hypothesis import given
from hypothesis import strategies as st

from privapub.jobs.job import Done, Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.places import Places, Run


async def _done(_job: Job) -> Outcome:
    return Done()


SEND = JobKind("send", fetch=_done, at_once=4, failing_at_once=2, aside_after=1.0, aside_at_once=3)
OTHER = JobKind("other", fetch=_done, at_once=2)


def run(number: int, *, kind: JobKind = SEND, failing: bool = False, began_at: float = 0.0) -> Run:
    job = Job(number, kind.name, f"host:{number}", {}, 1, "s", "", 0.0, 0.0, 0.0, failing=failing)
    return Run(job, kind, 120.0, 40.0, began_at=began_at)


def free(places: Places) -> dict[str, tuple[int, int]]:
    return {slot.kind.name: (slot.free, slot.failing) for slot in places.free()}


def test_a_place_that_is_taken_is_given_back_once() -> None:
    places, one, failing = Places([SEND, OTHER]), run(1), run(2, failing=True)
    places.take(one)
    places.take(failing)
    assert free(places) == {"send": (2, 1), "other": (2, 2)}
    assert places.handling == 2
    places.give_back(failing)
    places.give_back(one)
    assert free(places) == {"send": (4, 2), "other": (2, 2)}
    assert places.handling == 0


def test_the_oldest_step_aside_while_any_may_and_never_one_that_fails() -> None:
    places, runs = Places([SEND]), [run(n, began_at=n / 10, failing=n == 0) for n in range(4)]
    for each in runs:
        places.take(each)
    assert not places.step_aside(SEND, runs, now=0.9)
    assert places.step_aside(SEND, runs, now=1.15)
    assert [each.aside for each in runs] == [False, True, False, False]
    assert free(places) == {"send": (1, 1)}
    for each in (run(n, began_at=1.2) for n in range(4, 6)):
        runs.append(each)
        places.take(each)
    assert places.step_aside(SEND, runs, now=9.0)
    assert sum(each.aside for each in runs) == SEND.aside_at_once


def test_only_what_is_busy_makes_it_crowded() -> None:
    places = Places([SEND, OTHER])
    assert not places.crowded()
    runs = [run(n) for n in range(3)]
    for each in runs[:2]:
        places.take(each)
    assert not places.crowded()
    assert places.half_free(SEND)
    places.take(runs[2])
    assert places.crowded()
    assert not places.half_free(SEND)


@given(st.lists(st.tuples(st.sampled_from(["take", "fail", "end", "wait"]), st.integers(0, 5)), max_size=60))
def test_whatever_happens_no_place_is_lost_nor_made(steps: list[tuple[str, int]]) -> None:
    places, running, now = Places([SEND]), list[Run](), 0.0
    for number, (step, which) in enumerate(steps):
        now += 0.4
        slots = places.free()
        if step in ("take", "fail") and slots and (step == "take" or slots[0].failing > 0):
            running.append(run(number, failing=step == "fail", began_at=now))
            places.take(running[-1])
        elif step == "end" and running:
            places.give_back(running.pop(which % len(running)))
        elif step == "wait":
            places.step_aside(SEND, running, now)
        aside = sum(each.aside for each in running)
        assert aside <= SEND.aside_at_once
        assert places.handling == len(running)
        taken = SEND.at_once - sum(slot.free for slot in places.free())
        assert taken == len(running) - aside <= SEND.at_once
