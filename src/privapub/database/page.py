"""Long lists read in parts: which part is asked for, and what comes of it. Keyed by numbers that sort by time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import BigInteger, ColumnElement, bindparam
from sqlalchemy.sql import Select

T = TypeVar("T")
ROUNDS = 5


class Shape(NamedTuple):
    """Which numbers a window has. To make a large statement costs more than to ask it: it is made once a shape."""

    before: bool
    after: bool
    just_after: bool

    def of(self, statement: Select[Any], column: ColumnElement[int]) -> Select[Any]:
        """The statement for a window of this shape, whose `values` are given when it is asked."""
        if self.before:
            statement = statement.where(column < bindparam("before", type_=BigInteger))
        if self.after:
            statement = statement.where(column > bindparam("after", type_=BigInteger))
        if self.just_after:
            statement = statement.where(column > bindparam("just_after", type_=BigInteger)).order_by(column.asc())
        else:
            statement = statement.order_by(column.desc())
        return statement.limit(bindparam("limit", type_=BigInteger))


@dataclass(frozen=True)
class Window:
    """Which part of a list, newest first: at most `limit` things.

    `before`: older than this one; `after`: the newest that are newer than this one; `just_after`: those that come
    right after this one. The numbers are those of `Page`; they may be of things that are gone.
    """

    before: int | None = None
    after: int | None = None
    just_after: int | None = None
    limit: int = 20

    def of(self, statement: Select[Any], column: ColumnElement[int]) -> Select[Any]:
        """The statement for this part of the list that is in the order of `column`."""
        given = {name: value for name, value in self.values.items() if value is not None}
        return self.shape.of(statement, column).params(given)

    @property
    def shape(self) -> "Shape":
        """Which of its numbers are given."""
        return Shape(self.before is not None, self.after is not None, self.just_after is not None)

    @property
    def values(self) -> dict[str, int | None]:
        """Its numbers, for a statement that was made for its shape."""
        return {"before": self.before, "after": self.after, "just_after": self.just_after, "limit": self.limit}

    def beyond(self, key: int, limit: int) -> "Window":
        """What comes next in the same direction, after the thing of this key."""
        if self.just_after is not None:
            return Window(self.before, self.after, key, limit)
        return Window(key, self.after, None, limit)


@dataclass(frozen=True)
class Page(Generic[T]):
    """A part of a list, newest first.

    `older` is what to ask for with `before`, None where there is nothing older; `newer` with `just_after`, None where
    the part is empty.
    """

    items: tuple[T, ...] = ()
    older: int | None = None
    newer: int | None = None


def page_of(window: Window, items: Sequence[T], key: Callable[[T], int]) -> Page[T]:
    """The page of what a statement of the window gave, in its order."""
    return _page(window, items, [key(item) for item in items], more=len(items) >= window.limit)


async def gather(window: Window, look: Callable[[Window], Awaitable[Sequence[tuple[int, T | None]]]]) -> Page[T]:
    """The page of things of which some are not shown: `look` gives each one's key, and None for one that is not.

    It is asked again, a few times at most, until there are as many as are wanted: a page may be short, and yet there is
    something older.
    """
    found: list[T] = []
    seen: list[int] = []
    part, more = window, True
    for _ in range(ROUNDS):
        rows = await look(part)
        for key, thing in rows:
            if len(found) == window.limit:
                break
            seen.append(key)
            if thing is not None:
                found.append(thing)
        left_over = len(seen) > 0 and len(rows) > 0 and seen[-1] != rows[-1][0]
        more = left_over or len(rows) >= part.limit
        if len(found) == window.limit or not more:
            break
        part = part.beyond(rows[-1][0], window.limit)
    return _page(window, found, seen, more=more)


def _page(window: Window, items: Sequence[T], seen: Sequence[int], *, more: bool) -> Page[T]:
    if not seen:
        return Page()
    if window.just_after is not None:
        return Page(tuple(reversed(items)), older=seen[0], newer=seen[-1])
    return Page(tuple(items), older=seen[-1] if more else None, newer=seen[0])
