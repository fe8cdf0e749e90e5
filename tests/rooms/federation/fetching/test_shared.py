"""One fetch for all who want the same thing at once."""

import asyncio
from typing import cast

import pytest

from privapub import clock
from privapub.federation.fetching import shared as flights
from privapub.federation.fetching.shared import shared
from privapub.outbound.client import Door


class _Door:
    """Something to hold the memory by."""


class Origin:
    """Counts what it is asked, and answers when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.stopped = 0
        self.may_answer = asyncio.Event()
        self.problem: Exception | None = None

    async def fetch(self) -> str:
        self.asked += 1
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if self.problem:
            raise self.problem
        return f"answer {self.asked}"


@pytest.fixture
def door() -> Door:
    return cast(Door, _Door())


@pytest.fixture
async def origin() -> Origin:
    return Origin()


def waiting(door: Door, origin: Origin, count: int, name: str = "x") -> list[asyncio.Task[str]]:
    async def one() -> str:
        return await shared(door, name, origin.fetch)

    return [asyncio.create_task(one()) for _ in range(count)]


async def begun() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_many_who_ask_at_once_ask_once(door: Door, origin: Origin) -> None:
    tasks = waiting(door, origin, 50)
    await begun()
    origin.may_answer.set()
    assert set(await asyncio.gather(*tasks)) == {"answer 1"}
    assert origin.asked == 1


async def test_another_name_or_another_door_is_another_question(door: Door, origin: Origin) -> None:
    origin.may_answer.set()
    await asyncio.gather(*waiting(door, origin, 2), *waiting(door, origin, 2, "y"))
    await asyncio.gather(*waiting(cast(Door, _Door()), origin, 2))
    assert origin.asked == 3


async def test_who_comes_a_moment_later_gets_the_same_and_who_comes_late_does_not(door: Door, origin: Origin) -> None:
    origin.may_answer.set()
    for seconds, answer in ((0.0, "answer 1"), (flights.LINGERS - 1, "answer 1"), (1.0, "answer 2")):
        clock.advance(seconds)
        assert await shared(door, "x", origin.fetch) == answer


async def test_a_failure_is_everybodys_and_is_not_given_again(door: Door, origin: Origin) -> None:
    origin.problem = ValueError("no")
    tasks = waiting(door, origin, 3)
    await begun()
    origin.may_answer.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(each) for each in results] == ["no", "no", "no"]
    assert origin.asked == 1
    origin.problem = None
    assert await shared(door, "x", origin.fetch) == "answer 2"


async def test_who_gives_up_stops_nobody_else(door: Door, origin: Origin) -> None:
    first, second = waiting(door, origin, 2)
    await begun()
    first.cancel()
    await asyncio.wait([first])
    origin.may_answer.set()
    assert await second == "answer 1"
    assert origin.stopped == 0


async def test_a_fetch_for_which_nobody_waits_is_stopped(door: Door, origin: Origin) -> None:
    tasks = waiting(door, origin, 2)
    await begun()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await begun()
    assert origin.stopped == 1
    origin.may_answer.set()
    assert await shared(door, "x", origin.fetch) == "answer 2"


async def test_no_more_than_a_few_linger(door: Door, origin: Origin) -> None:
    origin.may_answer.set()
    for number in range(flights.MOST_LINGERING + 5):
        await shared(door, str(number), origin.fetch)
    asked = origin.asked
    await shared(door, str(flights.MOST_LINGERING), origin.fetch)
    assert origin.asked == asked
    await shared(door, "0", origin.fetch)
    assert origin.asked == asked + 1
