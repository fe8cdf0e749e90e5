"""Numbers that many ask for, and that may be some minutes old: a process counts each once in a while."""

from collections.abc import Awaitable, Callable

from privapub.database.transaction import Transaction

LIFE = 300.0  # seconds


class Counts:
    """The numbers that were counted of late, by name."""

    def __init__(self) -> None:
        """None was counted."""
        self._known: dict[str, tuple[float, int]] = {}

    async def of(self, tx: Transaction, name: str, count: Callable[[Transaction], Awaitable[int]], now: float) -> int:
        """The number of this name, counted anew where it is too old; while one counts, others are told the old one."""
        counted_at, number = self._known.get(name, (None, 0))
        if counted_at is None or not counted_at <= now < counted_at + LIFE:
            if counted_at is not None:
                self._known[name] = now, number
            try:
                number = await count(tx)
            except BaseException:
                self._known.pop(name, None)
                raise
            self._known[name] = now, number
        return number
