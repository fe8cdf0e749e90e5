"""Statements compiled once for a run of the tests, and not once for each database that a test opens."""

from collections.abc import MutableMapping
from typing import Any

from sqlalchemy.util import LRUCache


class Compiled(LRUCache[tuple[Any, ...], Any]):
    """What SQLAlchemy keeps of the statements it compiled, for all engines of one kind.

    It files them under the dialect, which is another object for each engine. All engines of one driver are made alike
    here, so that the class of the dialect says enough.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(_alike(key), default)

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        super().__setitem__(_alike(key), value)


def _alike(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *statement = key
    return (type(dialect), *statement)


KEPT: MutableMapping[tuple[Any, ...], Any] = Compiled(5000)
