"""What an outbound request is tagged with."""

import asyncio

import pytest

from privapub import scope
from privapub.budget import Budget
from privapub.scope import HttpScope


def test_without_a_word_a_reader_caused_it() -> None:
    assert scope.current() == HttpScope("", "request")


def test_purpose_and_trigger_are_set_apart_and_taken_back() -> None:
    with scope.trigger("deliver"):
        with scope.purpose("key"):
            assert scope.current() == HttpScope("key", "deliver")
            with scope.purpose("actor"), scope.trigger(scope.VERIFY):
                assert scope.current() == HttpScope("actor", "verify")
            assert scope.current() == HttpScope("key", "deliver")
        assert scope.current() == HttpScope("", "deliver")
    with pytest.raises(ZeroDivisionError), scope.purpose("key"):
        raise ZeroDivisionError
    assert scope.current() == HttpScope()


def test_a_purpose_is_one_of_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="curiosity"), scope.purpose("curiosity"):
        pass
    assert scope.current() == HttpScope()


async def test_tasks_inherit_their_tags_and_keep_them_to_themselves() -> None:
    async def task(purpose: str, other: asyncio.Event, mine: asyncio.Event) -> HttpScope:
        with scope.purpose(purpose):
            mine.set()
            await other.wait()
            return scope.current()

    one, two = asyncio.Event(), asyncio.Event()
    with scope.trigger("context"):
        async with asyncio.timeout(10):
            found = await asyncio.gather(task("key", one, two), task("media", two, one))
    assert found == [HttpScope("key", "context"), HttpScope("media", "context")]


async def test_one_budget_is_handed_down_to_all_that_follows_and_to_nothing_else() -> None:
    async def below() -> Budget:
        return scope.budget()

    async def beside() -> Budget:
        with scope.cause(scope.READER, "context"):
            return scope.budget()

    with scope.cause("inbox", "inbox") as mine:
        with scope.purpose("key"), scope.trigger(scope.VERIFY):
            assert scope.budget() is mine
        assert await asyncio.create_task(below()) is mine
        other = await asyncio.create_task(beside())
        assert (other.objects, other.depth) == (500, 200)
        assert scope.budget() is mine
    assert scope.current().budget is None


def test_where_nothing_was_begun_there_is_a_budget_for_one_request() -> None:
    assert scope.budget() is not scope.budget()
