"""Questions that come at the same time, answered in one go."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Reply = TypeVar("Reply")


class Together(Generic[Question, Reply]):
    """Answers one batch after another; what is asked while one is answered makes the next."""

    def __init__(self, answer: Callable[[Sequence[Question]], Awaitable[Sequence[Reply]]], at_a_time: int) -> None:
        """`answer` gives a reply for each question, in their order; what it raises is raised to all of its batch."""
        self._answer, self._at_a_time = answer, at_a_time
        self._asked: list[tuple[Question, asyncio.Future[Reply]]] = []
        self._answering: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Reply:
        """The reply to this question, with those of all that are asked now."""
        told: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked.append((question, told))
        if self._answering is None:
            self._answering = asyncio.create_task(self._answer_all())
        return await told

    async def _answer_all(self) -> None:
        try:
            while self._asked:
                batch, self._asked = self._asked[: self._at_a_time], self._asked[self._at_a_time :]
                waiting = [told for _, told in batch]
                try:
                    replies = await self._answer([question for question, _ in batch])
                except Exception as error:  # noqa: BLE001 - it is raised where the questions were asked
                    for told in waiting:
                        if not told.done():
                            told.set_exception(error)
                else:
                    for told, reply in zip(waiting, replies, strict=True):
                        if not told.done():
                            told.set_result(reply)
        finally:
            self._answering = None
