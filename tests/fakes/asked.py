"""What is asked of a database, as it goes to its driver."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import event

from privapub.database.connect import Database
from privapub.database.transaction import Transaction


@contextmanager
def asked(database: Database) -> Iterator[list[tuple[str, Any]]]:
    """The statements that run inside, with their values: those of SQLAlchemy and those that go past it."""
    statements: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
        statements.append((statement, values[0] if many else values))

    driver = Transaction._driver

    async def past(tx: Transaction, sql: str, values: Sequence[Any], *, long: bool = False) -> Any:
        statements.append((sql, tuple(values)))
        return await driver(tx, sql, values, long=long)

    engines = {database.engine.sync_engine, database._reader.sync_engine}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        with patch.object(Transaction, "_driver", past):
            yield statements
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)
