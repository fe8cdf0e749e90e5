"""A connection to SQLite that is visited seldom.

It lives in a thread of its own, and to hand it a statement and hear of it costs as much as a small statement does. So a
transaction begins with its first statement.
"""

import sqlite3
from typing import Any

# Seconds to wait for SQLite's one lock. Waiting is not fair: a command beside a busy server asks many times in vain.
BUSY = 30


class Connection(sqlite3.Connection):
    """`beginning` is executed before the next statement."""

    def __init__(self, *values: Any, **named: Any) -> None:
        """As sqlite3 makes it."""
        super().__init__(*values, **named)
        self.beginning = ""

    def cursor(self, factory: Any = None) -> Any:
        """A cursor that begins the transaction where one is asked for."""
        return super().cursor(factory or Cursor)

    def execute(self, sql: str, values: Any = ()) -> Any:
        """By a cursor of ours: the parent's shortcut would make one of its own, which begins nothing."""
        return self.cursor().execute(sql, values)

    def executemany(self, sql: str, values: Any) -> Any:
        """As `execute`."""
        return self.cursor().executemany(sql, values)

    def begin_at_once(self) -> bool:
        """Begin as `begin` does, but without waiting: False where another process holds the lock."""
        if self.beginning == "BEGIN":  # to read: it waits for nobody
            self.begin()
        elif self.beginning:
            super().execute("PRAGMA busy_timeout = 0")
            try:
                self.begin()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                return False
            finally:
                super().execute(f"PRAGMA busy_timeout = {BUSY * 1000}")
        return True

    def begin(self) -> None:
        """Execute what was left for the first statement; where that fails, it is left for the next."""
        if self.beginning:
            beginning, self.beginning = self.beginning, ""
            try:
                self.execute(beginning)
            except BaseException:
                self.beginning = beginning
                raise

    def commit(self) -> None:
        """Commit; what was to begin has nothing to begin for."""
        self.beginning = ""
        super().commit()

    def rollback(self) -> None:
        """Roll back."""
        self.beginning = ""
        super().rollback()

    def undo_one(self) -> None:
        """Undo what came after the savepoint `one`, and only that."""
        self.execute("ROLLBACK TO one")
        self.execute("RELEASE one")


class Cursor(sqlite3.Cursor):
    """A cursor of such a connection."""

    connection: Connection

    def execute(self, sql: str, values: Any = ()) -> Any:
        """As its parent, within the transaction that was asked for."""
        self.connection.begin()
        return super().execute(sql, values)

    def executemany(self, sql: str, values: Any) -> Any:
        """As its parent, within the transaction that was asked for."""
        self.connection.begin()
        return super().executemany(sql, values)
