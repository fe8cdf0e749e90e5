"""A connection to PostgreSQL that stays open: its transactions begin and end by its driver alone."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from sqlalchemy.exc import DBAPIError

from privapub.database.seats import Answer, Seat, to_its_end

CHANNEL = "privapub"
READ_ONLY = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_UNDONE_WITHIN = 10.0  # seconds; who does not answer in that time is hung up on


class PostgresqlSeat(Seat):
    """To SQLAlchemy each of its statements stands alone."""

    OPTIONS: ClassVar[dict[str, Any]] = {"isolation_level": "AUTOCOMMIT"}
    _begun = ""

    @property
    def lost(self) -> bool:
        """Whether it is closed, from whichever side."""
        return super().lost or self.driver.is_closed()

    async def answers(self) -> bool:
        """Whether the server is still there."""
        try:
            await self._say("SELECT 1")
        except DBAPIError:
            return False
        return True

    async def ask(self, sql: str, values: Sequence[Any], *, long: bool = False) -> Answer:  # noqa: ARG002 - the driver waits without holding the loop
        """As its parent tells."""
        try:
            # Not `fetch`, which keeps to itself how many rows were changed.
            rows, status, _ = await self.driver._execute(sql, values, 0, None, return_status=True)  # noqa: SLF001 - see above
        except Exception as error:
            raise DBAPIError.instance(sql, values, error, Exception) from error
        changed = status.rpartition(b" ")[2]
        return rows, rows, int(changed) if changed.isdigit() else 0

    def names(self, told: Any) -> tuple[str, ...]:
        """By the first row."""
        return tuple(told[0].keys())

    async def begin(self, words: str) -> None:
        """Begin, where there is anything to say."""
        if words:
            await self._say(words)
            self._begun = words

    async def commit(self, topics: Collection[str]) -> None:
        """Commit; notifications go with it, in one question."""
        if self._begun:
            told = "".join("NOTIFY {}, '{}'; ".format(CHANNEL, topic.replace("'", "''")) for topic in sorted(topics))
            ended = await self._say(f"{told}COMMIT")
            if ended != "COMMIT" and self._begun != READ_ONLY:
                raise DBAPIError("COMMIT", None, Exception("a statement of this transaction had failed"))
            self._begun = ""

    async def undo(self) -> None:
        """Roll back, also where the task was cancelled."""
        if self._begun:
            await to_its_end(self._say("ROLLBACK", _UNDONE_WITHIN))
            self._begun = ""

    async def _say(self, sql: str, within: float | None = None) -> str:
        """Say something that has no values and brings no rows."""
        try:
            told: str = await self.driver.execute(sql, timeout=within)
        except Exception as error:
            raise DBAPIError.instance(sql, None, error, Exception) from error
        return told
